import type { ChatCompletionChunk } from "@model-gateway/core";
import type { MessageEvent } from "@nestjs/common";
import { concat, map, type OperatorFunction, of } from "rxjs";
import { DONE_EVENT } from "./done-event.js";
import { publicErrors } from "./public-errors.js";

/**
 * Turns a chat stream into what a handler under `@Sse()` returns: one event per chunk, then one of type `done`.
 * Errors become HTTP exceptions, whose message is safe to send.
 *
 * @example
 * \@Sse("answer")
 * answer(\@Query("question") question: string) {
 *   const messages = [{ role: "user" as const, content: question }];
 *   return this.chat.stream$({ model: "local-chat", messages }).pipe(chatEvents());
 * }
 */
export function chatEvents(): OperatorFunction<ChatCompletionChunk, MessageEvent> {
  return (chunks) =>
    concat(chunks.pipe(map((chunk): MessageEvent => ({ data: chunk }))), of(DONE_EVENT)).pipe(publicErrors());
}
