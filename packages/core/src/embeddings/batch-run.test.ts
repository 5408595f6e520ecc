import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startEmbeddingServer, vectorOf } from "../../test/embedding-server.js";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { errorBody } from "../../test/scripted-server.js";
import { APIError, BadRequestError, type EmbeddingResult, InvalidInputsError } from "../index.js";

const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `text ${from + index}`);
const mostPaid = (paid: Map<string, number>) => Math.max(0, ...paid.values());

describe("a batch that is refused", () => {
  it("is halved down to the text at fault, and the others are paid for once", async () => {
    const bad = "text 37";
    const server = await startEmbeddingServer({ isPoisoned: (text) => text === bad });
    const input = texts(200);
    const error = await errorOf(gatewayFor(server.url).embeddings.create({ model: "m", input }));
    expect(error).toBeInstanceOf(InvalidInputsError);
    const { inputs, partial, kind, cause, retryable, message } = error as InvalidInputsError;
    expect(inputs.map(({ index }) => index)).toEqual([37]);
    expect(inputs[0]?.reason).toContain("a text is too long");
    expect([kind, retryable]).toEqual(["invalid_inputs", false]);
    expect(message).toContain("1 of 200 texts were refused. input[37]: 400");
    expect(message).toContain("error.partial has the vectors of the others, which are paid for: 199.");
    expect(cause).toBeInstanceOf(BadRequestError);
    expect(partial.data.map(({ index }) => index)).toEqual(
      input.map((_, at) => at).filter((at) => at !== 37),
    );
    for (const { index, embedding } of partial.data) expect(embedding).toEqual(vectorOf(input[index] ?? ""));
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([199, 1]);
    expect(partial.usage?.prompt_tokens).toBe(199);
    // Four batches, one probe, two halves per halving of what is left.
    expect(server.requests.length).toBeLessThanOrEqual(4 + 1 + 2 * 6);
    expect(JSON.stringify(error)).not.toContain("0.1");
  });

  it("names every position of a text that is refused", async () => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => text === "" });
    const error = await errorOf(
      gatewayFor(server.url).embeddings.create({ model: "m", input: ["", "a", "", "b", "a"] }),
    );
    expect((error as InvalidInputsError).inputs.map(({ index }) => index)).toEqual([0, 2]);
    expect((error as InvalidInputsError).partial.data.map(({ index }) => index)).toEqual([1, 3, 4]);
    expect([...server.paid]).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("costs at most two requests per halving and text at fault, wherever they are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(99), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        async (bad, batchSize, concurrency) => {
          const faults = new Set(bad.map((number) => `text ${number}`));
          const server = await startEmbeddingServer({ isPoisoned: (text) => faults.has(text) });
          const error = await errorOf(
            gatewayFor(server.url).embeddings.create(
              { model: "m", input: texts(100) },
              { batchSize, concurrency },
            ),
          );
          await server.close();
          expect(mostPaid(server.paid)).toBe(1);
          if (!InvalidInputsError.isInstance(error)) {
            // Only after as many texts from all over the list as there are probes.
            expect(server.asked.filter(({ length }) => length === 1).length).toBeGreaterThanOrEqual(8);
            return;
          }
          expect(error.inputs.map(({ index }) => `text ${index}`).sort()).toEqual([...faults].sort());
          expect(server.paid.size).toBe(100 - faults.size);
          const halvings = Math.ceil(Math.log2(batchSize));
          const bound = Math.ceil(100 / batchSize) + 8 + faults.size * 2 * (halvings + 1);
          expect(server.requests.length).toBeLessThanOrEqual(bound);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([1, 4])(
    "is not halved without end when the request is at fault, %i at once",
    async (concurrency) => {
      const server = await startEmbeddingServer({ isPoisoned: () => true });
      const error = await errorOf(
        gatewayFor(server.url).embeddings.create({ model: "m", input: texts(10_000) }, { concurrency }),
      );
      expect(error).toBeInstanceOf(BadRequestError);
      expect(InvalidInputsError.isInstance(error)).toBe(false);
      expect(server.requests).toHaveLength(concurrency + 8);
      const probes = server.asked
        .filter(({ length }) => length === 1)
        .map(([text]) => Number(text?.slice(5)));
      expect(Math.max(...probes) - Math.min(...probes)).toBeGreaterThan(7_000);
    },
  );

  it("acquits the request when texts from elsewhere are accepted", async () => {
    const server = await startEmbeddingServer({ isPoisoned: (text) => Number(text.slice(5)) < 64 });
    const error = await errorOf(
      gatewayFor(server.url).embeddings.create({ model: "m", input: texts(256) }, { concurrency: 1 }),
    );
    expect((error as InvalidInputsError).inputs).toHaveLength(64);
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([192, 1]);
    expect((error as Error).message).toContain("And 59 more, in error.inputs.");
  });

  it("is sent once when it is one text", async () => {
    const server = await startEmbeddingServer({ isPoisoned: () => true });
    const error = await errorOf(gatewayFor(server.url).embeddings.create({ model: "m", input: "a" }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [401, "unknown key", ""],
    [402, "pay", ""],
    [403, "no", ""],
    [404, "no such model", "model_not_found"],
    [400, "no quota", "insufficient_quota"],
  ])("is no matter of its texts when the answer is %i: %s", async (status, message, code) => {
    const server = await startEmbeddingServer({
      instead: () => ({ status, body: errorBody(message, code) }),
    });
    const error = await errorOf(
      gatewayFor(server.url).embeddings.create({ model: "m", input: texts(300) }, { concurrency: 2 }),
    );
    expect(APIError.isInstance(error) && error.status).toBe(status);
    expect((error as APIError).partial).toBeUndefined();
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });
});

describe("a route that takes fewer texts", () => {
  it.each([400, 413, 422])("is asked for as many as it takes, after %i", async (tooMany) => {
    const server = await startEmbeddingServer({ maxTexts: 10, tooMany });
    const gateway = gatewayFor(server.url);
    const { data } = await gateway.embeddings.create({ model: "m", input: texts(400) });
    expect(data.map(({ embedding }) => embedding)).toEqual(texts(400).map(vectorOf));
    expect([server.paid.size, mostPaid(server.paid)]).toEqual([400, 1]);
    const refused = server.asked.filter(({ length }) => length > 10).length;
    expect(refused).toBeLessThan(20);

    // What was found out is kept, but for a try now and then, of as many as are sent at once.
    const before = server.requests.length;
    await gateway.embeddings.create({ model: "m", input: texts(100, 1_000) });
    expect(server.asked.slice(before).filter(({ length }) => length > 10).length).toBeLessThanOrEqual(4);
    // Of another model nothing is known.
    await gateway.embeddings.create({ model: "other", input: texts(8, 2_000) });
    expect(server.asked.at(-1)).toHaveLength(8);
  });

  it("is tried with more again, since the texts may have been long ones", async () => {
    let maxTexts = 4;
    const server = await startEmbeddingServer({
      instead: (request) => {
        const { input } = request.json as { input: string[] };
        return input.length > maxTexts ? { status: 413, body: errorBody("too much") } : undefined;
      },
    });
    const gateway = gatewayFor(server.url);
    await gateway.embeddings.create({ model: "m", input: texts(32) }, { batchSize: 16, concurrency: 1 });
    maxTexts = 16;
    await gateway.embeddings.create(
      { model: "m", input: texts(400, 100) },
      { batchSize: 16, concurrency: 1 },
    );
    expect(server.asked.at(-1)).toHaveLength(16);
    expect(mostPaid(server.paid)).toBe(1);
  });

  it("does not take a bad text for a limit that was found by itself", async () => {
    // The first that is sent alone of 64.
    const server = await startEmbeddingServer({ isPoisoned: (text) => text === "text 7" });
    const gateway = gatewayFor(server.url);
    const error = await errorOf(gateway.embeddings.create({ model: "m", input: texts(64) }));
    expect(InvalidInputsError.isInstance(error) && error.inputs).toHaveLength(1);
    expect(server.asked[1]).toEqual(["text 7"]);
    await gateway.embeddings.create({ model: "m", input: texts(64, 100) });
    expect(server.asked.at(-1)).toHaveLength(64);
  });

  it("does not take one batch of long texts for a limit", async () => {
    const server = await startEmbeddingServer({
      instead: (request) => {
        const { input } = request.json as { input: string[] };
        const long = input.filter((text) => text.startsWith("long")).length;
        return long > 1 ? { status: 400, body: errorBody("too many tokens") } : undefined;
      },
    });
    const gateway = gatewayFor(server.url);
    const input = [...texts(64), "long 1", "long 2", ...texts(62, 64), ...texts(64, 200)];
    await gateway.embeddings.create({ model: "m", input }, { concurrency: 1 });
    expect(server.asked.at(-1)).toHaveLength(64);
    expect(mostPaid(server.paid)).toBe(1);
  });
});

describe("any other failure", () => {
  it("hands out what is finished, after what was under way", async () => {
    const server = await startEmbeddingServer({
      instead: (_request, count) => (count === 2 ? { status: 401, body: errorBody("expired") } : undefined),
    });
    const input = texts(40);
    const error = await errorOf(
      gatewayFor(server.url).embeddings.create({ model: "m", input }, { batchSize: 10, concurrency: 4 }),
    );
    expect(APIError.isInstance(error) && error.status).toBe(401);
    const partial = (error as APIError).partial as EmbeddingResult;
    expect(partial.data).toHaveLength(30);
    expect(partial.data.map(({ index }) => input[index]).sort()).toEqual([...server.paid.keys()].sort());
    for (const { index, embedding } of partial.data) expect(embedding).toEqual(vectorOf(input[index] ?? ""));
    expect(partial.usage?.prompt_tokens).toBe(30);
    expect(Object.keys(error as object)).not.toContain("partial");
  });

  it("hands out what is finished when the caller aborts", async () => {
    const abort = new AbortController();
    const server = await startEmbeddingServer();
    const error = await errorOf(
      gatewayFor(server.url).embeddings.create(
        { model: "m", input: texts(30) },
        {
          ...{ batchSize: 10, concurrency: 1, signal: abort.signal },
          onProgress: ({ done }) => done === 20 && abort.abort(),
        },
      ),
    );
    expect((error as { kind: string }).kind).toBe("aborted");
    expect(((error as APIError).partial as EmbeddingResult).data).toHaveLength(20);
    expect(server.requests).toHaveLength(2);
  });
});
