import { remembered } from "./remembered.js";

/** Many times what a prompt has; a name is a word as well. */
const MOST_WORDS = 10_000;

/** Cuts a lower-case English word to a stem that its forms share; the stem need not be a word. */
export const stem = remembered(cut, MOST_WORDS);

function cut(word: string): string {
  if (word.length <= 3) return word;
  let result = word
    .replace(/ies$/, "y")
    .replace(/(ss|sh|ch|x|z)es$/, "$1")
    .replace(/([^su])s$/, "$1");
  if (result.length > 4) {
    result = result
      .replace(/ational$/, "ate")
      .replace(/([^aeiou]|[aeiou]{2})ied$/, "$1y")
      .replace(
        /(?<=.{3})(ingly|edly|ing|ed|ly|ment|ness|ation|ition|sion|tion|able|ible|ive|ance|ence|er|or|al|ful)$/,
        "",
      );
  }
  return result
    .replace(/([bdfgmnprt])\1$/, "$1")
    .replace(/(?<=.{2})[ey]$/, "")
    .replace(/(?<=.{2})i$/, "");
}
