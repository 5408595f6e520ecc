import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { sendJSON, startServer } from "../../test/scripted-server.js";
import { ConfigurationError, InvalidRequestError, InvalidResponseError } from "../index.js";

interface Body {
  input: string | string[];
}

/** Embeds `text 7` as [7, 7], out of order. */
function answer(body: unknown) {
  const { input } = body as Body;
  const inputs = Array.isArray(input) ? input : [input];
  const data = inputs.map((text, index) => {
    const number = Number(text.split(" ")[1]);
    return { object: "embedding", index, embedding: [number, number] };
  });
  return {
    object: "list",
    data: data.reverse(),
    model: "m",
    usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
  };
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);

describe("embeddings.create", () => {
  it("returns vectors in input order over several requests and sums the usage", async () => {
    const server = await startServer(({ json }, response) => sendJSON(response, answer(json)));
    const progress: number[] = [];
    const { data, attempts } = await gatewayFor(server.url)
      .embeddings.create({ model: "m", input: texts(150) }, { onProgress: ({ done }) => progress.push(done) })
      .withResponse();
    expect(data.data.map(({ embedding }) => embedding[0])).toEqual(texts(150).map((_, index) => index));
    expect(data.data.map(({ index }) => index)).toEqual(texts(150).map((_, index) => index));
    expect(server.requests.map(({ json }) => (json as Body).input.length).sort()).toEqual([22, 64, 64]);
    expect(data.usage).toEqual({ prompt_tokens: 150, total_tokens: 150 });
    expect(data.raw).toHaveLength(3);
    expect([attempts, progress.at(-1)]).toEqual([3, 150]);
  });

  it("keeps a single text a string and adds no field", async () => {
    const server = await startServer(({ json }, response) => sendJSON(response, answer(json)));
    await gatewayFor(server.url).embeddings.create({ model: "m", input: "text 1", dimensions: 2 });
    expect(server.requests[0]?.json).toEqual({ model: "m", input: "text 1", dimensions: 2 });
  });

  it("keeps to the concurrency it is given", async () => {
    let running = 0;
    let most = 0;
    const server = await startServer(({ json }, response) => {
      most = Math.max(most, ++running);
      setImmediate(() => {
        running--;
        sendJSON(response, answer(json));
      });
    });
    await gatewayFor(server.url).embeddings.create(
      { model: "m", input: texts(40) },
      { batchSize: 4, concurrency: 2 },
    );
    expect(server.requests).toHaveLength(10);
    expect(most).toBeLessThanOrEqual(2);
  });

  it("sends nothing for no inputs", async () => {
    const server = await startServer(({ json }, response) => sendJSON(response, answer(json)));
    const result = await gatewayFor(server.url).embeddings.create({ model: "m", input: [] });
    expect(result.data).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });

  it("reads Base64 answers, and answers that number nothing", async () => {
    const floats = Buffer.from(new Float32Array([0.5, -2]).buffer).toString("base64");
    const server = await startServer((_request, response, count) =>
      sendJSON(response, {
        data: count === 1 ? [{ index: 0, embedding: floats }] : [{ embedding: [1] }, { embedding: [2] }],
      }),
    );
    const gateway = gatewayFor(server.url);
    expect((await gateway.embeddings.create({ model: "m", input: "a" })).data[0]?.embedding).toEqual([
      0.5, -2,
    ]);
    const unnumbered = await gateway.embeddings.create({ model: "m", input: ["a", "b"] });
    expect(unnumbered.data.map(({ embedding }) => embedding)).toEqual([[1], [2]]);
    expect(unnumbered.usage).toBeUndefined();
  });

  it.each<[string, unknown, RegExp]>([
    ["too few vectors", { data: [{ index: 0, embedding: [1] }] }, /1 embeddings for 2 inputs/],
    [
      "a repeated index",
      {
        data: [
          { index: 1, embedding: [1] },
          { index: 1, embedding: [2] },
        ],
      },
      /two embeddings with index 1/,
    ],
    [
      "an index outside the inputs",
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 2, embedding: [2] },
        ],
      },
      /index 2/,
    ],
    ["a missing index", { data: [{ index: 0, embedding: [1] }, { embedding: [2] }] }, /index undefined/],
    [
      "an empty vector",
      {
        data: [
          { index: 0, embedding: [] },
          { index: 1, embedding: [1] },
        ],
      },
      /no numbers/,
    ],
    [
      "vectors of different lengths",
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 1, embedding: [1, 2] },
        ],
      },
      /different lengths/,
    ],
    ["no data", { object: "list" }, /no embeddings/],
  ])("refuses %s", async (_what, body, message) => {
    const server = await startServer((_request, response) => sendJSON(response, body));
    const error = await errorOf(gatewayFor(server.url).embeddings.create({ model: "m", input: ["a", "b"] }));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toMatch(message);
  });

  it("sends equal texts once, and gives each position an array of its own", async () => {
    const server = await startServer(({ json }, response) => sendJSON(response, answer(json)));
    const progress: number[] = [];
    const input = ["text 1", "text 2", "text 1", "text 1", "text 3"];
    const { data, usage } = await gatewayFor(server.url).embeddings.create(
      { model: "m", input },
      { batchSize: 2, concurrency: 1, onProgress: ({ done }) => progress.push(done) },
    );
    expect(server.requests.map(({ json }) => (json as Body).input)).toEqual([
      ["text 1", "text 2"],
      ["text 3"],
    ]);
    expect(data).toEqual([1, 2, 1, 1, 3].map((number, index) => ({ index, embedding: [number, number] })));
    expect(usage?.prompt_tokens).toBe(3);
    expect(progress).toEqual([4, 5]);
    data[0]?.embedding.push(99);
    expect(data.slice(2, 4).map(({ embedding }) => embedding)).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it("refuses inputs that are not text, and options that make no sense", async () => {
    const gateway = gatewayFor("http://127.0.0.1:9/v1");
    const wrong = await errorOf(
      gateway.embeddings.create({ model: "m", input: ["a", 1 as unknown as string] }),
    );
    expect(wrong).toBeInstanceOf(InvalidRequestError);
    expect((wrong as InvalidRequestError).field).toBe("input[1]");
    expect(
      await errorOf(gateway.embeddings.create({ model: "m", input: "a" }, { batchSize: 0 })),
    ).toBeInstanceOf(ConfigurationError);
  });
});
