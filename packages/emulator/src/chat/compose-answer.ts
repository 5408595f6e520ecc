import { isRecord } from "../json/is-record.js";
import { languageOf } from "../language/detect-language.js";
import { PHRASES } from "../language/phrases/phrases.js";
import { builtInAnswer } from "./built-in-answers.js";
import { doTask } from "./do-task.js";
import { completedQuestion, listedItem } from "./follow-up.js";
import { type GroundedAnswer, groundAnswer, type WeighedPassage } from "./ground-answer.js";
import type { Conversation, Source, ToolResult } from "./read-conversation.js";
import { readTask } from "./read-task.js";

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
const MOST_QUESTIONS = 4;

/** Answers a conversation in words: from tool results, by itself, or from the context it was given. */
export function composeAnswer(conversation: Conversation, seed: number): ComposedAnswer {
  const { question, toolResults, sources, seenImages } = conversation;
  const thoughts = [`The request is: "${shorten(question || conversation.userText)}"`];

  if (toolResults.length > 0) {
    thoughts.push(`${toolResults.length} tool result(s) came back; the answer has to come from them.`);
    return { text: toolResults.map((result) => answerFromResult(question, result)).join("\n"), thoughts };
  }

  const task = readTask(conversation);
  const lookUp = (asked: string) => groundAnswer(asked, [{ text: task.material, origin: "prompt" }])?.text;
  const done = doTask(task, lookUp);
  if (done !== undefined) {
    thoughts.push(`I am to do something with the ${task.material.length} characters that were given.`);
    return { text: done, thoughts };
  }

  const builtIn = builtInAnswer(conversation, seed);
  if (builtIn !== undefined) {
    thoughts.push("I can do this without looking anything up.");
    return { text: builtIn, thoughts };
  }

  const seen = seenImages;
  if (seen !== undefined) thoughts.push(seen);
  const listed = listedItem(conversation);
  if (listed !== undefined) {
    thoughts.push("It is asked for by its place in a list that was spoken of.");
    return { text: listed, thoughts };
  }
  const grounded = lookUpAll(conversation, sources);
  if (grounded.length > 0) {
    for (const { considered, coverage } of grounded)
      thoughts.push(
        `I weighed ${considered} passages; the best covers ${Math.round(coverage * 100)} % of what is asked.`,
      );
    const passages = grounded.flatMap(({ best }) => best.map(describePassage));
    const text = [...new Set(grounded.map((answer) => answer.text))].join(" ");
    return { text: seen === undefined ? text : `${seen} ${text}`, thoughts, passages };
  }
  thoughts.push(conversation.hasContext ? "No passage answers it." : "There is no context to answer from.");
  return { text: seen ?? withoutEvidence(conversation), thoughts };
}

/** The answers to each thing that is asked for; to the whole where its parts have none. */
function lookUpAll(
  { question, earlierQuestion }: Conversation,
  sources: readonly Source[],
): GroundedAnswer[] {
  const { conjunction } = PHRASES[languageOf(question)];
  const parts = question
    .split(/(?<=[?？])\s*/)
    .flatMap((part) => part.split(conjunction))
    .filter((part) => part.trim() !== "");
  const answers =
    parts.length > 1 && parts.length <= MOST_QUESTIONS
      ? parts.map((part) => groundAnswer(part, sources))
      : [];
  if (answers.length > 1 && answers.every((answer) => answer !== undefined))
    return answers as GroundedAnswer[];
  const completed = completedQuestion(question, earlierQuestion);
  const answer =
    (completed === undefined ? undefined : groundAnswer(completed, sources)) ??
    groundAnswer(question, sources);
  return answer === undefined ? [] : [answer];
}

function describePassage({ text, score, coverage, isQuoted }: WeighedPassage): string {
  const share = `${Math.round(coverage * 100)} %`;
  return `${isQuoted ? "Quoted" : "Not quoted"}, score ${score.toFixed(2)}, covers ${share}: "${shorten(text)}"`;
}

function withoutEvidence({ question, userText, hasContext }: Conversation): string {
  const asked = shorten(question);
  const { notInContext, unknown, heard } = PHRASES[languageOf(question, userText)];
  if (hasContext) return notInContext(asked);
  return /[?？]\s*$/.test(question) ? unknown(asked) : heard(asked);
}

function answerFromResult(question: string, { name, text }: ToolResult): string {
  const content = text.trim();
  if (content === "") return `${name} returned nothing.`;
  const parsed = parseJSON(content);
  const documents = documentsIn(parsed);
  if (documents !== undefined) {
    const found = groundAnswer(question, [{ text: documents, origin: "tool" }]);
    if (found !== undefined) return found.text;
  }
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

/** Search results as paragraphs, their texts under their titles. */
function documentsIn(parsed: unknown): string | undefined {
  const list = isRecord(parsed) ? Object.values(parsed).find(Array.isArray) : parsed;
  if (!Array.isArray(list) || !list.every(isRecord)) return undefined;
  return list
    .map((entry) =>
      Object.values(entry)
        .filter((value) => typeof value === "string")
        .join(": "),
    )
    .join("\n\n");
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
