import { foldToAscii } from "./fold-to-ascii.js";

/** A stretch of text that is either spoken or played. */
export interface Run {
  kind: "speech" | "tones";
  /** Printable ASCII for speech; for tones, characters that have no ASCII likeness, with the punctuation between. */
  text: string;
}

// Signs that English has a word for.
const SPOKEN_SIGNS: Record<string, string> = {
  "€": " euros ",
  "£": " pounds ",
  "¥": " yen ",
  "°": " degrees ",
  "½": " one half ",
};

/**
 * Splits text into what an English voice can speak and what it cannot, in order. Spaces and punctuation stay with
 * what they follow; a sign right before a word, such as an opening bracket, goes with the word. A text of nothing
 * but punctuation is played.
 */
export function splitRuns(text: string): Run[] {
  const runs: Run[] = [];
  let between = "";
  for (const character of text.normalize("NFC")) {
    const folded = SPOKEN_SIGNS[character] ?? foldToAscii(character);
    if (folded !== undefined && !/[a-z0-9]/i.test(folded)) {
      between += folded;
      continue;
    }
    const kind = folded === undefined ? "tones" : "speech";
    let run = runs.at(-1);
    if (run?.kind !== kind) {
      const split = run ? between.lastIndexOf(" ") + 1 || between.length : 0;
      if (run) run.text += between.slice(0, split);
      run = { kind, text: "" };
      runs.push(run);
      between = between.slice(split);
    }
    run.text += between + (folded ?? character);
    between = "";
  }
  const last = runs.at(-1);
  if (last) last.text += between;
  else if (between.trim() !== "") runs.push({ kind: "tones", text: between });
  return runs;
}
