import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startEmbeddingServer, vectorOf } from "../../test/embedding-server.js";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import {
  APIError,
  BadRequestError,
  ConfigurationError,
  InvalidRequestError,
  memoryEmbeddingCache,
} from "../index.js";
import { priceBook } from "../prices.js";
import type { IngestCheckpoint } from "./ingest-checkpoint.js";
import { ingestTexts } from "./ingest-texts.js";
import type { IngestCounts, IngestedText, IngestItem } from "./ingest-types.js";
import { memoryIngestCheckpoint } from "./memory-ingest-checkpoint.js";

const NOTHING: IngestCounts = {
  ...{ items: 0, written: 0, unchanged: 0, embedded: 0, fromCache: 0, duplicates: 0, invalid: 0, tokens: 0 },
};
const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `text ${from + index}`);
const items = (list: readonly string[]): IngestItem[] => list.map((text) => ({ text }));
const mostPaid = (paid: Map<string, number>) => Math.max(0, ...paid.values());
const rounded = (text: string) => vectorOf(text).map(Math.fround);

/** A store of vectors that counts what it is given. */
function createStore() {
  const vectors = new Map<string, number[]>();
  const batches: IngestedText<IngestItem>[][] = [];
  const write = async (batch: ReadonlyArray<IngestedText<IngestItem>>) => {
    batches.push([...batch]);
    for (const { id, vector } of batch) vectors.set(id, vector);
  };
  return { vectors, batches, write, order: () => batches.flat().map(({ item }) => item.text) };
}

describe("ingestTexts", () => {
  it("writes every text with its vector, in the order of the source", async () => {
    const server = await startEmbeddingServer();
    const store = createStore();
    const progress: number[] = [];
    async function* source() {
      for (const text of texts(500)) yield { text, id: `id of ${text}`, page: text.length };
    }
    const counts = await ingestTexts(gatewayFor(server.url), source(), {
      ...{ model: "m", checkpoint: memoryIngestCheckpoint() },
      write: (batch) => store.write(batch.filter(({ item }) => item.page > 0)),
      onProgress: ({ written }) => progress.push(written),
    });
    expect(counts).toEqual({ ...NOTHING, items: 500, written: 500, embedded: 500, tokens: 500 });
    expect(store.order()).toEqual(texts(500));
    expect(store.vectors.get("id of text 77")).toEqual(rounded("text 77"));
    expect([server.paid.size, mostPaid(server.paid), server.requests.length]).toEqual([500, 1, 8]);
    expect(progress).toEqual([64, 128, 192, 256, 320, 384, 448, 500]);
  });

  it("pays once for texts that occur again, near and far, and names items without a name for ever", async () => {
    const server = await startEmbeddingServer();
    const list = texts(700).map((text, index) => (index % 10 < 3 ? `text ${index % 7}` : text));
    const distinct = new Set(list).size;
    const ingest = async (source: IngestItem[]) => {
      const store = createStore();
      const counts = await ingestTexts(gatewayFor(server.url), source, {
        ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: store.write, batchSize: 16 },
      });
      return { counts, store };
    };
    const { counts, store } = await ingest(list.map((text, index) => ({ text, id: String(index) })));
    const duplicates = 700 - distinct;
    expect(counts).toEqual({
      ...NOTHING,
      items: 700,
      written: 700,
      embedded: distinct,
      duplicates,
      tokens: distinct,
    });
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([distinct, 1]);
    expect(store.order()).toEqual(list);
    // Who changes one vector changes no other.
    const [first] = store.batches;
    first?.[3]?.vector.fill(9);
    expect(first?.filter(({ item }) => item.text === "text 3").at(-1)?.vector).toEqual(rounded("text 3"));

    // Without names those of one text are one item.
    const { counts: unnamed, store: one } = await ingest(items(list));
    expect(unnamed).toMatchObject({ items: 700, written: distinct, duplicates });
    expect(one.order()).toEqual([...new Set(list)]);
    const ids = [...one.vectors.keys()];
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
    expect([...(await ingest(items(list))).store.vectors.keys()]).toEqual(ids);
  });

  it("calls nobody and writes nothing when nothing has changed, and only what has", async () => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => text === "bad" });
    const checkpoint = memoryIngestCheckpoint();
    const gateway = gatewayFor(server.url);
    const list = [...texts(300), "bad"];
    const run = async (source: IngestItem[], model = "m") => {
      const store = createStore();
      const invalid: string[] = [];
      const before = server.requests.length;
      const counts = await ingestTexts(gateway, source, {
        ...{ model, checkpoint, write: store.write },
        onInvalid: ({ item, reason }) => invalid.push(`${item.text}: ${reason}`),
      });
      return { counts, invalid, written: store.order(), calls: server.requests.length - before };
    };
    const first = await run(items(list));
    expect(first.counts).toMatchObject({
      items: 301,
      written: 300,
      embedded: 300,
      invalid: 1,
    });
    const second = await run(items(list));
    expect(second).toMatchObject({ written: [], calls: 0, invalid: first.invalid });
    expect(second.counts).toEqual({ ...NOTHING, items: 301, unchanged: 300, invalid: 1 });
    expect(first.invalid).toEqual([expect.stringMatching(/^bad: 400 .*a text is too long/)]);

    const named = (text: string) => ({ id: "page", text });
    expect((await run([named("text 7")])).counts).toMatchObject({ written: 1, embedded: 0, fromCache: 1 });
    expect((await run([named("text 7")])).counts).toMatchObject({ written: 0, unchanged: 1 });
    expect((await run([named("other")])).counts).toMatchObject({ written: 1, embedded: 1 });
    expect((await run([named("other")], "m2")).counts).toMatchObject({ written: 1, embedded: 1 });
  });

  it("goes on where it was when the store fails, and pays for nothing again", async () => {
    const server = await startEmbeddingServer();
    const checkpoint = memoryIngestCheckpoint();
    const store = createStore();
    let failsAt = 0;
    const run = () =>
      ingestTexts(gatewayFor(server.url), items(texts(200)), {
        ...{ model: "m", checkpoint, batchSize: 10, concurrency: 3 },
        write: async (batch) => {
          if (store.batches.length === failsAt) throw new Error("The store is away.");
          await store.write(batch);
        },
      });
    for (failsAt = 0; failsAt < 20; failsAt += 3)
      expect(await errorOf(run())).toMatchObject({ message: "The store is away." });
    failsAt = Number.POSITIVE_INFINITY;
    const counts = await run();
    expect(counts.unchanged + counts.written).toBe(200);
    expect(store.order()).toEqual(texts(200));
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([200, 1]);
  });

  it("keeps vectors before it writes them, and notes what is written afterwards", async () => {
    const server = await startEmbeddingServer();
    const inner = memoryIngestCheckpoint();
    const told: string[] = [];
    const slowly = async (what: string) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      told.push(what);
    };
    const checkpoint: IngestCheckpoint = {
      ...inner,
      setMany: (entries) => slowly("vectors").then(() => inner.setMany(entries)),
      setNotes: (entries) => slowly("notes").then(() => inner.setNotes(entries)),
    };
    await ingestTexts(gatewayFor(server.url), items(texts(3)), {
      ...{ model: "m", checkpoint, write: () => slowly("write"), batchSize: 1, concurrency: 1 },
    });
    expect(told).toEqual(new Array(3).fill(["vectors", "write", "notes"]).flat());
  });

  it.each([1, 3])(
    "holds no more items than batches under way and one that is read, %i at once",
    async (concurrency) => {
      const server = await startEmbeddingServer();
      let read = 0;
      let written = 0;
      let most = 0;
      async function* source() {
        for (const text of texts(400)) {
          most = Math.max(most, ++read - written);
          yield { text };
        }
      }
      await ingestTexts(gatewayFor(server.url), source(), {
        ...{ model: "m", checkpoint: memoryIngestCheckpoint(), batchSize: 8, concurrency },
        write: async (batch) => {
          await new Promise((resolve) => setTimeout(resolve, 1));
          written += batch.length;
        },
      });
      expect(written).toBe(400);
      expect(most).toBeGreaterThan(8 * concurrency);
      expect(most).toBeLessThanOrEqual(8 * (concurrency + 1) + 1);
    },
  );

  it("reads nothing more while the store is busy", async () => {
    const server = await startEmbeddingServer();
    let read = 0;
    let goOn = () => {};
    const busy = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    function* source() {
      for (const text of texts(1_000)) {
        read++;
        yield { text };
      }
    }
    const ingest = ingestTexts(gatewayFor(server.url), source(), {
      ...{
        model: "m",
        checkpoint: memoryIngestCheckpoint(),
        batchSize: 10,
        concurrency: 2,
        write: () => busy,
      },
    });
    // Whatever can still happen happens within some rounds of requests of others.
    for (let round = 0; round < 20; round++)
      await gatewayFor(server.url).embeddings.create({ model: "other", input: `round ${round}` });
    expect(read).toBe(30);
    goOn();
    expect((await ingest).written).toBe(1_000);
  });

  it("asks a cache of the caller's, and gives it what is new", async () => {
    const server = await startEmbeddingServer();
    const cache = memoryEmbeddingCache();
    const gateway = gatewayFor(server.url);
    await gateway.embeddings.create({ model: "m", input: texts(50) }, { cache });
    const store = createStore();
    const counts = await ingestTexts(gateway, items([...texts(80), ...texts(5)]), {
      ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: store.write, cache },
    });
    expect(counts).toMatchObject({ embedded: 30, fromCache: 50, duplicates: 5, written: 80 });
    expect((await gateway.embeddings.create({ model: "m", input: texts(80) }, { cache })).cached).toBe(80);
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([80, 1]);
    expect(store.vectors.size).toBe(80);
  });

  it("tells what it cost", async () => {
    const server = await startEmbeddingServer();
    const prices = priceBook({ currency: "USD", models: { m: { input: 2 } } });
    const gateway = gatewayFor(server.url, { prices });
    const { cost, tokens } = await ingestTexts(gateway, items(texts(300)), {
      ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: () => {} },
    });
    const { cost: direct } = await gateway.embeddings.create({ model: "m", input: texts(300, 500) });
    expect(tokens).toBe(300);
    expect(cost?.amount).toBeGreaterThan(0);
    expect(cost).toEqual(direct);
  });
});

describe("texts that are refused", () => {
  it("are told, one among ten thousand too, and the others go on", async () => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => text === "text 7777" });
    const invalid: unknown[] = [];
    const counts = await ingestTexts(gatewayFor(server.url), items(texts(10_000)), {
      ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: () => {} },
      onInvalid: ({ item }) => invalid.push(item),
    });
    expect(counts).toMatchObject({ items: 10_000, written: 9_999, embedded: 9_999, invalid: 1 });
    expect(invalid).toEqual([{ text: "text 7777" }]);
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([9_999, 1]);
    expect(server.requests.length).toBeLessThanOrEqual(157 + 1 + 2 * 6);
  });

  it.each([
    ["a whole batch", 0, 16],
    ["several batches", 64, 200],
    ["the only text of a batch", 256, 257],
  ])("are told when they are %s", async (_what, from, to) => {
    const isBad = (text: string) => Number(text.slice(5)) >= from && Number(text.slice(5)) < to;
    const server = await startEmbeddingServer({ isPoisoned: isBad });
    const invalid: string[] = [];
    const store = createStore();
    const counts = await ingestTexts(gatewayFor(server.url), items(texts(257)), {
      ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: store.write, batchSize: 16 },
      onInvalid: ({ item }) => invalid.push(item.text),
    });
    expect(invalid.sort()).toEqual(texts(257).filter(isBad).sort());
    expect(counts).toMatchObject({ written: 257 - (to - from), invalid: to - from });
    expect(store.order()).toEqual(texts(257).filter((text) => !isBad(text)));
    expect(mostPaid(server.paid)).toBe(1);
  });

  it.each([1, 2])("are told when they come first, alone and one at a time: %i", async (bad) => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => text === "bad" });
    const store = createStore();
    const list = [...new Array(bad).fill("bad"), ...texts(9)].map((text, id) => ({ text, id: String(id) }));
    const counts = await ingestTexts(gatewayFor(server.url), list, {
      ...{
        model: "m",
        checkpoint: memoryIngestCheckpoint(),
        write: store.write,
        batchSize: 1,
        concurrency: 1,
      },
    });
    expect(counts).toMatchObject({ written: 9, invalid: bad });
    expect(store.order()).toEqual(texts(9));
    expect(mostPaid(server.paid)).toBe(1);
  });

  it("are no others than those, when a batch has nothing else of its own", async () => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => text === "bad" });
    const store = createStore();
    const list = ["a", "b", "c", "d", "bad", "a", "b", "c"].map((text, index) => ({
      text,
      id: String(index),
    }));
    const invalid: string[] = [];
    await ingestTexts(gatewayFor(server.url), list, {
      ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: store.write, batchSize: 4 },
      onInvalid: ({ item }) => invalid.push(item.text),
    });
    expect(invalid).toEqual(["bad"]);
    expect([...store.vectors.keys()].join("")).toBe("0123567");
    expect([...server.paid.values()]).toEqual([1, 1, 1, 1]);
  });

  it.each([
    [100_000, 64, 3],
    [100_000, 1, 1],
    [5, 1, 1],
    [1, 64, 4],
  ])(
    "are the request's fault when nothing is accepted: %i, %i at once",
    async (count, batchSize, concurrency) => {
      const server = await startEmbeddingServer({ isPoisoned: () => true });
      const error = await errorOf(
        ingestTexts(gatewayFor(server.url), items(texts(count)), {
          ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: () => {}, batchSize, concurrency },
        }),
      );
      expect(error).toBeInstanceOf(BadRequestError);
      expect(server.requests.length).toBeLessThanOrEqual(Math.min(count, concurrency * 9));
    },
  );

  it("are the model's fault when it refuses everything from some time on", async () => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => Number(text.slice(5)) > 500 });
    const error = await errorOf(
      ingestTexts(gatewayFor(server.url), items(texts(100_000)), {
        ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: () => {} },
      }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(server.requests.length).toBeLessThan(700);
  });
});

describe("what goes wrong meanwhile", () => {
  it("is waited out when the gateway is overloaded", async () => {
    const server = await startServer(({ json }, response, count) => {
      const { input } = json as { input: string[] };
      if (count % 4 !== 0) return sendJSON(response, errorBody("slow down"), 429, { "retry-after-ms": "3" });
      sendJSON(response, { data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) });
    });
    const store = createStore();
    const counts = await ingestTexts(gatewayFor(server.url, { retryBudget: 1_000 }), items(texts(300)), {
      ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: store.write, batchSize: 20 },
    });
    expect(counts).toMatchObject({ embedded: 300, written: 300 });
    expect(store.order()).toEqual(texts(300));
    expect(server.requests.length).toBe(60);
  });

  it("ends it at once when it is no matter of time, with what was paid for kept", async () => {
    const server = await startEmbeddingServer({
      instead: (_request, count) => (count === 3 ? { status: 401, body: errorBody("expired") } : undefined),
    });
    const checkpoint = memoryIngestCheckpoint();
    const run = () =>
      ingestTexts(gatewayFor(server.url), items(texts(100)), {
        ...{ model: "m", checkpoint, write: () => {}, batchSize: 10, concurrency: 2 },
      });
    expect(APIError.isInstance(await errorOf(run()))).toBe(true);
    const paid = server.paid.size;
    const counts = await run();
    expect(counts.embedded).toBe(100 - paid);
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([100, 1]);
  });

  it("ends it before more is paid for when the checkpoint fails", async () => {
    const failing = (name: keyof IngestCheckpoint): IngestCheckpoint => {
      let calls = 0;
      const checkpoint = memoryIngestCheckpoint();
      const { [name]: method } = checkpoint as unknown as Record<string, (...values: unknown[]) => unknown>;
      return Object.assign(checkpoint, {
        [name]: async (...values: unknown[]) => {
          if (++calls === 3) throw new Error("The disk is full.");
          return method?.(...values);
        },
      });
    };
    for (const name of ["getMany", "setMany", "getNotes", "setNotes"] as const) {
      const server = await startEmbeddingServer();
      const store = createStore();
      const error = await errorOf(
        ingestTexts(gatewayFor(server.url, { logLevel: "off" }), items(texts(1_000)), {
          ...{ model: "m", checkpoint: failing(name), write: store.write, batchSize: 10, concurrency: 1 },
        }),
      );
      expect((error as Error).message, name).toBe("The disk is full.");
      expect(server.requests.length, name).toBeLessThanOrEqual(4);
      // Nothing is written whose vectors are not kept.
      expect(store.batches.length, name).toBe(name === "setNotes" ? 3 : 2);
    }
  });

  it("writes nothing that is not kept, however long that takes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startEmbeddingServer();
    const gateway = gatewayFor(server.url, { logLevel: "off" });
    const inner = memoryIngestCheckpoint();
    const store = createStore();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let asked = () => {};
    const keeping = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const checkpoint: IngestCheckpoint = {
      ...inner,
      async setMany(entries) {
        asked();
        await held;
        inner.setMany(entries);
      },
    };
    const options = { model: "m", checkpoint, write: store.write };
    const ingest = ingestTexts(gateway, items(texts(3)), options);
    await keeping;
    // A cache would not be waited for any longer.
    vi.advanceTimersByTime(600_000);
    for (let round = 0; round < 10; round++)
      await gateway.embeddings.create({ model: "other", input: `round ${round}` });
    expect(store.batches).toEqual([]);
    goOn();
    expect((await ingest).written).toBe(3);
    expect(store.order()).toEqual(texts(3));
  });

  it("ends it when the source fails, after what was read is written", async () => {
    const server = await startEmbeddingServer();
    const store = createStore();
    async function* source() {
      yield* items(texts(25));
      throw new Error("The file is broken.");
    }
    const error = await errorOf(
      ingestTexts(gatewayFor(server.url), source(), {
        ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: store.write, batchSize: 10 },
      }),
    );
    expect(error).toMatchObject({ message: "The file is broken." });
    expect(server.paid.size).toBe(20);
  });

  it.each(["a source that is silent", "a request that hangs"])(
    "ends at once when the caller aborts: %s",
    async (what) => {
      const abort = new AbortController();
      const server = await startServer(() => abort.abort("enough"));
      let returned = 0;
      const source: AsyncIterable<IngestItem> = {
        [Symbol.asyncIterator]: () => {
          let count = 0;
          return {
            next() {
              if (count++ < 4) return Promise.resolve({ done: false, value: { text: `text ${count}` } });
              if (what === "a source that is silent") setImmediate(() => abort.abort("enough"));
              return new Promise(() => {});
            },
            async return() {
              returned++;
              return { done: true, value: undefined };
            },
          };
        },
      };
      const error = await errorOf(
        ingestTexts(gatewayFor(server.url), source, {
          ...{ model: "m", checkpoint: memoryIngestCheckpoint(), write: () => {}, signal: abort.signal },
          batchSize: what === "a source that is silent" ? 10 : 2,
        }),
      );
      expect(error).toMatchObject({ kind: "aborted", cause: "enough" });
      expect(returned).toBe(1);
    },
  );

  it("is told of when it is a mistake of the caller's", async () => {
    const server = await startEmbeddingServer();
    const options = { model: "m", checkpoint: memoryIngestCheckpoint(), write: () => {} };
    const run = (more: object, source: unknown = []) =>
      errorOf(
        (async () => ingestTexts(gatewayFor(server.url), source as IngestItem[], { ...options, ...more }))(),
      );
    expect(await run({ batchsize: 3 })).toBeInstanceOf(ConfigurationError);
    expect(await run({ checkpoint: undefined })).toMatchObject({ option: "checkpoint" });
    expect(await run({ batchSize: -1 })).toBeInstanceOf(ConfigurationError);
    expect(await run({ patience: 0 })).toBeInstanceOf(ConfigurationError);
    const wrong = await run({}, [{ text: "a" }, { text: 7 }]);
    expect(wrong).toBeInstanceOf(InvalidRequestError);
    expect((wrong as InvalidRequestError).field).toBe("items[1].text");
    expect(server.requests).toHaveLength(0);
  });
});
