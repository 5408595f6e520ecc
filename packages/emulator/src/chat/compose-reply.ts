import type { ChatRequest } from "./chat-request.js";
import { composeAnswer } from "./compose-answer.js";
import { readConversation } from "./read-conversation.js";
import type { Reply } from "./reply.js";

export interface ModelSettings {
  seed: number;
  /** Whether the model thinks aloud first. */
  reasons: boolean;
}

/** The local chat model: reads the conversation and decides what to say or which tools to call. */
export function composeReply(request: ChatRequest, { seed, reasons }: ModelSettings): Reply {
  const conversation = readConversation(request.messages);
  const answer = composeAnswer(conversation, seed);
  return {
    content: answer.text,
    toolCalls: [],
    ...(reasons ? { reasoning: answer.thoughts.join("\n") } : {}),
  };
}
