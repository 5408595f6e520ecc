/**
 * Remembers the results of the latest work by key, up to a number of bytes, keys included. Work that is still going
 * on is shared by all who ask for the same key; work that fails is forgotten.
 */
export class ResultCache<Result> {
  readonly #maxBytes: number;
  readonly #sizeOf: (result: Result) => number;
  readonly #results = new Map<string, { promise: Promise<Result>; bytes: number }>();
  #bytes = 0;

  constructor(options: { maxBytes: number; sizeOf: (result: Result) => number }) {
    this.#maxBytes = options.maxBytes;
    this.#sizeOf = options.sizeOf;
  }

  /** The result for `key`, made by `create` unless it is known. */
  get(key: string, create: () => Promise<Result>): Promise<Result> {
    const known = this.#results.get(key);
    const entry = known ?? { promise: create(), bytes: 0 };
    // A map keeps the order of insertion, so the least recently used key is the first.
    this.#results.delete(key);
    this.#results.set(key, entry);
    if (!known) {
      entry.promise.then(
        (result) => this.#account(key, entry, key.length + this.#sizeOf(result)),
        () => this.#forget(key, entry),
      );
    }
    return entry.promise;
  }

  clear(): void {
    this.#results.clear();
    this.#bytes = 0;
  }

  #account(key: string, entry: { bytes: number }, bytes: number): void {
    if (this.#results.get(key) !== entry) return;
    entry.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldestKey, oldest] of this.#results) {
      if (this.#bytes <= this.#maxBytes) return;
      // Unfinished work counts nothing yet, and others may be waiting for it.
      if (oldest.bytes > 0) this.#forget(oldestKey, oldest);
    }
  }

  #forget(key: string, entry: { bytes: number }): void {
    if (this.#results.get(key) !== entry) return;
    this.#results.delete(key);
    this.#bytes -= entry.bytes;
  }
}
