import { describe, expect, it } from "vitest";
import { startEmbeddingServer, vectorOf } from "../../test/embedding-server.js";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { errorBody } from "../../test/scripted-server.js";
import {
  type EmbeddingCache,
  type EmbeddingResult,
  InvalidInputsError,
  type ModelGatewayOptions,
  memoryEmbeddingCache,
} from "../index.js";

const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `text ${from + index}`);
const vectorsIn = ({ data }: EmbeddingResult) => data.map(({ embedding }) => embedding);
const rounded = (text: string) => vectorOf(text).map(Math.fround);

/** A client whose warnings are kept. */
function tellingGateway(url: string) {
  const warnings: string[] = [];
  const ignore = () => {};
  const logger = { debug: ignore, info: ignore, warn: (text: string) => warnings.push(text), error: ignore };
  const options = { logger, maxRetries: 0 } as unknown as Partial<ModelGatewayOptions>;
  return { gateway: gatewayFor(url, options), warnings };
}

describe("embeddings with a cache", () => {
  it("are paid for once, and the same from there as from the gateway", async () => {
    const server = await startEmbeddingServer();
    const cache = memoryEmbeddingCache();
    const gateway = gatewayFor(server.url);
    const input = [...texts(100), ...texts(30)];
    const first = await gateway.embeddings.create({ model: "m", input }, { cache });
    const requests = server.requests.length;
    const progress: number[] = [];
    const again = await gateway.embeddings
      .create({ model: "m", input }, { cache, onProgress: ({ done }) => progress.push(done) })
      .withResponse();
    expect(server.requests).toHaveLength(requests);
    expect(vectorsIn(first)).toEqual(input.map(rounded));
    expect(again.data.data).toEqual(first.data);
    expect([first.cached, again.data.cached]).toEqual([0, 130]);
    expect(again.data.usage).toEqual({ prompt_tokens: 0, total_tokens: 0 });
    expect([again.attempts, again.response.status, again.data.model, progress]).toEqual([0, 204, "m", [130]]);
    // Another position, and a later call, have arrays of their own.
    again.data.data[0]?.embedding.fill(9);
    expect(vectorsIn((await gateway.embeddings.create({ model: "m", input }, { cache })) ?? first)).toEqual(
      input.map(rounded),
    );
  });

  it("send what is new only", async () => {
    const server = await startEmbeddingServer();
    const options = { cache: memoryEmbeddingCache() };
    const gateway = gatewayFor(server.url);
    await gateway.embeddings.create({ model: "m", input: texts(10) }, options);
    const input = ["text 3", "new", "text 5", "new"];
    const result = await gateway.embeddings.create({ model: "m", input }, options);
    expect(vectorsIn(result)).toEqual(input.map(rounded));
    expect([server.asked.at(-1), result.cached]).toEqual([["new"], 2]);
    await gateway.embeddings.create({ model: "m", input: "text 1", dimensions: 3 }, options);
    await gateway.embeddings.create({ model: "other", input: "text 1" }, options);
    expect(server.paid.get("text 1")).toBe(3);
    await gateway.embeddings.create({ model: "m", input: "text 1", user: "somebody" }, options);
    expect(server.paid.get("text 1")).toBe(3);
  });

  it("share one request among calls that want the same text at once", async () => {
    const server = await startEmbeddingServer();
    const gateway = gatewayFor(server.url);
    // Slower than its users, and of no use before what it was given last is in.
    const inner = memoryEmbeddingCache();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const cache: EmbeddingCache = {
      getMany: (keys) => turn().then(() => inner.getMany(keys)),
      setMany: (entries) => turn().then(() => inner.setMany(entries)),
    };
    const calls = Array.from({ length: 8 }, (_, index) => {
      const input = [...texts(20, index * 5), ...texts(3)];
      return gateway.embeddings.create({ model: "m", input }, { cache, batchSize: 4 }).then((result) => {
        expect(vectorsIn(result)).toEqual(input.map(rounded));
        return result.cached ?? 0;
      });
    });
    const cached = await Promise.all(calls);
    expect([server.paid.size, Math.max(...server.paid.values())]).toEqual([55, 1]);
    // All but the first of each text.
    expect(cached.reduce((sum, count) => sum + count, 0)).toBe(8 * 23 - 55 - 3);
  });

  it("ask themselves for what the other call did not get", async () => {
    const server = await startEmbeddingServer({
      instead: (_request, count) => (count === 1 ? { status: 401, body: errorBody("no") } : undefined),
    });
    const gateway = gatewayFor(server.url);
    const cache = memoryEmbeddingCache();
    const failing = errorOf(gateway.embeddings.create({ model: "m", input: ["a", "b"] }, { cache }));
    const other = await gateway.embeddings.create({ model: "m", input: ["b", "c"] }, { cache });
    expect(((await failing) as { status: number }).status).toBe(401);
    expect(vectorsIn(other)).toEqual([rounded("b"), rounded("c")]);
    expect([...server.paid]).toEqual([
      ["c", 1],
      ["b", 1],
    ]);
  });

  it("are acquitted of a refusal by what another call asks for", async () => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => text.startsWith("bad") });
    const gateway = gatewayFor(server.url);
    const cache = memoryEmbeddingCache();
    for (const bad of [1, 8, 9]) {
      const good = [`good ${bad}`, `better ${bad}`];
      const first = gateway.embeddings.create({ model: "m", input: good }, { cache });
      const input = [...good, ...Array.from({ length: bad }, (_, index) => `bad ${index}`)];
      const error = await errorOf(gateway.embeddings.create({ model: "m", input }, { cache }));
      expect(vectorsIn(await first)).toEqual(good.map(rounded));
      // Of nine texts eight are tried.
      expect(InvalidInputsError.isInstance(error), `${bad}`).toBe(bad < 9);
      if (InvalidInputsError.isInstance(error))
        expect(error.inputs.map(({ index }) => input[index])).toEqual(input.slice(2));
      expect(((error as InvalidInputsError).partial as EmbeddingResult).data).toHaveLength(2);
    }
    expect(Math.max(...server.paid.values())).toBe(1);
  });

  it("keep what is finished when the rest fails, and what is good when some is refused", async () => {
    const cache = memoryEmbeddingCache();
    const server = await startEmbeddingServer({
      isPoisoned: (text) => text === "text 25",
      instead: (_request, count) => (count === 2 ? { status: 401, body: errorBody("no") } : undefined),
    });
    const gateway = gatewayFor(server.url);
    const options = { cache, batchSize: 10, concurrency: 1 };
    await errorOf(gateway.embeddings.create({ model: "m", input: texts(30) }, options));
    const error = await errorOf(gateway.embeddings.create({ model: "m", input: texts(30) }, options));
    expect(InvalidInputsError.isInstance(error) && error.inputs.map(({ index }) => index)).toEqual([25]);
    expect((error as InvalidInputsError).partial.cached).toBe(10);
    expect([server.paid.size, Math.max(...server.paid.values())]).toEqual([29, 1]);
    // The request was accepted for the others, in an earlier call.
    const last = await errorOf(gateway.embeddings.create({ model: "m", input: texts(30) }, options));
    expect(InvalidInputsError.isInstance(last) && last.inputs).toHaveLength(1);
  });

  it("end at once when the caller aborts while another call asks", async () => {
    const abort = new AbortController();
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await startEmbeddingServer({ instead: () => void arrived() });
    const gateway = gatewayFor(server.url);
    const inner = memoryEmbeddingCache();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const cache: EmbeddingCache = {
      getMany: (keys) => inner.getMany(keys),
      setMany: (entries) => held.then(() => inner.setMany(entries)),
    };
    const first = gateway.embeddings.create({ model: "m", input: "a" }, { cache });
    const second = errorOf(
      gateway.embeddings.create({ model: "m", input: "a" }, { cache, signal: abort.signal }),
    );
    await asked;
    abort.abort("enough");
    expect(await second).toMatchObject({ kind: "aborted", cause: "enough" });
    goOn();
    expect(vectorsIn(await first)).toEqual([rounded("a")]);
    expect(server.requests).toHaveLength(1);
  });

  it("are not asked for again while the cache is being given them", async () => {
    const server = await startEmbeddingServer();
    const gateway = gatewayFor(server.url);
    const inner = memoryEmbeddingCache();
    let later: PromiseLike<EmbeddingResult> | undefined;
    const cache: EmbeddingCache = {
      getMany: (keys) => inner.getMany(keys),
      async setMany(entries) {
        later ??= gateway.embeddings.create({ model: "m", input: "a" }, { cache });
        await gateway.embeddings.create({ model: "other", input: "b" });
        inner.setMany(entries);
      },
    };
    const first = await gateway.embeddings.create({ model: "m", input: "a" }, { cache });
    expect((await later)?.data).toEqual(first.data);
    expect(server.paid.get("a")).toBe(1);
  });

  it.each(["before", "meanwhile"])("hold up no call that is aborted, %s", async (when) => {
    const server = await startEmbeddingServer();
    const abort = new AbortController();
    const cache: EmbeddingCache = {
      getMany() {
        if (when === "meanwhile") abort.abort("enough");
        return new Promise(() => {});
      },
      setMany: () => {},
    };
    if (when === "before") abort.abort("enough");
    const options = { cache, signal: abort.signal };
    const error = await errorOf(
      gatewayFor(server.url).embeddings.create({ model: "m", input: "a" }, options),
    );
    expect(error).toMatchObject({ kind: "aborted" });
    expect(server.requests).toHaveLength(0);
  });

  it("are handed out as they came when 32 bits cannot hold them", async () => {
    const data = [{ index: 0, embedding: [1e300, 1] }];
    const server = await startEmbeddingServer({ instead: () => ({ status: 200, body: { data } }) });
    const cache = memoryEmbeddingCache();
    const gateway = gatewayFor(server.url);
    for (let call = 0; call < 2; call++)
      expect(vectorsIn(await gateway.embeddings.create({ model: "m", input: "a" }, { cache }))).toEqual([
        [1e300, 1],
      ]);
    expect(server.requests).toHaveLength(2);
  });
});

describe("a cache that is no help", () => {
  const fails = () => Promise.reject(new Error("away"));
  const throws = () => {
    throw new Error("broken");
  };
  const answers = (answer: unknown) => ({ getMany: () => answer, setMany: () => {} }) as EmbeddingCache;
  it.each<[string, () => EmbeddingCache]>([
    ["fails", () => ({ getMany: fails, setMany: fails })],
    ["throws", () => ({ getMany: throws, setMany: throws })],
    ["fails to keep", () => ({ getMany: (keys) => keys.map(() => undefined), setMany: fails })],
    ["answers with nothing", () => answers(undefined)],
    ["answers with fewer", () => answers([Float32Array.of(1, 2, 3)])],
    ["answers with more", () => answers([1, 2, 3, 4].map(() => Float32Array.of(1, 2, 3)))],
    ["holds no numbers", () => answers([Float32Array.of(1, Number.NaN, 3), undefined, undefined])],
    ["holds empty vectors", () => answers([new Float32Array(0), undefined, undefined])],
    ["holds something else", () => answers(["text", {}, [1, 2, 3]])],
    ["holds another length", () => answers([Float32Array.of(1, 2), undefined, Float32Array.of(1, 2)])],
    ["holds two lengths", () => answers([Float32Array.of(1, 2), Float32Array.of(1, 2, 3), undefined])],
    [
      "holds two lengths and no gap",
      () => answers([[1, 2], [1, 2, 3], [1]].map((row) => Float32Array.from(row))),
    ],
  ])("and %s hurts no call, and is told of once", async (_what, createCache) => {
    const server = await startEmbeddingServer();
    const { gateway, warnings } = tellingGateway(server.url);
    const cache = createCache();
    const input = texts(3);
    for (let call = 1; call <= 2; call++) {
      const result = await gateway.embeddings.create({ model: "m", input }, { cache });
      expect(vectorsIn(result)).toEqual(input.map(rounded));
      expect(result.cached).toBe(0);
      expect(Math.max(...server.paid.values())).toBe(call);
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("the cache of embeddings failed");
  });
});
