import { conceptsOfCharacters, conceptsOfStem } from "../language/concept-lexicon.js";
import { stem } from "../language/stem.js";
import { CJK, isStopWord, wordsOf } from "../language/text-features.js";

/** What a property is about, by its name and description. */
export interface PropertyHint {
  /** The name in lower-case words: `firstName` is `first name`. */
  name: string;
  /** Name and description in lower case. */
  all: string;
  /** Stems and concepts of the name. */
  nameKeys: ReadonlySet<string>;
  /** Stems and concepts of name and description. */
  keys: ReadonlySet<string>;
}

export function propertyHint(name: string, description: string): PropertyHint {
  const words = nameInWords(name);
  return {
    name: words,
    all: `${words} ${description}`.toLowerCase(),
    nameKeys: new Set(keysOfWords(words)),
    keys: new Set(keysOfWords(`${words} ${description}`)),
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
