/** An id written as a number that JavaScript would round. Strings of JSON escape their quotes, so none can look like it. */
const LARGE_ID = /("[^"\\]*id"\s{0,8}:\s{0,8})(-?\d{16,})(?=\s{0,8}[,}])/gi;

/**
 * Parses an answer. Numeric ids that JavaScript cannot hold stay exact, as text: rounded, they would name another task, and
 * a paid one could never be read again.
 */
export function parseJSON(text: string): unknown {
  const mayHold = text.length <= MAX_LENGTH && LARGE_ID_HINT.test(text);
  return JSON.parse(mayHold ? text.replace(LARGE_ID, quoteLarge) : text);
}

/** Longer answers are vectors and pictures, and none that are named by an id. */
const MAX_LENGTH = 2 ** 20;

/** Cheap enough to ask for every answer. */
const LARGE_ID_HINT = /id"\s{0,8}:\s{0,8}-?\d{16}/i;

function quoteLarge(match: string, name: string, digits: string): string {
  return Number.isSafeInteger(Number(digits)) ? match : `${name}"${digits}"`;
}
