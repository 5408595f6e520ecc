import type { EmbeddingModelV4, LanguageModelV4, ProviderV4 } from "@ai-sdk/provider";
import type {
  EmbeddingModel,
  experimental_generateVideo as generateVideo,
  ImageModel,
  LanguageModel,
  Provider,
  SpeechModel,
} from "ai";
import { tool } from "ai";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { ModelGatewayLanguageModelChatOptions, ModelGatewayProvider } from "./index.js";
import { modelGateway, oncePerToolCall } from "./index.js";

test("the provider fits the contract and the SDK's own types", () => {
  expectTypeOf<ModelGatewayProvider>().toExtend<ProviderV4>();
  expectTypeOf(modelGateway("m")).toExtend<LanguageModelV4>();
  expectTypeOf(modelGateway("m")).toExtend<LanguageModel>();
  expectTypeOf(modelGateway.embedding("m")).toExtend<EmbeddingModelV4>();
  expectTypeOf(modelGateway.embedding("m")).toExtend<EmbeddingModel>();
  expectTypeOf(modelGateway.image("m")).toExtend<ImageModel>();
  expectTypeOf(modelGateway.speech("m")).toExtend<SpeechModel>();
  expectTypeOf(modelGateway).toExtend<Provider>();
  expectTypeOf(modelGateway.video("m")).toExtend<Parameters<typeof generateVideo>[0]["model"]>();
});

test("options are typed", () => {
  const options: ModelGatewayLanguageModelChatOptions = { user: "u" };
  expectTypeOf(options.metadata).toEqualTypeOf<Record<string, unknown> | undefined>();
  // @ts-expect-error a misspelt option
  const wrong: ModelGatewayLanguageModelChatOptions = { usre: "u" };
  void wrong;
});

test("a tool that runs once per call is typed like any other", () => {
  const draw = tool({
    inputSchema: z.object({ prompt: z.string() }),
    execute: oncePerToolCall(async ({ prompt }: { prompt: string }) => prompt.length),
  });
  expectTypeOf(draw.execute).toBeFunction();
  expectTypeOf<Parameters<NonNullable<typeof draw.execute>>[0]>().toEqualTypeOf<{ prompt: string }>();
});
