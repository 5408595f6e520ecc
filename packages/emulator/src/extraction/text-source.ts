import { DAY, dayAt, writeDay } from "../language/calendar.js";
import { findMoments, type Moment } from "../language/find-moments.js";
import { splitSentences } from "../language/split-passages.js";
import { textFeatures } from "../language/text-features.js";
import { findNumbers, type NumberMention } from "./find-numbers.js";
import type { NumberRange } from "./number-range.js";
import { convertUnit, unitWanted } from "./number-units.js";
import { keysOfWords, type PropertyHint } from "./property-hint.js";

const QUOTED =
  /(?<![\p{L}\p{N}])(?:"([^"\n]{1,300})"|[“„]([^"“”„\n]{1,300})[”“"]|[‘‚']([^‘’'\n]{1,300})[’‘'](?![\p{L}\p{N}])|`([^`\n]{1,300})`|«([^«»\n]{1,300})»)|[“„]([^"“”„\n]{1,300})[”“]|[「『《]([^」』》\n]{1,300})[」』》]/gu;
const WORDS_BEFORE = /(?:[\p{L}\p{N}'_-]{1,40}[^\p{L}\p{N}\n.!?;]{1,10}){0,5}$/u;
const WORDS_AFTER = /^(?:[^\p{L}\p{N}\n.!?;,]{1,10}[\p{L}\p{N}'_-]{1,40}){0,4}/u;
const UNITED_BONUS = 1.5;
const UNIT_BONUS = 2;
const LONGEST_TEXT = 100_000;
const MOST_SENTENCES = 100;
/** Characters that may be looked through for one schema, all its properties together. */
const READING_BUDGET = 20_000_000;
const MOST_NODES = 20_000;
const FEWEST_NODES = 200;

/** How a text is read. */
export interface Reading {
  /** Milliseconds since 1970: "tomorrow" is the day after, in UTC. */
  now: number;
  /** The answer in words to what is asked; for properties that want one. */
  answer: () => string;
  /** The text is a request whose arguments are wanted, not material: what it does not say is not made up of it. */
  isRequest?: boolean;
  /** Sizes of the images that came with it, in pixels, the first one first. */
  imageSizes?: readonly { width: number; height: number }[];
}

/** The text that a schema is filled from. Each number in it is used once. */
export class TextSource {
  readonly text: string;
  readonly reading: Reading;
  private used = new Set<unknown>();
  private mentions: NumberMention[] | undefined;
  private said: readonly Moment[] | undefined;
  private timeless: string | undefined;
  private features: { text: string; features: ReadonlyMap<string, number> }[] | undefined;
  private nodes: number;

  constructor(text: string, reading: Reading) {
    this.text = text.slice(0, LONGEST_TEXT);
    this.reading = reading;
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
      const quoted = match
        .slice(1)
        .find((part) => part !== undefined)
        ?.trim();
      if (!quoted || this.used.has(quoted)) continue;
      this.used.add(quoted);
      return quoted;
    }
    return undefined;
  }

  /** Says that a text was taken, so that no other property takes it as a quote or a name. */
  use(text: string): string {
    this.used.add(text);
    return text;
  }

  isUsed(text: string): boolean {
    return this.used.has(text);
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

  /** The days and times in the text, in order. */
  get moments(): readonly Moment[] {
    this.said ??= findMoments(this.text, this.reading.now);
    return this.said;
  }

  /** The text with blanks where it speaks of days and times, which are neither names nor places; as long as the text. */
  get withoutMoments(): string {
    if (this.timeless === undefined) {
      let end = 0;
      const parts: string[] = [];
      for (const moment of this.moments) {
        parts.push(this.text.slice(end, moment.index), " ".repeat(moment.end - moment.index));
        end = moment.end;
      }
      this.timeless = parts.join("") + this.text.slice(end);
    }
    return this.timeless;
  }

  /** Today by the clock, `YYYY-MM-DD`; `ahead` days later where that is given. */
  today(ahead = 0): string {
    return writeDay(dayAt(this.reading.now) + ahead * DAY);
  }

  private get numbers(): readonly NumberMention[] {
    this.mentions ??= findNumbers(this.text, this.moments);
    return this.mentions;
  }

  /** Takes the number that stands nearest to what the property is about, if any does. */
  takeNumberNear(hint: PropertyHint, range: NumberRange): number | undefined {
    let best: { mention: NumberMention; score: number } | undefined;
    for (const mention of this.unused(hint, range)) {
      const score = this.association(mention, hint);
      if (score > (best?.score ?? 0)) best = { mention, score };
    }
    return this.take(best?.mention, hint);
  }

  /**
   * Takes the first number that nothing else took, of those that count nothing else than the property wants; unless
   * it is `needed`, only where number and property leave no doubt.
   */
  takeNextNumber(hint: PropertyHint, range: NumberRange, needed = true): number | undefined {
    const wanted = unitWanted(hint);
    const open = this.unused(hint, range).filter((mention) => {
      const { unit, isMoney, isPercent, isTemperature } = mention;
      const isMeasured = isMoney || isPercent || isTemperature;
      if (isMeasured && (wanted !== undefined || !needed)) return false;
      if (unit === undefined || wanted === unit) return true;
      // Things are counted by many words; what is measured is measured in one of few units.
      if (unit.minutes !== undefined && wanted?.minutes !== undefined) return true;
      return needed && wanted === undefined && unit.id !== "identifier";
    });
    const next = open.find(({ unit }) => unit === undefined) ?? open[0];
    return this.take(next, hint);
  }

  private unused(hint: PropertyHint, { min, max, integer }: NumberRange): NumberMention[] {
    const wanted = unitWanted(hint);
    return this.numbers.filter((mention) => {
      const value = convertUnit(mention.value, mention.unit, wanted);
      return !this.used.has(mention) && value >= min && value <= max && (!integer || Number.isInteger(value));
    });
  }

  private take(mention: NumberMention | undefined, hint: PropertyHint): number | undefined {
    if (mention === undefined) return undefined;
    this.used.add(mention);
    return convertUnit(mention.value, mention.unit, unitWanted(hint));
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
    const { unit } = mention;
    const wanted = unitWanted(hint);
    if (unit !== undefined && wanted !== undefined && unit !== wanted) {
      return unit.minutes !== undefined && wanted.minutes !== undefined ? UNITED_BONUS : 0;
    }
    const counted = unit !== undefined && unit === wanted;
    return near + (united ? UNITED_BONUS : 0) + (counted ? UNIT_BONUS : 0);
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
