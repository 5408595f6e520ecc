import { splitSentences } from "../language/split-passages.js";
import { textFeatures } from "../language/text-features.js";
import { findNumbers, type NumberMention } from "./find-numbers.js";
import type { NumberRange } from "./number-range.js";
import { keysOfWords, type PropertyHint } from "./property-hint.js";

const QUOTED = /(?<![\p{L}\p{N}])["“‘'`]([^"”’'`\n]{1,300})["”’'`](?![\p{L}\p{N}])|「([^」]{1,300})」/gu;
const WORDS_BEFORE = /(?:[\p{L}\p{N}'_-]+[^\p{L}\p{N}\n.!?;]+){0,5}$/u;
const WORDS_AFTER = /^(?:[^\p{L}\p{N}\n.!?;,]+[\p{L}\p{N}'_-]+){0,4}/u;
const UNITED_BONUS = 1.5;
const LONGEST_TEXT = 100_000;
const MOST_SENTENCES = 100;
/** Characters that may be looked through for one schema, all its properties together. */
const READING_BUDGET = 20_000_000;
const MOST_NODES = 20_000;
const FEWEST_NODES = 200;

/** The text that a schema is filled from. Each number in it is used once. */
export class TextSource {
  readonly text: string;
  /** The answer in words to what is asked; for properties that want one. */
  readonly answer: () => string;
  private used = new Set<unknown>();
  private mentions: NumberMention[] | undefined;
  private features: { text: string; features: ReadonlyMap<string, number> }[] | undefined;
  private nodes: number;

  constructor(text: string, answer: () => string) {
    this.text = text.slice(0, LONGEST_TEXT);
    this.answer = answer;
    this.nodes = Math.min(MOST_NODES, Math.max(FEWEST_NODES, READING_BUDGET / (1 + this.text.length)));
  }

  /** Whether another part of a schema may still be worked on: schemas can ask for more than anyone wants. */
  spend(): boolean {
    this.nodes -= 1;
    return this.nodes >= 0;
  }

  /** Runs an attempt; what it took is given back, for the next attempt to take. */
  attempt<T>(run: () => T): T {
    const before = new Set(this.used);
    const result = run();
    this.used = before;
    return result;
  }

  /** Takes the first quoted text that nothing else took. */
  takeQuoted(): string | undefined {
    for (const match of this.text.matchAll(QUOTED)) {
      const quoted = (match[1] ?? match[2])?.trim();
      if (!quoted || this.used.has(quoted)) continue;
      this.used.add(quoted);
      return quoted;
    }
    return undefined;
  }

  /** The first sentences of the text with their features. */
  get sentences(): readonly { text: string; features: ReadonlyMap<string, number> }[] {
    this.features ??= this.text
      .split("\n")
      .flatMap(splitSentences)
      .slice(0, MOST_SENTENCES)
      .map((text) => ({ text, features: textFeatures(text) }));
    return this.features;
  }

  private get numbers(): readonly NumberMention[] {
    this.mentions ??= findNumbers(this.text);
    return this.mentions;
  }

  /** Takes the number that stands nearest to what the property is about, if any does. */
  takeNumberNear(hint: PropertyHint, range: NumberRange): number | undefined {
    let best: { mention: NumberMention; score: number } | undefined;
    for (const mention of this.unused(range)) {
      const score = this.association(mention, hint);
      if (score > (best?.score ?? 0)) best = { mention, score };
    }
    return this.take(best?.mention);
  }

  /** Takes the first number that nothing else took. */
  takeNextNumber(range: NumberRange): number | undefined {
    return this.take(this.unused(range)[0]);
  }

  private unused({ min, max, integer }: NumberRange): NumberMention[] {
    return this.numbers.filter(
      (mention) =>
        !this.used.has(mention) &&
        mention.value >= min &&
        mention.value <= max &&
        (!integer || Number.isInteger(mention.value)),
    );
  }

  private take(mention: NumberMention | undefined): number | undefined {
    if (mention) this.used.add(mention);
    return mention?.value;
  }

  private association(mention: NumberMention, hint: PropertyHint): number {
    const before =
      WORDS_BEFORE.exec(this.text.slice(Math.max(0, mention.index - 60), mention.index))?.[0] ?? "";
    const after = WORDS_AFTER.exec(this.text.slice(mention.end, mention.end + 50))?.[0] ?? "";
    const near = closeness(keysInOrder(before).reverse(), hint) + 1.2 * closeness(keysInOrder(after), hint);
    const { all } = hint;
    const united =
      (mention.isMoney &&
        /price|cost|amount|fee|total|budget|money|salary|balance|payment|价|金额|费/.test(all)) ||
      (mention.isPercent && /percent|rate|ratio|discount|share/.test(all)) ||
      (mention.isTemperature && /temperature|degrees|celsius|fahrenheit/.test(all)) ||
      (/\byear\b/.test(hint.name) && mention.value >= 1_500 && mention.value <= 2_200);
    return near + (united ? UNITED_BONUS : 0);
  }
}

/** The keys of each word, nearest first. */
function keysInOrder(text: string): string[][] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).map(keysOfWords);
}

function closeness(words: readonly string[][], hint: PropertyHint): number {
  let sum = 0;
  for (const [distance, keys] of words.entries()) {
    const weight = keys.some((key) => hint.nameKeys.has(key))
      ? 1
      : keys.some((key) => hint.keys.has(key))
        ? 0.5
        : 0;
    sum += weight / (1 + 0.3 * distance);
  }
  return sum;
}
