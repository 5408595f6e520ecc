import { describe, expect, it } from "vitest";
import { streamStoreContract } from "../testing/stream-store-contract.js";
import { MemoryStreamStore } from "./memory-stream-store.js";
import type { StreamStore } from "./stream-store.js";
import { StreamStoreFullError } from "./stream-store-full-error.js";

const KEEP_MS = 600_000;
const EVENT = JSON.stringify("x".repeat(1_000));

describe("the memory store of streams, as every store", () => {
  for (const { title, run } of streamStoreContract(() => new MemoryStreamStore())) it(title, run);
});

describe("the memory store of streams", () => {
  it("refuses limits that make no sense", () => {
    expect(() => new MemoryStreamStore({ maxBytes: 0 })).toThrow(/maxBytes of MemoryStreamStore .* not 0/);
    expect(() => new MemoryStreamStore({ maxBytes: Number.NaN })).toThrow(/maxBytes/);
  });

  it("lets finished streams give way, the oldest first, and says that their events are lost", async () => {
    const store: StreamStore = new MemoryStreamStore({ maxBytes: 7_200 });
    for (const key of ["oldest", "older", "new"]) {
      expect(await store.begin(key, key, 1)).toBe(true);
      expect(await store.append(key, key, 1, EVENT)).toBe(true);
      await store.finish(key, key, { outcome: "complete" }, KEEP_MS);
    }
    await store.begin("running", "running", 1);
    expect(await store.append("running", "running", 1, EVENT)).toBe(true);
    expect(await store.read("oldest", 0, KEEP_MS)).toMatchObject({
      events: [],
      count: 0,
      end: { outcome: "lost" },
    });
    expect(await store.begin("oldest", "again", 1)).toBe(false);
    expect((await store.read("older", 0, KEEP_MS))?.events).toEqual([EVENT]);
    expect((await store.read("new", 0, KEEP_MS))?.events).toEqual([EVENT]);
    await store.close();
  });

  it("refuses what there is no room for, and never lets a running stream give way", async () => {
    const store: StreamStore = new MemoryStreamStore({ maxBytes: 3_100 });
    await store.begin("a", "a", 1);
    await store.append("a", "a", 1, EVENT);
    await expect(store.append("a", "a", 2, EVENT + EVENT)).rejects.toThrow(StreamStoreFullError);
    await store.begin("b", "b", 1);
    await expect(store.begin("c", "c", 1)).rejects.toThrow(StreamStoreFullError);
    expect(await store.read("c", 0, KEEP_MS)).toBeUndefined();
    expect((await store.read("a", 0, KEEP_MS))?.events).toEqual([EVENT]);
    await store.finish("b", "b", { outcome: "complete" }, 1);
    await expect.poll(() => store.begin("c", "c", 1).catch(() => false)).toBe(true);
    await store.close();
  });
});
