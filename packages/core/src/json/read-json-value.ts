export type JSONObject = Record<string, unknown>;

/** Readers of answers whose fields may be missing or of another type: what does not fit is undefined. */
export function readObject(value: unknown): JSONObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JSONObject)
    : undefined;
}

/** Text that is not blank, as it came. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Codes come as strings, and from some routes as numbers. */
export function readCode(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : readText(value);
}

/** A finite number, or text that is one. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
