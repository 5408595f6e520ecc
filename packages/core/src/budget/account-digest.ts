const DIGITS = 32;
/** Keys that rotate would be remembered for good. */
const MOST_KNOWN = 1_000;

/** Names accounts of keys: by a digest, so that no store and no message ever holds a key. */
export class AccountDigests {
  readonly #known = new Map<string, string>();

  /** @returns a promise for a key that is seen for the first time */
  of(apiKey: string): string | Promise<string> {
    return this.#known.get(apiKey) ?? this.#digest(apiKey);
  }

  async #digest(apiKey: string): Promise<string> {
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(apiKey));
    const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(apiKey, hex.slice(0, DIGITS));
    return hex.slice(0, DIGITS);
  }
}
