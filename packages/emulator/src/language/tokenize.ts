// One token per CJK character, per piece of a word with its leading space, per few digits and per sign.
const TOKEN =
  /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]| ?[\p{L}\p{M}]{1,6}|[\p{L}\p{M}]{1,6}| ?\p{N}{1,3}|\s+|[^\p{L}\p{M}\p{N}\s]/gu;

/** The text in tokens of the local models; joined, they are the text again. */
export function tokenize(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** How many tokens the text has, without keeping them. */
export function countTokens(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(TOKEN)) count += 1;
  return count;
}
