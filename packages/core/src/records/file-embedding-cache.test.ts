import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigurationError } from "../index.js";
import { embeddingCacheContract } from "../testing/embedding-cache-contract.js";
import { FileEmbeddingCache } from "./file-embedding-cache.js";

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "embeddings-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "below", "vectors.cache");
}

function openCache(path: string): FileEmbeddingCache {
  const cache = new FileEmbeddingCache(path);
  onTestFinished(() => cache.close());
  return cache;
}

const key = (number: number) => number.toString(16).padStart(64, "0").split("").reverse().join("");
const vector = (number: number) => Float32Array.of(number, 0.25);
const numbersIn = (found: (Float32Array | undefined)[]) => found.map((value) => value?.[0]);

describe("vectors in a file", () => {
  describe("as in every cache", () => {
    const contract = embeddingCacheContract(
      async () => openCache(await temporaryFile()),
      (cache) => cache.close(),
    );
    for (const { title, run } of contract) it(title, run);
  });

  it("are there for the next process, and for those that run beside it", async () => {
    const path = await temporaryFile();
    const [one, other] = [openCache(path), openCache(path)];
    await Promise.all([one.setMany([[key(1), vector(1)]]), other.setMany([[key(2), vector(2)]])]);
    expect(numbersIn(await other.getMany([key(1), key(2)]))).toEqual([1, 2]);
    await one.setMany([[key(3), vector(3)]]);
    expect(numbersIn(await other.getMany([key(3)]))).toEqual([3]);
    await one.close();
    expect(numbersIn(await openCache(path).getMany([key(1), key(2), key(3)]))).toEqual([1, 2, 3]);
    // One that was closed is opened again.
    expect(numbersIn(await one.getMany([key(2)]))).toEqual([2]);
  });

  it("are whole or not there, wherever the file was cut off, and what comes later is not lost", async () => {
    const path = await temporaryFile();
    const first = openCache(path);
    await first.setMany([[key(1), vector(1)]]);
    await first.setMany([[key(2), vector(2)]]);
    await first.close();
    const whole = await readFile(path);
    const second = whole.lastIndexOf(key(2));
    for (let length = 0; length < whole.length; length++) {
      await writeFile(path, whole.subarray(0, length));
      const cache = new FileEmbeddingCache(path);
      const [one, two] = await cache.getMany([key(1), key(2)]);
      expect(two, `cut at ${length}`).toBeUndefined();
      expect(one?.[0], `cut at ${length}`).toBe(length >= second - 1 ? 1 : undefined);
      await cache.setMany([[key(3), vector(3)]]);
      await cache.close();
      const later = new FileEmbeddingCache(path);
      expect((await later.getMany([key(3)]))[0]?.[0], `cut at ${length}`).toBe(3);
      await later.close();
    }
  });

  it("are not read when a byte of them changed", async () => {
    const path = await temporaryFile();
    const cache = openCache(path);
    await cache.setMany([[key(1), vector(1)]]);
    const whole = await readFile(path);
    const start = whole.indexOf(key(1));
    for (let at = start; at < whole.length - 1; at++) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 1;
      await writeFile(path, changed);
      const reader = new FileEmbeddingCache(path);
      expect((await reader.getMany([key(1)]))[0], `byte ${at}`).toBeUndefined();
      await reader.close();
    }
  });

  it("survive what no record is: zeros, and lines without end", async () => {
    const path = await temporaryFile();
    const cache = openCache(path);
    await cache.setMany([[key(1), vector(1)]]);
    const { size } = await stat(path);
    await truncate(path, size + 4_096);
    await appendFile(path, "x".repeat(3 * 2 ** 20));
    await cache.setMany([[key(2), vector(2)]]);
    expect(numbersIn(await cache.getMany([key(1), key(2)]))).toEqual([1, 2]);
    expect(numbersIn(await openCache(path).getMany([key(1), key(2)]))).toEqual([1, 2]);
  });

  it("go into a file whose beginning a power failure has taken", async () => {
    const path = await temporaryFile();
    await openCache(path).setMany([[key(1), vector(1)]]);
    const whole = await readFile(path);
    await writeFile(path, Buffer.concat([Buffer.alloc(40), whole.subarray(40)]));
    const cache = openCache(path);
    await cache.setMany([[key(2), vector(2)]]);
    expect(numbersIn(await cache.getMany([key(1), key(2)]))).toEqual([undefined, 2]);
  });

  it("are never added to a file that is another's", async () => {
    const path = join(await temporaryFile(), "..", "..", "notes.txt");
    await writeFile(path, "My notes.\n");
    const cache = openCache(path);
    await expect(cache.setMany([[key(1), vector(1)]])).rejects.toThrow(ConfigurationError);
    await expect(cache.getMany([key(1)])).rejects.toThrow(/Nothing was written there/);
    expect(await readFile(path, "utf8")).toBe("My notes.\n");
  });
});
