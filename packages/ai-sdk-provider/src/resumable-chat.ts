import {
  createStreamHandlers,
  type StreamCall,
  type StreamHandlers,
  type StreamHandlersOptions,
} from "@model-gateway/core/resumable";
import { chatKeyOf } from "./chat-key-of.js";
import { isRegeneration } from "./is-regeneration.js";
import { UIMessageChunks } from "./ui-message-chunks.js";
import { UI_MESSAGE_FORMAT } from "./ui-message-format.js";
import type { UIMessageStream } from "./ui-message-stream.js";

/** What answers a request of `useChat`: chunks, or a result of `streamText` that they can be had of. */
export type UIMessageAnswer = UIMessageStream | { toUIMessageStream(): UIMessageStream };

/** Options of `resumableChat`. Durations are milliseconds. */
export interface ResumableChatOptions extends Omit<StreamHandlersOptions, "open" | "format"> {
  /**
   * Makes the paid call, once for each question: `streamText({ …, abortSignal: signal })`, or a UI message stream. A `Response`
   * refuses the request before anything is paid.
   */
  answer(
    request: Request,
    context: StreamCall,
  ): UIMessageAnswer | Response | PromiseLike<UIMessageAnswer | Response>;
  /**
   * Names the chat. Default: `?key=…`, else `ID` of an address that ends in `/ID/stream`, else `id` of the request's body, which
   * are what `DefaultChatTransport` sends. Is given a copy of the request, whose body it may read.
   */
  key?: StreamHandlersOptions["key"];
  /**
   * Whether the request wants another answer, even if it is the same as the one that was answered last. Default: those of
   * `regenerate()`. While an answer is being made, it gets that. Is given a copy of the request, whose body it may read.
   */
  anew?: StreamHandlersOptions["anew"];
}

/**
 * Route handlers for `useChat({ resume: true })`: an answer is paid for once, goes on when its page is closed or offline, and is
 * read again by whichever page comes back to it.
 *
 * @throws ConfigurationError for options that make no sense
 */
export function resumableChat({
  answer,
  key = chatKeyOf,
  anew = isRegeneration,
  ...options
}: ResumableChatOptions): StreamHandlers {
  return createStreamHandlers({
    ...options,
    ...{ key, anew },
    format: UI_MESSAGE_FORMAT,
    async open(request, context) {
      const answered = await answer(request, context);
      if (answered instanceof Response) return answered;
      const stream = "toUIMessageStream" in answered ? answered.toUIMessageStream() : answered;
      return new UIMessageChunks(stream, options.waitUntil);
    },
  });
}
