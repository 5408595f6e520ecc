import assert from "node:assert/strict";
import type { EmbeddingCache } from "../embeddings/embedding-cache.js";
import type { StoreContractCase } from "./store-contract-case.js";

/** Whether a vector comes back at once is another question for a cache that may forget: these are few and small. */
const MANY = 300;

/**
 * What calls rely on, for each cache that vectors are to be kept in.
 *
 * @param createCache makes a new one. In a shared one keys are those of earlier cases: each case has its own.
 * @param close what is to be done with it afterwards
 * @example
 * for (const { title, run } of embeddingCacheContract(() => new MyCache())) it(title, run);
 */
export function embeddingCacheContract<C extends EmbeddingCache>(
  createCache: () => C | Promise<C>,
  close: (cache: C) => unknown = () => {},
): StoreContractCase[] {
  let cases = 0;
  const withCache = (
    title: string,
    run: (cache: C, key: (number: number) => string) => Promise<void>,
  ): StoreContractCase => {
    const place = cases++;
    return {
      title,
      async run() {
        const cache = await createCache();
        const digits = (value: number, length: number) => value.toString(16).padStart(length, "0");
        try {
          await run(cache, (number) => digits(number, 8) + digits(place, 8) + digits(0, 48));
        } finally {
          await close(cache);
        }
      },
    };
  };
  const vectorOf = (...values: number[]) => Float32Array.from(values);

  return [
    withCache("knows nothing of a key that nobody kept", async (cache, key) => {
      assert.deepEqual([...(await cache.getMany([key(1), key(2)]))], [undefined, undefined]);
      assert.deepEqual([...(await cache.getMany([]))], []);
    }),
    withCache("gives back every number as it was", async (cache, key) => {
      const extremes = vectorOf(0.1, -0, 3.4028234663852886e38, -1.401298464324817e-45, 1 / 3, 1);
      const long = Float32Array.from({ length: 4_096 }, (_, index) => Math.sin(index));
      await cache.setMany([
        [key(1), extremes],
        [key(2), long],
      ]);
      const [first, second] = await cache.getMany([key(1), key(2)]);
      assert.ok(first instanceof Float32Array && second instanceof Float32Array);
      assert.deepEqual([...first], [...extremes]);
      assert.deepEqual([...second], [...long]);
    }),
    withCache("answers in the order of the keys, also those asked for twice", async (cache, key) => {
      const entries = Array.from(
        { length: MANY },
        (_, number) => [key(number), vectorOf(number, number + 0.5)] as const,
      );
      await cache.setMany(entries);
      const asked = [MANY - 1, 0, MANY, 7, 7, 1];
      const found = await cache.getMany(asked.map(key));
      assert.deepEqual(
        found.map((vector) => vector?.[0]),
        [MANY - 1, 0, undefined, 7, 7, 1],
      );
      const all = await cache.getMany(entries.map(([name]) => name));
      assert.deepEqual(
        all.map((vector) => vector?.[1]),
        entries.map(([, vector]) => vector[1]),
      );
    }),
    withCache("keeps what was kept last", async (cache, key) => {
      await cache.setMany([[key(1), vectorOf(1)]]);
      await cache.setMany([
        [key(1), vectorOf(2, 3)],
        [key(2), vectorOf(4)],
      ]);
      const found = await cache.getMany([key(1), key(2)]);
      assert.deepEqual(
        found.map((vector) => vector && [...vector]),
        [[2, 3], [4]],
      );
    }),
    withCache("keeps vectors of its own", async (cache, key) => {
      const given = vectorOf(1, 2);
      await cache.setMany([[key(1), given]]);
      given.fill(9);
      const [taken] = await cache.getMany([key(1)]);
      taken?.fill(8);
      const [again] = await cache.getMany([key(1)]);
      assert.deepEqual(again && [...again], [1, 2]);
    }),
    withCache("is used by many at once", async (cache, key) => {
      const work = Array.from({ length: 20 }, async (_, number) => {
        await cache.setMany([[key(number), vectorOf(number)]]);
        const [found] = await cache.getMany([key(number)]);
        assert.equal(found?.[0], number);
      });
      await Promise.all(work);
    }),
  ];
}
