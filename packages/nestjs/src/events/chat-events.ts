import type { ChatCompletionChunk } from "@model-gateway/core";
import type { MessageEvent } from "@nestjs/common";
import type { OperatorFunction } from "rxjs";
import { type EventsOptions, toEvents } from "./to-events.js";

/**
 * Turns a chat stream into what a handler under `@Sse()` returns: one event per chunk, then one of type `done`.
 * Errors become HTTP exceptions, whose message is safe to send. A reader that comes back gets the rest of a stream with a key;
 * without one, it is answered with 204, which ends an `EventSource`, and nothing is paid again.
 *
 * @example
 * \@Sse("answer")
 * answer(\@Query("question") question: string) {
 *   const messages = [{ role: "user" as const, content: question }];
 *   return this.chat.stream$({ model: "local-chat", messages }).pipe(chatEvents());
 * }
 */
export function chatEvents(options?: EventsOptions): OperatorFunction<ChatCompletionChunk, MessageEvent> {
  return toEvents((chunk) => chunk, options);
}
