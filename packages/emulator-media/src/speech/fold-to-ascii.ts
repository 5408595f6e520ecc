// What Unicode's own compatibility decomposition leaves outside ASCII although everybody reads it as ASCII.
const LOOKALIKES: Record<string, string> = {
  "‐": "-",
  "‑": "-",
  "–": "-",
  "—": "-",
  "−": "-",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "×": "x",
  "•": "*",
  "·": "-",
  ß: "ss",
  æ: "ae",
  ø: "o",
  "、": ",",
  "。": ".",
};

/**
 * What a character reads as in printable ASCII: accented letters lose their accents, typographic signs become their
 * likeness, any white space becomes a space, and what has no picture of its own becomes nothing. `undefined` for
 * everything else (Chinese, emoji, …).
 */
export function foldToAscii(character: string): string | undefined {
  if (isPrintable(character)) return character;
  if (/^\s$/u.test(character)) return " ";
  // Marks, joiners and control characters have no picture of their own.
  if (/^[\p{M}\p{Cf}\p{Cc}]$/u.test(character)) return "";
  const folded = LOOKALIKES[character] ?? character.normalize("NFKD").replace(/\p{M}/gu, "");
  return isPrintable(folded) ? folded : undefined;
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text);
}
