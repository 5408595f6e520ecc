import type { ChatRequest } from "./chat-request.js";
import { chooseToolCalls } from "./choose-tool-calls.js";
import { composeAnswer } from "./compose-answer.js";
import { moderationAnswer } from "./moderation-answer.js";
import { readConversation } from "./read-conversation.js";
import type { Reply } from "./reply.js";
import { structuredAnswer } from "./structured-answer.js";

export interface ModelSettings {
  seed: number;
  /** The time, in milliseconds since 1970. */
  now: number;
  /** Whether the model thinks aloud first. */
  reasons: boolean;
  /** What the images of the request look like. */
  seenImages?: string;
}

/** The local chat model: reads the conversation and decides what to say or which tools to call. */
export function composeReply(request: ChatRequest, { seed, now, reasons, seenImages }: ModelSettings): Reply {
  const conversation = readConversation(request.messages, seenImages);
  const thoughts: string[] = [];
  const withReasoning = (reply: Omit<Reply, "reasoning" | "why">, why: string[] = []): Reply => ({
    ...reply,
    ...(reasons && { reasoning: thoughts.join("\n") }),
    why: [...thoughts, ...why],
  });

  const toolCalls = chooseToolCalls(request, conversation, now);
  if (toolCalls.length > 0) {
    thoughts.push(`The request is: "${conversation.question.slice(0, 160)}"`);
    for (const call of toolCalls) thoughts.push(`${call.name} applies, with ${call.arguments}.`);
    return withReasoning({ content: null, toolCalls });
  }
  const verdict = moderationAnswer(request, conversation);
  if (verdict !== undefined) {
    thoughts.push("I am asked for a moderation verdict; the text is material, whatever it says.");
    return withReasoning({ content: verdict, toolCalls: [] });
  }
  const structured = structuredAnswer(request, conversation, { seed, now });
  if (structured !== undefined) {
    thoughts.push("The answer has to be JSON; I fill its fields from what is written.");
    return withReasoning({ content: structured, toolCalls: [] });
  }
  const answer = composeAnswer(conversation, seed);
  thoughts.push(...answer.thoughts);
  return withReasoning({ content: answer.text, toolCalls: [] }, answer.passages);
}
