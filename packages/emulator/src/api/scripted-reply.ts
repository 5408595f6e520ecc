/** What a script makes a chat model say. */
export interface ScriptedReply {
  /** Null when it only calls tools. */
  content: string | null;
  /** The content as its stream is cut; by tokens where nobody says. */
  chunks?: readonly string[];
  reasoning?: string;
  toolCalls: ReadonlyArray<{ name: string; arguments: string }>;
  finishReason?: "stop" | "length" | "tool_calls" | "content_filter";
  usage?: { promptTokens?: number; completionTokens?: number };
}
