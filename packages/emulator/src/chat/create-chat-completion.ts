import { randomUUID } from "node:crypto";
import { chunkPause } from "../api/chunk-pause.js";
import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { eventStreamResponse } from "../http/event-stream.js";
import { answerChatImage } from "./answer-chat-image.js";
import { checkChatRequest } from "./check-chat-request.js";
import { completionBody, completionChunks } from "./completion-body.js";
import { composeReply } from "./compose-reply.js";
import { describeImages } from "./describe-images.js";
import { limitReply } from "./limit-reply.js";
import { countPromptTokens } from "./prompt-tokens.js";

/** `POST /chat/completions`: one reply, whole or as a stream; with the image-chat model, an image. */
export async function createChatCompletion(exchange: Exchange): Promise<Response> {
  const { body, services, bill, signal } = exchange;
  const request = checkChatRequest(Field.body(body));
  const model = requireModel(exchange, request.model, "chat", "chat-image");
  if (model.capability === "chat-image") return answerChatImage(exchange, model.id, request);
  const promptTokens = countPromptTokens(request);
  bill.expect(model.id, { inputTokens: promptTokens });
  const images = request.messages.findLast(({ role }) => role === "user")?.images ?? [];
  const seenImages = images.length > 0 ? await describeImages(services, images) : undefined;
  const settings = { seed: request.seed ?? services.seed, reasons: model.reasons, seenImages };
  const reply = limitReply(composeReply(request, settings), request);
  bill.count({ inputTokens: promptTokens, outputTokens: reply.completionTokens * request.count });
  const completion = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(services.clock.now() / 1_000),
    model: model.id,
    request,
    reply,
    promptTokens,
  };
  if (!request.stream) return Response.json(completionBody(completion));
  return eventStreamResponse(completionChunks(completion), { pause: chunkPause(services, signal) });
}
