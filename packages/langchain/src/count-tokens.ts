import type { MessageContent } from "@langchain/core/messages";

/** Scripts without spaces: about one token per character in the tokenizers of current models. */
const DENSE_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Emoji_Presentation}]/gu;

const CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates the tokens of a text without a tokenizer and without the network: the gateway serves models of many
 * families, and only the server knows which tokenizer a model has. Good enough to trim a history by.
 */
export function countTokens(content: MessageContent): number {
  const text = typeof content === "string" ? content : content.map(readText).join("");
  const dense = text.match(DENSE_SCRIPT)?.length ?? 0;
  return dense + Math.ceil((text.length - dense) / CHARACTERS_PER_TOKEN);
}

function readText(block: { type: string; text?: unknown }): string {
  return typeof block.text === "string" ? block.text : "";
}
