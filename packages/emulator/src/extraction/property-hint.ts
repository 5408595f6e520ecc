import { conceptsOfCharacters, conceptsOfStem } from "../language/concept-lexicon.js";
import { meaningOfName } from "../language/property-words.js";
import { stem } from "../language/stem.js";
import { CJK, isStopWord, wordsOf } from "../language/text-features.js";

/** What a property is about, by its name and description. */
export interface PropertyHint {
  /** The name in lower-case words: `firstName` is `first name`. Names in German and Chinese are put into English. */
  name: string;
  /** Name, in what language it is, and description in lower case. */
  all: string;
  /** What texts may call it, in lower case: its own name first. */
  labels: readonly string[];
  /** Stems and concepts of the name. */
  nameKeys: ReadonlySet<string>;
  /** Stems and concepts of name and description. */
  keys: ReadonlySet<string>;
}

export function propertyHint(name: string, description: string): PropertyHint {
  const words = nameInWords(name);
  const { meaning, labels } = meaningOfName(words);
  return {
    name: meaning,
    all: `${meaning} ${words === meaning ? "" : words} ${description}`.toLowerCase(),
    labels: [...new Set([words, ...labels])],
    nameKeys: new Set([...keysOfWords(words), ...keysOfWords(meaning)]),
    keys: new Set(keysOfWords(`${words} ${meaning} ${description}`)),
  };
}

export function nameInWords(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_\-.]+/g, " ")
    .toLowerCase()
    .trim();
}

/** Stems and concepts of the content words of a text. */
export function keysOfWords(text: string): string[] {
  return wordsOf(text).flatMap((word) => {
    if (CJK.test(word)) return conceptsOfCharacters(word).map((concept) => `k:${concept}`);
    if (isStopWord(word)) return [];
    const wordStem = stem(word);
    return [`w:${wordStem}`, ...conceptsOfStem(wordStem).map((concept) => `k:${concept}`)];
  });
}
