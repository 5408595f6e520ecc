import { randomUUID } from "node:crypto";
import { Field } from "../checks/field.js";
import { requireModel } from "../models/require-model.js";
import { chunkPause } from "../server/chunk-pause.js";
import { eventStreamResponse } from "../server/event-stream.js";
import type { Exchange } from "../server/exchange.js";
import { checkChatRequest } from "./check-chat-request.js";
import { completionBody, completionChunks } from "./completion-body.js";
import { composeReply } from "./compose-reply.js";
import { limitReply } from "./limit-reply.js";
import { countPromptTokens } from "./prompt-tokens.js";

/** `POST /chat/completions`: one reply, whole or as a stream. */
export function createChatCompletion({ body, models, services, signal }: Exchange): Response {
  const request = checkChatRequest(Field.body(body));
  const model = requireModel(models, request.model, "chat");
  const reply = limitReply(
    composeReply(request, { seed: request.seed ?? services.seed, reasons: model.reasons }),
    request,
  );
  const completion = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(services.clock.now() / 1_000),
    model: model.id,
    request,
    reply,
    promptTokens: countPromptTokens(request),
  };
  if (!request.stream) return Response.json(completionBody(completion));
  return eventStreamResponse(completionChunks(completion), { pause: chunkPause(services, signal) });
}
