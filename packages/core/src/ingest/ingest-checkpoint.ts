import type { EmbeddingCache } from "../embeddings/embedding-cache.js";

/**
 * What an ingest remembers, so that one that was killed goes on where it was: vectors that are paid for, and notes of what was
 * written and what was refused. What is not kept is paid for again: unlike a cache, one that fails ends the ingest. Keys are 64
 * hexadecimal digits. One ingest at a time may use it.
 */
export interface IngestCheckpoint extends EmbeddingCache {
  /** Comes back when the vectors will outlive the process: only then are they written to their store. */
  setMany(entries: ReadonlyArray<readonly [key: string, vector: Float32Array]>): void | PromiseLike<void>;
  /** @returns one entry per key, in their order: undefined for what was not noted */
  getNotes(
    keys: readonly string[],
  ): ReadonlyArray<string | undefined> | PromiseLike<ReadonlyArray<string | undefined>>;
  /** Comes back when the notes will outlive the process. Keys are none of those of vectors. */
  setNotes(entries: ReadonlyArray<readonly [key: string, note: string]>): void | PromiseLike<void>;
}
