import type { EmbeddingCache } from "../embeddings/embedding-cache.js";
import type { IngestCheckpoint } from "./ingest-checkpoint.js";

/**
 * The checkpoint as a cache, before that of the caller. A cache may fail; of a checkpoint that fails the ingest has to hear, before
 * more is paid for.
 */
export class CheckpointedCache implements EmbeddingCache {
  readonly #checkpoint: IngestCheckpoint;
  readonly #cache: EmbeddingCache | undefined;
  readonly #onFailure: (error: unknown) => void;
  readonly #unsaved = new Set<Promise<void>>();

  constructor(
    checkpoint: IngestCheckpoint,
    cache: EmbeddingCache | undefined,
    onFailure: (error: unknown) => void,
  ) {
    this.#checkpoint = checkpoint;
    this.#cache = cache;
    this.#onFailure = onFailure;
  }

  async getMany(keys: readonly string[]): Promise<ReadonlyArray<Float32Array | undefined>> {
    const kept = await this.#attend(async () => this.#checkpoint.getMany(keys));
    const missing = keys.filter((_key, index) => kept[index] === undefined);
    if (this.#cache === undefined || missing.length === 0) return kept;
    const found = await this.#cache.getMany(missing);
    const entries = missing.flatMap((key, index) => {
      const vector = found[index];
      return vector === undefined ? [] : [[key, vector] as const];
    });
    const byKey = new Map(entries);
    return keys.map((key, index) => kept[index] ?? byKey.get(key));
  }

  async setMany(entries: ReadonlyArray<readonly [key: string, vector: Float32Array]>): Promise<void> {
    const saving = this.#attend(async () => this.#checkpoint.setMany(entries));
    this.#unsaved.add(saving);
    try {
      await saving;
    } finally {
      this.#unsaved.delete(saving);
    }
    await this.#cache?.setMany(entries);
  }

  /** Calls do not wait for a cache for ever; what is not saved yet is not to be written anywhere else. */
  async saved(): Promise<void> {
    await Promise.all(this.#unsaved);
  }

  async #attend<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#onFailure(error);
      throw error;
    }
  }
}
