import { isRecord } from "../json/is-record.js";
import { builtInAnswer } from "./built-in-answers.js";
import { groundAnswer, type WeighedPassage } from "./ground-answer.js";
import type { Conversation, ToolResult } from "./read-conversation.js";

/** An answer in words, and how the model came to it. */
export interface ComposedAnswer {
  text: string;
  /** For the reasoning models. */
  thoughts: string[];
  /** What was weighed, the best first, a line each. */
  passages?: string[];
}

const LONGEST_QUOTED_RESULT = 600;
const LONGEST_ECHO = 160;

/** Answers a conversation in words: from tool results, by itself, or from the context it was given. */
export function composeAnswer(conversation: Conversation, seed: number): ComposedAnswer {
  const { question, toolResults, sources, seenImages } = conversation;
  const thoughts = [`The request is: "${shorten(question || conversation.userText)}"`];

  if (toolResults.length > 0) {
    thoughts.push(`${toolResults.length} tool result(s) came back; the answer has to come from them.`);
    return { text: toolResults.map((result) => answerFromResult(question, result)).join("\n"), thoughts };
  }

  const builtIn = builtInAnswer(conversation, seed);
  if (builtIn !== undefined) {
    thoughts.push("I can do this without looking anything up.");
    return { text: builtIn, thoughts };
  }

  const seen = seenImages;
  if (seen !== undefined) thoughts.push(seen);
  const grounded = groundAnswer(question, sources);
  if (grounded) {
    thoughts.push(
      `I weighed ${grounded.considered} passages; the best covers ${Math.round(grounded.coverage * 100)} % of what is asked.`,
    );
    const passages = grounded.best.map(describePassage);
    return { text: seen === undefined ? grounded.text : `${seen} ${grounded.text}`, thoughts, passages };
  }
  thoughts.push(conversation.hasContext ? "No passage answers it." : "There is no context to answer from.");
  return { text: seen ?? withoutEvidence(conversation), thoughts };
}

function describePassage({ text, score, coverage, isQuoted }: WeighedPassage): string {
  const share = `${Math.round(coverage * 100)} %`;
  return `${isQuoted ? "Quoted" : "Not quoted"}, score ${score.toFixed(2)}, covers ${share}: "${shorten(text)}"`;
}

function withoutEvidence({ question, hasContext }: Conversation): string {
  const asked = shorten(question);
  if (/[\u4e00-\u9fff]/.test(question)) {
    return hasContext
      ? `提供的内容中没有关于“${asked}”的信息。(The provided context does not contain it.)`
      : `我是本地模型，没有通用知识。你说的是：“${asked}”`;
  }
  if (hasContext) return `The provided context does not contain an answer to "${asked}".`;
  if (/[?？]\s*$/.test(question)) {
    return `I am a local model without general knowledge, so I cannot answer "${asked}" unless the context holds it.`;
  }
  return `I have read your message: "${asked}"`;
}

function answerFromResult(question: string, { name, text }: ToolResult): string {
  const content = text.trim();
  if (content === "") return `${name} returned nothing.`;
  const parsed = parseJSON(content);
  if (parsed !== undefined) return `${name}: ${shorten(inWords(parsed), LONGEST_QUOTED_RESULT)}`;
  if (content.length <= LONGEST_QUOTED_RESULT) return content;
  return (
    groundAnswer(question, [{ text: content, origin: "tool" }])?.text ??
    shorten(content, LONGEST_QUOTED_RESULT)
  );
}

function parseJSON(text: string): unknown {
  if (!/^[[{"\d-]|^(?:true|false|null)$/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON value as a reader would say it. */
function inWords(value: unknown, depth = 0): string {
  if (depth > 4) return "…";
  if (Array.isArray(value)) return value.map((item) => inWords(item, depth + 1)).join("; ");
  if (isRecord(value)) {
    return Object.entries(value)
      .map(([key, member]) => `${key.replaceAll("_", " ")} ${inWords(member, depth + 1)}`)
      .join(", ");
  }
  return String(value);
}

function shorten(text: string, length = LONGEST_ECHO): string {
  const line = text.trim();
  return line.length > length ? `${line.slice(0, length).trimEnd()}…` : line;
}
