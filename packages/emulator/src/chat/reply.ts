/** A call that the model wants made; it gets its id when it is sent. */
export interface ComposedToolCall {
  name: string;
  /** JSON text. */
  arguments: string;
}

/** What the model says, before any limit. */
export interface Reply {
  /** Null when it only calls tools. */
  content: string | null;
  reasoning?: string;
  toolCalls: ComposedToolCall[];
}

/** What of a reply is sent. */
export interface LimitedReply extends Reply {
  finishReason: "stop" | "length" | "tool_calls";
  completionTokens: number;
  reasoningTokens: number;
}
