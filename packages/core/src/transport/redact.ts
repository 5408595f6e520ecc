const MASK = "sk-***";
const KEY_PATTERN = /\bsk-[A-Za-z0-9_-]{6,}/g;

/** Replaces the client's own key, and anything that has the form of one, wherever a text quotes it. */
export function redactText(text: string, apiKey: string | undefined): string {
  const withoutKey = apiKey !== undefined && apiKey.length > 0 ? text.replaceAll(apiKey, MASK) : text;
  return withoutKey.replace(KEY_PATTERN, MASK);
}

/** The same for every string inside a JSON value; returns a copy. */
export function redactValue(value: unknown, apiKey: string | undefined): unknown {
  if (typeof value === "string") return redactText(value, apiKey);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, apiKey));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redactText(name, apiKey), redactValue(item, apiKey)]),
  );
}
