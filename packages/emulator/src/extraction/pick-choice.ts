import { indexOfChoice } from "../language/choice-words.js";
import { keysOfWords, nameInWords, type PropertyHint } from "./property-hint.js";

const POSITIVE =
  /\b(?:good|great|love[ds]?|excellent|happy|amazing|awesome|satisfied|recommend|perfect|wonderful|fantastic|best|nice|enjoy(?:ed)?|pleased|thanks?|works? (?:well|perfectly)|delighted|brilliant)\b|好|喜欢|满意|优秀|棒/gi;
const NEGATIVE =
  /\b(?:bad|terrible|hate[ds]?|awful|broken|disappoint(?:ed|ing)|worst|poor|angry|unhappy|horrible|useless|slow|late|damaged|fail(?:ed|s)?|problem|annoy(?:ed|ing)|refund|rude|never again|waste)\b|差|糟|失望|坏|讨厌/gi;
const NEGATED_BEFORE =
  /(?:\bnot|n't|\bno|\bnever|\bwithout|\bexcept|\bnicht|\bkeine?[nrsm]?|\bohne|不(?:要|需要|用|含|带|是|加)?|没有?|无需?|别)\s{0,2}(?:[\p{L}\p{N}]{1,20}\s{1,2}){0,2}$/iu;
const URGENT =
  /\b(?:urgent(?:ly)?|asap|immediately|critical|emergency|right away|as soon as possible)\b|紧急|立刻|马上/i;
const RELAXED = /\b(?:no rush|whenever|low priority|not urgent|some ?day)\b|不急/i;

/** The option of an enumeration that the text speaks of; `found` tells a mention from a guess. */
export function pickChoice(
  options: readonly unknown[],
  text: string,
  hint: PropertyHint,
): { value: unknown; found: boolean } {
  const mentioned = inDirection(mentionedChoices(options, text), text, hint);
  const negatedLess = mentioned.find(
    ({ index }) => !NEGATED_BEFORE.test(text.slice(Math.max(0, index - 30), index)),
  );
  const hit = negatedLess ?? mentioned[0];
  if (hit) return { value: hit.option, found: true };
  const meant = inDirection(meantChoices(options, text), text, hint)[0];
  if (meant) return { value: meant.option, found: true };
  const implied = polarity(options, text) ?? urgency(options, text, hint);
  if (implied !== undefined) return { value: implied, found: true };
  const textKeys = new Set(keysOfWords(text));
  const related = options.find((option) =>
    keysOfWords(nameInWords(String(option))).some((key) => textKeys.has(key)),
  );
  if (related !== undefined) return { value: related, found: true };
  const undecided = options.find((option) =>
    /^(?:other|unknown|none|neutral|medium|normal|general)$/i.test(String(option)),
  );
  return { value: undecided ?? options[0], found: false };
}

/** Of `from a to b`, what the property's own name asks for comes first. */
function inDirection(
  mentioned: { option: unknown; index: number }[],
  text: string,
  { name }: PropertyHint,
): { option: unknown; index: number }[] {
  const before = directionWords(name);
  if (!before) return mentioned;
  const led = mentioned.filter(({ index }) => before.test(text.slice(Math.max(0, index - 20), index)));
  return led.length > 0 ? led : mentioned;
}

/** The words before a value that a property like `from_account` or `target` means; undefined for any other. */
function directionWords(name: string): RegExp | undefined {
  if (/\b(?:from|source|origin)\b/.test(name)) return /\b(?:from|out of)\s+(?:\w+\s+)?$/i;
  if (/\b(?:to|target|destination)\b/.test(name)) return /\b(?:to|into)\s+(?:\w+\s+)?$/i;
  return undefined;
}

/** Every option that stands in the text, in the order of the text. */
export function mentionedChoices(
  options: readonly unknown[],
  text: string,
): { option: unknown; index: number }[] {
  const lower = text.toLowerCase();
  return options
    .map((option) => ({ option, index: indexOfWord(lower, String(option)) }))
    .filter(({ index }) => index >= 0)
    .sort((left, right) => left.index - right.index);
}

/** Options that the text says in other words: of `low`, `cheap`, `günstig` or `便宜`. */
function meantChoices(options: readonly unknown[], text: string): { option: unknown; index: number }[] {
  return options
    .map((option) => {
      const name = nameInWords(String(option));
      // Of two options that mean the same, the one that the text says, too.
      return { option, index: indexOfChoice(text, name), isSaid: text.toLowerCase().includes(name) };
    })
    .filter(({ index }) => index >= 0)
    .sort((left, right) => left.index - right.index || Number(right.isSaid) - Number(left.isSaid));
}

function indexOfWord(lowerText: string, option: string): number {
  for (const spelling of new Set([option.toLowerCase(), nameInWords(option)])) {
    if (spelling === "") continue;
    for (
      let index = lowerText.indexOf(spelling);
      index >= 0;
      index = lowerText.indexOf(spelling, index + 1)
    ) {
      const before = lowerText.charAt(index - 1);
      const after = lowerText.slice(index + spelling.length, index + spelling.length + 1);
      if (!/[a-z\d]/.test(before) && !/[a-z\d]/.test(after)) return index;
    }
  }
  return -1;
}

function polarity(options: readonly unknown[], text: string): unknown {
  const positive = options.find((option) => /^positive$|^pos$|^good$/i.test(String(option)));
  const negative = options.find((option) => /^negative$|^neg$|^bad$/i.test(String(option)));
  if (positive === undefined || negative === undefined) return undefined;
  const balance = countPolar(text, POSITIVE) - countPolar(text, NEGATIVE);
  if (balance === 0) return options.find((option) => /^(?:neutral|mixed)$/i.test(String(option)));
  return balance > 0 ? positive : negative;
}

/** Words of one side; a negated one counts for the other. */
function countPolar(text: string, words: RegExp): number {
  let count = 0;
  for (const match of text.matchAll(words)) {
    count += NEGATED_BEFORE.test(text.slice(Math.max(0, match.index - 24), match.index)) ? -1 : 1;
  }
  return count;
}

function urgency(options: readonly unknown[], text: string, hint: PropertyHint): unknown {
  if (!/priority|urgency|severity|importance/.test(hint.all)) return undefined;
  const wanted = RELAXED.test(text)
    ? [/^low$/i]
    : URGENT.test(text)
      ? [/^urgent$/i, /^critical$/i, /^high$/i]
      : [];
  for (const pattern of wanted) {
    const option = options.find((candidate) => pattern.test(String(candidate)));
    if (option !== undefined) return option;
  }
  return undefined;
}

const SMALL_WORDS =
  /^(?:is|has|have|needs?|should|includes?|allows?|with|requires?|can|was|will|want(?:s|ed)?|add|use)\b/;
const NO_AFTER =
  /^[\s"']{0,3}(?:[:=：]|is|ist|是)?[\s"']{0,3}(?:no|false|off|not|nein|nicht|否|不)(?![\p{L}])/iu;

/** Whether the text says yes to a property, no to it, or nothing. */
export function pickBoolean(text: string, hint: PropertyHint): boolean | undefined {
  for (const label of [...hint.labels, hint.name]) {
    if (!/\p{Script=Han}/u.test(label)) continue;
    const index = text.indexOf(label);
    if (index >= 0) return isAffirmed(text, index, index + label.length);
  }
  const name = hint.name.replace(SMALL_WORDS, "").trim();
  const meant = indexOfChoice(text, name);
  if (meant >= 0) return isAffirmed(text, meant, meant + 1);
  const wanted = new Set([
    ...keysOfWords(name),
    ...hint.labels.flatMap((label) => keysOfWords(label.replace(SMALL_WORDS, ""))),
  ]);
  for (const match of text.matchAll(/[\p{L}\p{N}]{1,40}/gu)) {
    const keys = keysOfWords(match[0]);
    // German joins words: "Frühstücksbuffet" has breakfast.
    const begins = hint.labels.some((label) => label.length > 5 && match[0].toLowerCase().startsWith(label));
    if (!begins && !keys.some((key) => wanted.has(key))) continue;
    return isAffirmed(text, match.index, match.index + match[0].length);
  }
  return undefined;
}

function isAffirmed(text: string, index: number, end: number): boolean {
  const before = text.slice(Math.max(0, index - 30), index);
  return !NEGATED_BEFORE.test(before) && !NO_AFTER.test(text.slice(end, end + 12));
}
