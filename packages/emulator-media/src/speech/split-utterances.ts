// The synthesiser's time and memory grow with the square of an utterance's length.
const MAX_CHARACTERS = 240;
const ENOUGH_CHARACTERS = 80;

// Longer than any word that is spoken as one.
const MAX_WORD_CHARACTERS = 40;

/** Cuts printable ASCII text into utterances of moderate length, at the ends of sentences where there are any. */
export function splitUtterances(text: string): string[] {
  const words = text
    .split(/\s+/)
    .filter((word) => word !== "")
    .flatMap((word) => word.match(new RegExp(`.{1,${MAX_WORD_CHARACTERS}}`, "g")) ?? []);
  const utterances: string[] = [];
  let utterance = "";
  for (const word of words) {
    const sentenceEnded = /[.!?;:]["')\]]*$/.test(utterance) && utterance.length >= ENOUGH_CHARACTERS;
    if (utterance && (sentenceEnded || utterance.length + 1 + word.length > MAX_CHARACTERS)) {
      utterances.push(utterance);
      utterance = "";
    }
    utterance += utterance ? ` ${word}` : word;
  }
  return utterance ? [...utterances, utterance] : utterances;
}
