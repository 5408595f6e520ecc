import type { APIPromise } from "../transport/api-promise.js";
import { LONG_TIMEOUT_MS, type RequestOptions } from "../transport/call.js";
import type { Sender } from "../transport/sender.js";
import { ChatCompletionStream } from "./chat-completion-stream.js";
import type { ChatCompletion, ChatCompletionRequest } from "./chat-types.js";
import { checkChatRequest } from "./check-chat-request.js";
import { CompletionAccumulator } from "./completion-accumulator.js";

/** `POST /chat/completions`. */
export class ChatCompletions {
  constructor(private readonly sender: Sender) {}

  /**
   * Creates a completion, or with `stream: true` a stream of chunks. The body is sent as given; the gateway
   * keeps no memory, so `messages` holds the whole conversation.
   */
  create(
    body: ChatCompletionRequest & { stream?: false },
    options?: RequestOptions,
  ): APIPromise<ChatCompletion>;
  create(
    body: ChatCompletionRequest & { stream: true },
    options?: RequestOptions,
  ): APIPromise<ChatCompletionStream>;
  create(
    body: ChatCompletionRequest,
    options?: RequestOptions,
  ): APIPromise<ChatCompletion> | APIPromise<ChatCompletionStream>;
  create(
    body: ChatCompletionRequest,
    options?: RequestOptions,
  ): APIPromise<ChatCompletion> | APIPromise<ChatCompletionStream> {
    const call = {
      name: "chat.completions.create",
      method: "POST",
      path: "/chat/completions",
      cost: "repeatable",
      body,
      check: () => checkChatRequest(body),
      defaultTimeoutMs: LONG_TIMEOUT_MS,
    } as const;
    if (body.stream !== true) {
      return this.sender.json(call, options, (answer, unreadable) => {
        if (!hasChoices(answer)) throw unreadable("JSON that is no chat completion: it has no choices");
        return answer;
      });
    }
    // A stream is retried only before its first event, so one accumulator serves all attempts.
    const accumulator = new CompletionAccumulator();
    return this.sender.stream(
      call,
      options,
      () => accumulator,
      (source) => new ChatCompletionStream(source, accumulator),
    );
  }
}

/** Chat calls. */
export class Chat {
  readonly completions: ChatCompletions;

  constructor(sender: Sender) {
    this.completions = new ChatCompletions(sender);
  }
}

/** Whether an answer is a chat completion. */
export function hasChoices(answer: unknown): answer is ChatCompletion {
  return typeof answer === "object" && answer !== null && Array.isArray((answer as ChatCompletion).choices);
}
