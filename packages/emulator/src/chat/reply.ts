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
  /** How the model came to it. */
  why: string[];
}

/** What of a reply is sent. */
export interface LimitedReply extends Omit<Reply, "why"> {
  finishReason: "stop" | "length" | "tool_calls" | "content_filter";
  /** The content as its stream is cut; by tokens where nobody says. */
  chunks?: readonly string[];
  completionTokens: number;
  reasoningTokens: number;
}
