import {
  MODERATION_ACTIONS,
  MODERATION_CATEGORIES,
  type ModerationVerdict,
  strictest,
} from "./moderation-verdict.js";
import { FOUND_SCORE, readCategories } from "./read-categories.js";

/**
 * Reads the verdict of a chat model. The whole answer has to be the JSON object that was asked for (a code fence
 * and a leading `<think>` block are taken off): an object somewhere inside prose may be a quotation of the text
 * that was judged. An answer that allows what it finds is a `review`.
 *
 * @returns undefined when the answer is no verdict
 */
export function readChatVerdict(completion: unknown): ModerationVerdict | undefined {
  const verdict = parseObject(readText(completion));
  const word = typeof verdict?.["action"] === "string" ? verdict["action"].trim().toLowerCase() : undefined;
  const action = MODERATION_ACTIONS.find((known) => known === word);
  if (verdict === undefined || action === undefined) return undefined;
  const { categories, scores, unknownFound } = readCategories(verdict["categories"], verdict["scores"]);
  const found = MODERATION_CATEGORIES.some(
    (category) => categories[category] || (scores[category] ?? 0) >= FOUND_SCORE,
  );
  return {
    action: strictest(action, found || unknownFound ? "review" : "allow"),
    categories,
    scores,
    source: "chat",
    raw: completion,
  };
}

function readText(completion: unknown): string {
  const { choices } = (completion ?? {}) as { choices?: Array<{ message?: { content?: unknown } }> };
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content
    .map((part: { text?: unknown } | null) => (typeof part?.text === "string" ? part.text : ""))
    .join("");
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(withoutFence(withoutThinking(text)));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

// By hand: what a model wrote can be long, and expressions with a look-ahead per character fail on it.

function withoutThinking(text: string): string {
  const answer = text.trim();
  if (!answer.startsWith("<think>")) return answer;
  const end = answer.indexOf("</think>");
  return end === -1 ? answer : answer.slice(end + "</think>".length).trim();
}

/** A code fence around the whole answer; one that ends within it stays. */
function withoutFence(answer: string): string {
  const opening = /^```(?:json)?[^\S\n]*\n/i.exec(answer)?.[0];
  if (opening === undefined || !answer.endsWith("```")) return answer;
  const inner = answer.slice(opening.length, -3);
  return inner.includes("```") ? answer : inner;
}
