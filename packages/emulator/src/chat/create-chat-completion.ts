import { randomUUID } from "node:crypto";
import { chunkPause } from "../api/chunk-pause.js";
import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { eventStreamResponse } from "../http/event-stream.js";
import { answerChatImage } from "./answer-chat-image.js";
import type { ChatRequest } from "./chat-request.js";
import { checkChatRequest } from "./check-chat-request.js";
import { completionBody, completionChunks } from "./completion-body.js";
import { composeReply } from "./compose-reply.js";
import { describeImages } from "./describe-images.js";
import { limitReply } from "./limit-reply.js";
import { countPromptTokens } from "./prompt-tokens.js";
import type { LimitedReply } from "./reply.js";
import { sayScripted } from "./say-scripted.js";
import { sharedThinker } from "./thinker.js";

/** `POST /chat/completions`: one reply, whole or as a stream; with the image-chat model, an image. */
export async function createChatCompletion(exchange: Exchange): Promise<Answer> {
  const { body, services, bill, scripted } = exchange;
  const request = checkChatRequest(Field.body(body));
  const model = scripted ? undefined : requireModel(exchange, request.model, "chat", "chat-image");
  if (model?.capability === "chat-image") return answerChatImage(exchange, model.id, request);
  const promptTokens = scripted?.usage?.promptTokens ?? countPromptTokens(request);
  bill.expect(request.model, { inputTokens: promptTokens });
  const reply = scripted
    ? sayScripted(scripted)
    : await think(exchange, request, model?.capability === "chat" && model.reasons);
  bill.count({ inputTokens: promptTokens, outputTokens: reply.completionTokens * request.count });
  const completion = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(services.clock.now() / 1_000),
    model: request.model,
    request,
    reply,
    promptTokens,
  };
  if (!request.stream) return Answer.json(completionBody(completion));
  return eventStreamResponse(completionChunks(completion), {
    pause: chunkPause(exchange),
  });
}

async function think(exchange: Exchange, request: ChatRequest, reasons: boolean): Promise<LimitedReply> {
  const { services, explain } = exchange;
  const images = request.messages.findLast(({ role }) => role === "user")?.images ?? [];
  const seenImages = images.length > 0 ? await describeImages(services, images) : undefined;
  const seed = request.seed ?? services.seed;
  const settings = { seed, now: services.clock.now(), reasons, seenImages };
  const reply = await (services.threads
    ? sharedThinker.compose(request, settings)
    : composeReply(request, settings));
  explain(...reply.why);
  return limitReply(reply, request);
}
