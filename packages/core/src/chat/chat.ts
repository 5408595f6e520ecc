import type { APIPromise } from "../call/api-promise.js";
import { LONG_TIMEOUT_MS, type RequestOptions } from "../call/call.js";
import { openStream } from "../call/open-stream.js";
import type { Sender } from "../call/sender.js";
import type { GatewayConfig } from "../config/config.js";
import { ChatCompletionStream } from "./chat-completion-stream.js";
import { CHAT_PATH } from "./chat-path.js";
import type { ChatCompletion, ChatCompletionRequest } from "./chat-types.js";
import { checkChatRequest } from "./check-chat-request.js";
import { ChunkTemplate } from "./chunk-template.js";
import { CompletionAccumulator } from "./completion-accumulator.js";
import { findChatError } from "./find-chat-error.js";

/** Options of `chat.completions.create`. */
export interface ChatOptions extends RequestOptions {
  /** Overrides the client's `requireFinishReason` for this call. */
  requireFinishReason?: boolean;
}

/** How the streams of a client are read. */
export type StreamDefaults = Pick<GatewayConfig, "requireFinishReason" | "differentialParsing">;

/** These two and nothing else of a configuration, which holds the key. */
export function streamDefaults({ requireFinishReason, differentialParsing }: GatewayConfig): StreamDefaults {
  return { requireFinishReason, differentialParsing };
}

/** `POST /chat/completions`. */
export class ChatCompletions {
  constructor(
    private readonly sender: Sender,
    private readonly defaults: StreamDefaults,
  ) {}

  /**
   * Creates a completion, or with `stream: true` a stream of chunks. The body is sent as given; the gateway
   * keeps no memory, so `messages` holds the whole conversation.
   */
  create(body: ChatCompletionRequest & { stream?: false }, options?: ChatOptions): APIPromise<ChatCompletion>;
  create(
    body: ChatCompletionRequest & { stream: true },
    options?: ChatOptions,
  ): APIPromise<ChatCompletionStream>;
  create(
    body: ChatCompletionRequest,
    options?: ChatOptions,
  ): APIPromise<ChatCompletion> | APIPromise<ChatCompletionStream>;
  create(
    body: ChatCompletionRequest,
    options?: ChatOptions,
  ): APIPromise<ChatCompletion> | APIPromise<ChatCompletionStream> {
    const { requireFinishReason = this.defaults.requireFinishReason, ...requestOptions } = options ?? {};
    const call = {
      name: "chat.completions.create",
      method: "POST",
      path: CHAT_PATH,
      cost: "repeatable",
      body,
      findError: findChatError,
      unfinished:
        "ended without a finish reason, so its answer may be cut off " +
        "(requireFinishReason: false accepts routes that send none)",
      check: () => checkChatRequest(body),
      defaultTimeoutMs: LONG_TIMEOUT_MS,
    } as const;
    if (body.stream !== true) {
      return this.sender.json(call, requestOptions, (answer, unreadable) => {
        if (!hasChoices(answer)) throw unreadable("JSON that is no chat completion: it has no choices");
        return answer;
      });
    }
    // A stream is retried only before its first event, so one accumulator serves all attempts.
    const template = this.defaults.differentialParsing ? new ChunkTemplate() : undefined;
    const accumulator = new CompletionAccumulator(requireFinishReason, body.n ?? 1, template);
    return openStream(
      this.sender,
      call,
      requestOptions,
      () => accumulator,
      (source) => new ChatCompletionStream(source, accumulator),
    );
  }
}

/** Chat calls. */
export class Chat {
  readonly completions: ChatCompletions;

  constructor(sender: Sender, defaults: StreamDefaults) {
    this.completions = new ChatCompletions(sender, defaults);
  }
}

/** Whether an answer is a chat completion: one without a single choice answers nothing. */
export function hasChoices(answer: unknown): answer is ChatCompletion {
  const { choices } = (answer ?? {}) as Partial<ChatCompletion>;
  return Array.isArray(choices) && choices.length > 0;
}
