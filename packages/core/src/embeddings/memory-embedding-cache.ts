import { checkCount } from "../checks/check-numbers.js";
import type { EmbeddingCache } from "./embedding-cache.js";

/** Settings of `memoryEmbeddingCache`. */
export interface MemoryEmbeddingCacheOptions {
  /** Vectors that are kept. Default: as many as fit into `maxBytes`. */
  maxEntries?: number;
  /** What they may take together, in bytes: four for each number, and some for the key. Default 256 MiB. */
  maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 256 * 2 ** 20;
/** Of a key, and of its place in the map. */
const ENTRY_BYTES = 160;

/**
 * Vectors in the memory of this process; what was not used for longest goes first.
 *
 * @throws ConfigurationError when a limit is no whole number
 */
export function memoryEmbeddingCache(options: MemoryEmbeddingCacheOptions = {}): EmbeddingCache {
  const maxEntries = checkCount("maxEntries", options.maxEntries) ?? Number.POSITIVE_INFINITY;
  const maxBytes = checkCount("maxBytes", options.maxBytes) ?? DEFAULT_MAX_BYTES;
  // A map is in the order in which its entries were put in.
  const vectors = new Map<string, Float32Array>();
  let bytes = 0;
  const sizeOf = (vector: Float32Array) => vector.byteLength + ENTRY_BYTES;
  const remove = (key: string) => {
    const vector = vectors.get(key);
    if (vector === undefined) return undefined;
    vectors.delete(key);
    bytes -= sizeOf(vector);
    return vector;
  };
  const add = (key: string, vector: Float32Array) => {
    vectors.set(key, vector);
    bytes += sizeOf(vector);
  };

  return {
    getMany: (keys) =>
      keys.map((key) => {
        const vector = remove(key);
        if (vector !== undefined) add(key, vector);
        return vector?.slice();
      }),
    setMany(entries) {
      for (const [key, vector] of entries) {
        remove(key);
        add(key, vector.slice());
      }
      for (const key of vectors.keys()) {
        if (bytes <= maxBytes && vectors.size <= maxEntries) break;
        remove(key);
      }
    },
  };
}
