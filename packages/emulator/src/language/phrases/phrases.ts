import type { Language } from "../detect-language.js";
import { CHINESE } from "./chinese.js";
import { ENGLISH } from "./english.js";
import { GERMAN } from "./german.js";

/** How one asks in a language, and how the local models answer in it. Patterns are for one sentence. */
export interface Phrases {
  /** The sentence tells what to do, and is no material. */
  instruction: RegExp;
  /** Asks for the gist of a text. */
  summary: RegExp;
  /** `in two sentences`; the first group is how many. */
  sentences: RegExp;
  /** `three bullet points`, `as a list`, each time it is said; the first group is how many, where it is told. */
  bullets: RegExp;
  /** One of several labels is the whole answer. */
  classification: RegExp;
  /** Yes or no is. */
  yesOrNo: RegExp;
  /** What leads a list of labels in, at its end. */
  labelLead: RegExp;
  /** Parts of an enumeration. */
  separator: RegExp;
  /** Where a question that asks for two things is cut. */
  conjunction: RegExp;
  /** `the last one`, by where it stands from the front, or from the back when negative. */
  ordinals: readonly (readonly [pattern: RegExp, position: number])[];
  /** Stands for what was spoken of before. */
  pronoun: RegExp;
  /** Words of a question that are no part of what is asked. */
  questionWords: RegExp;
  numbers: Readonly<Record<string, number>>;
  /** The whole message is no more than this. */
  greeting: RegExp;
  thanks: RegExp;
  identity: RegExp;
  greetings: readonly string[];
  welcome: string;
  introduction: string;
  yes: string;
  no: string;
  notInContext: (asked: string) => string;
  unknown: (asked: string) => string;
  heard: (said: string) => string;
}

export const PHRASES: Readonly<Record<Language, Phrases>> = { en: ENGLISH, de: GERMAN, zh: CHINESE };
