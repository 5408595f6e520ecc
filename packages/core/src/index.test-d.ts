import { expectTypeOf, test } from "vitest";
import {
  type APIPromise,
  type ChatCompletion,
  type ChatCompletionStream,
  type ChatMessage,
  GatewayError,
  type ImageGenerateRequest,
  ModelGateway,
  type ModelGatewayOptions,
  RateLimitError,
  type VideoContentItem,
  type VideoTask,
} from "./index.js";

const gateway = new ModelGateway({ apiKey: "sk-x", baseURL: "https://gateway.example/v1" });
const messages: ChatMessage[] = [{ role: "user", content: "hi" }];

test("stream decides what a completion is", () => {
  expectTypeOf(gateway.chat.completions.create({ model: "m", messages })).toEqualTypeOf<
    APIPromise<ChatCompletion>
  >();
  expectTypeOf(gateway.chat.completions.create({ model: "m", messages, stream: true })).toEqualTypeOf<
    APIPromise<ChatCompletionStream>
  >();
  const stream = Math.random() > 0.5;
  expectTypeOf(gateway.chat.completions.create({ model: "m", messages, stream })).toEqualTypeOf<
    APIPromise<ChatCompletion> | APIPromise<ChatCompletionStream>
  >();
});

test("message roles hold what they may", () => {
  expectTypeOf<{ role: "tool"; content: string; tool_call_id: string }>().toExtend<ChatMessage>();
  expectTypeOf<{ role: "tool"; content: string }>().not.toExtend<ChatMessage>();
  expectTypeOf<{ role: "developer"; content: string }>().not.toExtend<ChatMessage>();
  expectTypeOf<{ role: "user"; content: [{ type: "input_audio" }] }>().not.toExtend<ChatMessage>();
});

test("video items take the roles of their type", () => {
  expectTypeOf<{
    type: "image_url";
    image_url: { url: string };
    role: "first_frame";
  }>().toExtend<VideoContentItem>();
  expectTypeOf<{
    type: "image_url";
    image_url: { url: string };
    role: "reference_video";
  }>().not.toExtend<VideoContentItem>();
  expectTypeOf<{ type: "text" }>().not.toExtend<VideoContentItem>();
});

test("the variants of image requests do not mix", () => {
  expectTypeOf<{
    model: string;
    prompt: string;
    size: "2K";
    response_format: "url";
  }>().toExtend<ImageGenerateRequest>();
  expectTypeOf<{ prompt: string; background: "transparent" }>().toExtend<ImageGenerateRequest>();
  expectTypeOf<{
    prompt: string;
    background: "transparent";
    response_format: "url";
  }>().not.toExtend<ImageGenerateRequest>();
});

test("calls return promises with their response", () => {
  expectTypeOf(gateway.videos.create({ model: "m", content: [] }).withResponse()).resolves.toExtend<{
    data: VideoTask;
    requestId: string | undefined;
    attempts: number;
  }>();
  expectTypeOf(gateway.models.list()).resolves.toExtend<Array<{ id: string }>>();
});

test("errors narrow", () => {
  const error: unknown = undefined;
  if (RateLimitError.isInstance(error)) expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
  if (GatewayError.isInstance(error) && error.kind === "rate_limit")
    expectTypeOf(error.attempts).toEqualTypeOf<number>();
});

test("options refuse what they do not know", () => {
  // @ts-expect-error a misspelt option
  const options: ModelGatewayOptions = { apiKye: "x" };
  void options;
});
