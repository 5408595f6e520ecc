import { inspect } from "node:util";
import { getRetryable } from "@langchain/core/errors";
import { InvalidResponseError, ModelGateway, RateLimitError } from "@model-gateway/core";
import { createEmulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedGateway, startScriptedGateway } from "../test/scripted-gateway.js";
import { ModelGatewayEmbeddings } from "./index.js";

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
beforeEach(() => gateway.received.splice(0));
afterAll(() => gateway.close());

/** An answer with the vectors `[value]`, in the order given. */
function vectors(...entries: Array<[index: number, value: number]>) {
  const data = entries.map(([index, value]) => ({ object: "embedding", index, embedding: [value] }));
  return { json: { object: "list", model: "e", data, usage: { prompt_tokens: 2, total_tokens: 2 } } };
}

describe("ModelGatewayEmbeddings", () => {
  it("sends the texts, and nothing that was not set", async () => {
    gateway.script(vectors([0, 1], [1, 2]));
    const embeddings = new ModelGatewayEmbeddings("e", gateway.connection);
    expect(await embeddings.embedDocuments(["a\nb", "c"])).toEqual([[1], [2]]);
    expect(gateway.lastBody).toEqual({ model: "e", input: ["a\nb", "c"] });
    gateway.script(vectors([0, 7]));
    expect(await embeddings.embedQuery("q")).toEqual([7]);
    expect(gateway.lastBody).toEqual({ model: "e", input: "q" });
  });

  it("sends what was set", async () => {
    gateway.script(vectors([0, 1]));
    const embeddings = new ModelGatewayEmbeddings({
      ...gateway.connection,
      model: "e",
      dimensions: 1,
      encodingFormat: "float",
      stripNewLines: true,
      modelKwargs: { input_type: "query" },
    });
    await embeddings.embedDocuments(["a\nb"]);
    expect(gateway.lastBody).toEqual({
      model: "e",
      input: ["a b"],
      dimensions: 1,
      encoding_format: "float",
      input_type: "query",
    });
  });

  it("puts the vectors in the order of the texts, whatever the server's order", async () => {
    gateway.script(vectors([2, 30], [0, 10], [1, 20]));
    expect(await new ModelGatewayEmbeddings("e", gateway.connection).embedDocuments(["a", "b", "c"])).toEqual(
      [[10], [20], [30]],
    );
  });

  it("sends nothing for no texts", async () => {
    expect(await new ModelGatewayEmbeddings("e", gateway.connection).embedDocuments([])).toEqual([]);
    expect(gateway.received).toEqual([]);
  });

  it("splits many texts into requests and tells the tokens of all", async () => {
    gateway.script(vectors([0, 1], [1, 2]), vectors([0, 3], [1, 4]), vectors([0, 5]));
    const usages: unknown[] = [];
    const progress: unknown[] = [];
    const embeddings = new ModelGatewayEmbeddings("e", {
      ...gateway.connection,
      batchSize: 2,
      maxConcurrency: 1,
      onUsage: (usage) => usages.push(usage),
    });
    const result = await embeddings.embedDocuments(["a", "b", "c", "d", "e"], {
      onProgress: (step) => progress.push(step),
    });
    expect(result).toEqual([[1], [2], [3], [4], [5]]);
    expect(gateway.received.map(({ body }) => body["input"])).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(usages).toEqual([{ prompt_tokens: 6, total_tokens: 6 }]);
    expect(progress).toEqual([
      { done: 2, total: 5 },
      { done: 4, total: 5 },
      { done: 5, total: 5 },
    ]);
  });

  it("fails as a whole when a vector is missing", async () => {
    gateway.script(vectors([0, 1]));
    await expect(
      new ModelGatewayEmbeddings("e", gateway.connection).embedDocuments(["a", "b"]),
    ).rejects.toSatisfy(InvalidResponseError.isInstance);
  });

  it("marks errors for LangChain and leaves retries to the client", async () => {
    gateway.script({
      status: 429,
      headers: { "retry-after-ms": "1" },
      json: { error: { message: "Busy", type: "t", code: "c" } },
    });
    const error = await new ModelGatewayEmbeddings("e", { ...gateway.connection, maxRetries: 1 })
      .embedQuery("q")
      .catch((thrown: unknown) => thrown);
    if (!RateLimitError.isInstance(error)) throw error;
    expect(error).toMatchObject({ lc_error_code: "MODEL_RATE_LIMIT", attempts: 2 });
    expect(getRetryable(error)).toBe(true);
    expect(gateway.received).toHaveLength(2);
  });

  it("can be aborted", async () => {
    gateway.script({ silent: true });
    const controller = new AbortController();
    const arrived = gateway.nextRequest();
    const call = new ModelGatewayEmbeddings("e", gateway.connection).embedQuery("q", {
      signal: controller.signal,
    });
    const rejected = expect(call).rejects.toMatchObject({ name: "AbortError" });
    await arrived;
    controller.abort();
    await rejected;
    await gateway.disconnected();
  });

  it("shares a client, and shows no secret", () => {
    const client = new ModelGateway(gateway.connection);
    const shared = new ModelGatewayEmbeddings("e", { gateway: client });
    const own = new ModelGatewayEmbeddings("e", {
      ...gateway.connection,
      headers: { "x-token": "header-secret" },
    });
    const printed = inspect([shared, own], { depth: 10, showHidden: true }) + JSON.stringify([shared, own]);
    expect(printed).not.toContain("sk-scripted-secret");
    expect(printed).not.toContain("header-secret");
  });

  it("embeds so that what belongs together is close (emulator)", async () => {
    const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
    try {
      const embeddings = new ModelGatewayEmbeddings("local-embedding", {
        apiKey: "sk-emulator",
        baseURL: emulator.url,
      });
      const [sky = [], bread = []] = await embeddings.embedDocuments([
        "The sky is blue on clear days.",
        "Bread is baked from flour.",
      ]);
      const question = await embeddings.embedQuery("What colour is the sky?");
      const similarity = (vector: number[]) =>
        vector.reduce((sum, value, index) => sum + value * (question[index] ?? 0), 0);
      expect(similarity(sky)).toBeGreaterThan(similarity(bread));
    } finally {
      await emulator.close();
    }
  });
});
