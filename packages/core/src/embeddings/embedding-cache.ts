/**
 * Keeps vectors so that no text is paid for twice. Keys tell model, dimensions, the other fields that change a vector, and the
 * text; they are 64 hexadecimal digits and hold nothing that can be read. Keys know nothing of the gateway: give each its own cache,
 * or its own prefix.
 *
 * A cache that fails, hangs or lies hurts no call: that is told once by a warning, and the texts are embedded. What every cache must
 * do is `embeddingCacheContract` of `@model-gateway/core/testing`.
 */
export interface EmbeddingCache {
  /** @returns one entry per key, in their order: undefined for what is not there */
  getMany(
    keys: readonly string[],
  ): ReadonlyArray<Float32Array | undefined> | PromiseLike<ReadonlyArray<Float32Array | undefined>>;
  /** Keeps vectors, also those that are there already. Called as soon as they are paid for. */
  setMany(entries: ReadonlyArray<readonly [key: string, vector: Float32Array]>): void | PromiseLike<void>;
}
