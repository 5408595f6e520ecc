import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../index.js";
import { embeddingCacheContract } from "../testing/embedding-cache-contract.js";
import { memoryEmbeddingCache } from "./memory-embedding-cache.js";

describe("vectors in memory", () => {
  describe("as in every cache", () => {
    for (const { title, run } of embeddingCacheContract(() => memoryEmbeddingCache())) it(title, run);
  });

  it("go when there are too many, what was not used for longest first", async () => {
    const cache = memoryEmbeddingCache({ maxEntries: 3 });
    const keep = (...keys: string[]) => cache.setMany(keys.map((key) => [key, Float32Array.of(1)]));
    const held = async () => {
      const keys = ["a", "b", "c", "d", "e"];
      const found = await cache.getMany(keys);
      return keys.filter((_, index) => found[index] !== undefined);
    };
    keep("a", "b", "c");
    await cache.getMany(["a"]);
    keep("d");
    expect(await held()).toEqual(["a", "c", "d"]);
    keep("a", "e");
    expect(await held()).toEqual(["a", "d", "e"]);
  });

  it("go when they take too many bytes", async () => {
    const cache = memoryEmbeddingCache({ maxBytes: 10_000 });
    const keys = Array.from({ length: 50 }, (_, index) => String(index));
    for (const key of keys) cache.setMany([[key, new Float32Array(210).fill(1)]]);
    expect((await cache.getMany(keys)).filter((vector) => vector !== undefined)).toHaveLength(10);
    cache.setMany([["huge", new Float32Array(3_000)]]);
    expect((await cache.getMany(["huge"]))[0]).toBeUndefined();
    cache.setMany([["small", Float32Array.of(1)]]);
    expect((await cache.getMany(["small"]))[0]).toEqual(Float32Array.of(1));
  });

  it("refuse a limit that is none", () => {
    expect(() => memoryEmbeddingCache({ maxBytes: -1 })).toThrow(ConfigurationError);
    expect(() => memoryEmbeddingCache({ maxEntries: 1.5 })).toThrow(ConfigurationError);
  });
});
