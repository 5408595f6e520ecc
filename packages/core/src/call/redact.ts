const MASK = "sk-***";
const KEY_PATTERN = /\bsk-[A-Za-z0-9_-]{6,}/g;
/** What lies deeper in an answer is left out: no error message does, and a hostile answer may nest without end. */
const MAX_DEPTH = 64;
const TOO_DEEP = "…";

/** Replaces the client's own key, and anything that has the form of one, wherever a text quotes it. */
export function redactText(text: string, apiKey: string | undefined): string {
  return redactKey(text, apiKey).replace(KEY_PATTERN, MASK);
}

/** Replaces the client's own key only: for what a model wrote, where something else may have the form of a key. */
export function redactKey(text: string, apiKey: string | undefined): string {
  return apiKey !== undefined && apiKey.length > 0 && text.includes(apiKey)
    ? text.replaceAll(apiKey, MASK)
    : text;
}

/** The same for every string inside a JSON value; returns a copy. */
export function redactValue(value: unknown, apiKey: string | undefined, depth = 0): unknown {
  if (typeof value === "string") return redactText(value, apiKey);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, apiKey, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      redactText(name, apiKey),
      redactValue(item, apiKey, depth + 1),
    ]),
  );
}
