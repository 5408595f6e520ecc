import { onAbort } from "../call/abort-signal.js";
import { describeThrown } from "../hooks/observer.js";
import type { EmbeddingCache } from "./embedding-cache.js";

/** A large file takes a while to be read for the first time; what takes longer than a request is no help. */
const ANSWER_WITHIN_MS = 60_000;

/** Those that were told of: a cache that is away fails with every call. */
const reported = new WeakSet<EmbeddingCache>();

/** A cache as calls use it: whatever it does, they go on. */
export class GuardedCache {
  readonly #cache: EmbeddingCache;
  readonly #warn: (text: string) => void;
  readonly #signal: AbortSignal | undefined;

  constructor(cache: EmbeddingCache, warn: (text: string) => void, signal: AbortSignal | undefined) {
    this.#cache = cache;
    this.#warn = warn;
    this.#signal = signal;
  }

  /** @returns vectors that can be right: of numbers, and of one length */
  async read(keys: readonly string[]): Promise<ReadonlyArray<Float32Array | undefined>> {
    if (keys.length === 0) return [];
    const found = await this.#ask(async () => {
      const answer: unknown = await this.#cache.getMany(keys);
      if (Array.isArray(answer) && answer.length === keys.length) return answer as unknown[];
      throw new Error(`it did not answer with one entry for each of ${keys.length} keys`);
    });
    if (found === undefined) return keys.map(() => undefined);
    const vectors = found.map((entry) => (isVector(entry) ? entry : undefined));
    if (found.some((entry, index) => entry !== undefined && vectors[index] === undefined))
      this.distrust(new Error("it holds what is no vector"));
    const lengths = new Set(vectors.flatMap((vector) => vector?.length ?? []));
    if (lengths.size < 2) return vectors;
    // At most one of them is right, and nobody can say which.
    this.distrust(new Error("it holds vectors of different lengths"));
    return keys.map(() => undefined);
  }

  async write(entries: ReadonlyArray<readonly [string, Float32Array]>): Promise<void> {
    if (entries.length > 0) await this.#ask(async () => this.#cache.setMany(entries));
  }

  /** Says once that the cache is no help. */
  distrust(error: unknown): void {
    if (reported.has(this.#cache)) return;
    reported.add(this.#cache);
    this.#warn(
      `Model Gateway: the cache of embeddings failed, so texts are embedded and paid for that it may hold: ${describeThrown(error)}`,
    );
  }

  /** @returns undefined when the cache failed, took too long, or nobody waits for it any more */
  async #ask<T>(work: () => Promise<T>): Promise<T | undefined> {
    let stop = () => {};
    const stopped = new Promise<undefined>((resolve, reject) => {
      const late = () => reject(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`));
      const timer = setTimeout(late, ANSWER_WITHIN_MS);
      const unlink = onAbort(this.#signal, () => resolve(undefined));
      if (this.#signal?.aborted) resolve(undefined);
      stop = () => {
        clearTimeout(timer);
        unlink();
      };
    });
    try {
      return await Promise.race([work(), stopped]);
    } catch (error) {
      this.distrust(error);
      return undefined;
    } finally {
      stop();
    }
  }
}

function isVector(value: unknown): value is Float32Array {
  return value instanceof Float32Array && value.length > 0 && value.every(Number.isFinite);
}
