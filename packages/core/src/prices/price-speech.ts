import { exactly } from "./price-range.js";
import { MILLION, type PricedKind } from "./priced-kind.js";

/** Speech: the characters of its text, which nobody has to tell. */
export const SPEECH: PricedKind = {
  amountOf: (price, { body }) => SPEECH.estimate(price, body)?.upper,
  estimate({ characters, request }, { input }) {
    if (characters === undefined) return request === undefined ? undefined : exactly(request);
    if (typeof input !== "string") return undefined;
    return exactly((request ?? 0) + (countCharacters(input) / MILLION) * characters);
  },
};

/** A character outside the basic plane is one, and two units of text. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
