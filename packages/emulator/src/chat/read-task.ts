import { type Language, languageOf } from "../language/detect-language.js";
import { PHRASES, type Phrases } from "../language/phrases/phrases.js";
import { splitSentences } from "../language/split-passages.js";
import { categoryOf } from "./classify.js";
import type { Conversation } from "./read-conversation.js";

/** What is asked to be done with which text, and how the answer is to look. */
export interface Task {
  language: Language;
  /** The sentences that say what to do, questions among them. */
  instruction: string;
  /** What it is to be done with; empty where nothing was given. */
  material: string;
  /** Whether the gist of the material is asked for. */
  wantsSummary: boolean;
  /** At most so many sentences. */
  sentences: number | undefined;
  /** So many items of a list; 0 where nobody says how many. */
  bullets: number | undefined;
  /** One of these is the answer. */
  labels: readonly string[];
  isYesOrNo: boolean;
}

interface Parts {
  instruction: string;
  material: string;
}

const LONGEST_INSTRUCTION = 400;
/** What comes after it is no wish for how to answer. */
const LONGEST_REQUEST = 2_000;
const LONGEST_LABEL = 30;
const MOST_LABELS = 20;
/** `Review: …`, `Text:`: what the material is called is no part of it. */
const MATERIAL_LABEL = /^\s*\p{L}[\p{L} -]{0,24}[:：]\s*/u;
/** A text in quotes, longer than a name. */
const QUOTED = /["„“「]([^"”“」]{16,4000})["”“」]/;
const COLON = /^([^\n:：]{4,200}[:：])\s*(\S[\s\S]*)$/;

/** Takes a request apart into what to do and what to do it with. */
export function readTask({ userText, question, sources, systemInstructions }: Conversation): Task {
  const given = sources.filter(({ origin }) => origin === "prompt").map(({ text }) => text);
  const language = languageOf(askingBlock(userText) ?? question, userText);
  const phrases = PHRASES[language];
  const own = partsOf(userText, phrases);
  const asked = (own.instruction || question).slice(0, LONGEST_REQUEST);
  // Whoever sorts many texts says once how, and sends one after the other. What is given to look things up in says nothing of it.
  const standing = systemInstructions.slice(0, LONGEST_REQUEST);
  const isSystemAsking =
    (phrases.classification.test(standing) || PHRASES.en.classification.test(standing)) &&
    !phrases.classification.test(asked);
  const instruction = isSystemAsking ? standing : asked;
  const material = isSystemAsking ? userText : own.material || given.join("\n").replace(instruction, "");
  const lines = `${standing}\n${asked}`;
  const lists = [...asked.matchAll(phrases.bullets)];
  const wantsList = lists.find((list) => numberIn(list, phrases) !== undefined) ?? lists[0];
  return {
    language,
    instruction: asked,
    material,
    wantsSummary: phrases.summary.test(asked),
    sentences: numberIn(phrases.sentences.exec(asked), phrases),
    bullets: wantsList === undefined ? undefined : (numberIn(wantsList, phrases) ?? 0),
    labels: labelsAsked(instruction, phrases.classification.test(lines), phrases),
    isYesOrNo: phrases.yesOrNo.test(asked),
  };
}

/** The paragraph that says what to do, whose language is that of the answer. */
function askingBlock(text: string): string | undefined {
  const blocks = blocksOf(text);
  if (blocks.length < 2) return undefined;
  return [blocks[0] ?? "", blocks.at(-1) ?? ""].find((block) =>
    isInstruction(block, PHRASES[languageOf(block)]),
  );
}

function blocksOf(text: string): string[] {
  return text.split(/\n\s*\n|\n(?=\s*["„“「])/).filter((block) => block.trim() !== "");
}

function numberIn(match: RegExpExecArray | null, { numbers }: Phrases): number | undefined {
  if (match === null) return undefined;
  // `one-sentence` has no other number.
  const word = match[1]?.toLowerCase() ?? (/-sentence/i.test(match[0]) ? "one" : "");
  return numbers[word] ?? (/^\d+$/.test(word) ? Number(word) : undefined);
}

/** A paragraph, a line before a colon, or sentences that say what to do, and the rest. */
function partsOf(text: string, phrases: Phrases): Parts {
  const blocks = blocksOf(text);
  if (blocks.length > 1) {
    const [first = "", ...rest] = blocks;
    if (isInstruction(first, phrases)) return partsOfBlock(first, rest.join("\n\n"), phrases);
    const last = blocks.at(-1) ?? "";
    if (isInstruction(last, phrases))
      return { instruction: last.trim(), material: blocks.slice(0, -1).join("\n\n") };
  }
  return partsOfBlock(text, "", phrases);
}

function partsOfBlock(block: string, below: string, phrases: Phrases): Parts {
  const material = below.replace(MATERIAL_LABEL, "");
  const [, lead = "", rest = ""] = COLON.exec(block.trim()) ?? [];
  // Labels stand before a colon, or behind it.
  const hasLabels = !phrases.classification.test(lead) || labelsOf(lead, phrases).length > 1;
  if (lead !== "" && isInstruction(lead, phrases) && below === "" && hasLabels)
    return { instruction: lead, material: rest };
  const quoted = below === "" ? QUOTED.exec(block) : null;
  if (quoted !== null) {
    const around = block.replace(quoted[0], " ");
    if (isInstruction(around, phrases)) return { instruction: around.trim(), material: quoted[1] ?? "" };
  }
  const sentences = block.split("\n").flatMap(splitSentences);
  const asking = new Set(sentences.filter((sentence) => isInstruction(sentence, phrases)));
  const others = below === "" ? sentences.filter((one) => !asking.has(one)) : [];
  if (asking.size === 0) return { instruction: "", material: "" };
  return {
    instruction: [...asking].join(" "),
    material: [others.join(" "), material].filter(Boolean).join("\n"),
  };
}

function isInstruction(text: string, { instruction, classification }: Phrases): boolean {
  const line = text.trim();
  if (line.length > LONGEST_INSTRUCTION) return false;
  if (/[?？]["”’」]?$/.test(line)) return true;
  if (/[:：]$/.test(line) && classification.test(line)) return true;
  return splitSentences(line).some((sentence) => instruction.test(sentence));
}

/** Names of categories need nobody to say that one of them is wanted. */
function labelsAsked(instruction: string, isAsked: boolean, phrases: Phrases): string[] {
  const labels = labelsIn(instruction, phrases);
  const known = labels.filter((label) => categoryOf(label) !== undefined).length;
  return isAsked || known === labels.length ? labels : [];
}

/** The labels of an enumeration such as `as positive, negative or neutral`. */
function labelsIn(instruction: string, phrases: Phrases): string[] {
  const lists = instruction
    .split(/(?<=[.!?。！？])\s*|\n/)
    .map((sentence) => labelsOf(sentence, phrases))
    .filter((labels) => labels.length > 1)
    .sort((left, right) => right.length - left.length);
  return lists[0] ?? [];
}

function labelsOf(sentence: string, { separator, labelLead }: Phrases): string[] {
  if (sentence.length > LONGEST_INSTRUCTION) return [];
  const clause = sentence.replace(/[.!?。！？:：)）]+\s*$/, "");
  const items = clause.split(separator).map((item) => item.trim().replace(/^["'„“]|["'”“]$/g, ""));
  const [first = "", ...others] = items;
  const led = first.replace(labelLead, "");
  const longest = Math.max(...others.slice(0, 2).map((item) => item.split(/\s+/).length), 1);
  // What leads the list in may have no sign of its own.
  const head = led.split(/\s+/).slice(-Math.max(longest, 1)).join(" ");
  const labels = [head, ...others].filter((item) => item !== "");
  const end = labels.findIndex((item) => item.length > LONGEST_LABEL || item.split(/\s+/).length > 3);
  return labels.slice(0, end === -1 ? MOST_LABELS : end);
}
