import { abridge } from "../json/abridge.js";
import { countTokens } from "../language/tokenize.js";
import type { ChatRequest } from "./chat-request.js";

const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_IMAGE = 255;

/** The tokens of everything a request gives the model to read. */
export function countPromptTokens({ messages, tools }: ChatRequest): number {
  let tokens = 0;
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE + countTokens(message.text) + message.images.length * TOKENS_PER_IMAGE;
    for (const call of message.toolCalls) tokens += countTokens(call.name) + countTokens(call.arguments);
  }
  for (const tool of tools) {
    tokens +=
      countTokens(tool.name) +
      countTokens(tool.description) +
      countTokens(JSON.stringify(abridge(tool.parameters)));
  }
  return tokens;
}
