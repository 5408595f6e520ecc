import { expect, test } from "vitest";
import { ResultCache } from "./result-cache.js";

function cacheOf(maxBytes: number) {
  const made: string[] = [];
  const cache = new ResultCache<string>({ maxBytes, sizeOf: (result) => result.length });
  const get = (key: string) =>
    cache.get(key, async () => {
      made.push(key);
      return key;
    });
  return { cache, get, made };
}

test("makes a result once, also while it is still being made", async () => {
  const { get, made } = cacheOf(100);
  expect(await Promise.all([get("a"), get("a")])).toEqual(["a", "a"]);
  expect(await get("a")).toBe("a");
  expect(made).toEqual(["a"]);
});

test("drops the least recently used results beyond its size", async () => {
  const { get, made } = cacheOf(12);
  await get("aaa");
  await get("bbb");
  await get("aaa");
  await get("ccc");
  await get("aaa");
  await get("bbb");
  expect(made).toEqual(["aaa", "bbb", "ccc", "bbb"]);
});

test("hands out a result that is larger than the cache, without keeping it", async () => {
  const { get, made } = cacheOf(5);
  expect(await get("large")).toBe("large");
  await get("large");
  expect(made).toEqual(["large", "large"]);
});

test("forgets failed work", async () => {
  const { cache, get } = cacheOf(100);
  await expect(cache.get("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await get("a")).toBe("a");
});

test("makes everything anew after it was cleared, also what was under way then", async () => {
  const { cache, get, made } = cacheOf(1);
  const underWay = get("a");
  cache.clear();
  await underWay;
  await get("a");
  expect(made).toEqual(["a", "a"]);
});
