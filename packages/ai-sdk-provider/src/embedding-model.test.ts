import { APICallError } from "@ai-sdk/provider";
import { InvalidInputsError, memoryEmbeddingCache } from "@model-gateway/core/embeddings";
import { cosineSimilarity, embed, embedMany } from "ai";
import { describe, expect, it } from "vitest";
import { onEmulator, onScript, sendJSON } from "../test/servers.js";

describe("embedding models", () => {
  it("embed many values in calls of 64, in order, with usage", async () => {
    const { modelGateway, emulator } = await onEmulator();
    const values = Array.from({ length: 130 }, (_, index) => `value ${index}`);
    const { embeddings, usage } = await embedMany({
      model: modelGateway.embedding("local-embedding"),
      values,
    });
    expect(embeddings).toHaveLength(130);
    const { embedding } = await embed({
      model: modelGateway.embeddingModel("local-embedding"),
      value: "value 100",
    });
    expect(embeddings[100]).toEqual(embedding);
    expect(usage.tokens).toBeGreaterThan(130);
    expect(emulator.journal.list()).toHaveLength(4);
  });

  it("find what belongs together", async () => {
    const { modelGateway } = await onEmulator();
    const values = [
      "How do I reset my password?",
      "Click 'forgot password' to choose a new one.",
      "Our office is in Lisbon.",
    ];
    const { embeddings } = await embedMany({ model: modelGateway.embedding("local-embedding"), values });
    const [question = [], answer = [], other = []] = embeddings;
    expect(cosineSimilarity(question, answer)).toBeGreaterThan(cosineSimilarity(question, other));
  });

  it("put vectors in order by their index", async () => {
    const { modelGateway } = await onScript((response) =>
      sendJSON(response, {
        data: [
          { index: 1, embedding: [2] },
          { index: 0, embedding: [1] },
        ],
        usage: { prompt_tokens: 2, total_tokens: 2 },
      }),
    );
    const { embeddings } = await embedMany({ model: modelGateway.embedding("m"), values: ["a", "b"] });
    expect(embeddings).toEqual([[1], [2]]);
  });

  it("ask for dimensions only when told, and never for an encoding", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { data: [{ index: 0, embedding: [1] }] }),
    );
    const model = modelGateway.embedding("m");
    await embed({ model, value: "a" });
    await embed({ model, value: "a", providerOptions: { modelGateway: { dimensions: 8, user: "u" } } });
    expect(requests.map(({ json }) => json)).toEqual([
      { model: "m", input: ["a"] },
      { model: "m", input: ["a"], dimensions: 8, user: "u" },
    ]);
  });

  it("pay for a text once with a cache, in all calls of embedMany together", async () => {
    const { modelGateway, emulator } = await onEmulator();
    const values = Array.from({ length: 300 }, (_, index) => `value ${(index * 7) % 100}`);
    const model = modelGateway.embeddingModel("local-embedding", { cache: memoryEmbeddingCache() });
    const { embeddings } = await embedMany({ model, values });
    const again = await embedMany({ model, values });
    const one = await embed({ model, value: "value 42" });
    expect(again.embeddings).toEqual(embeddings);
    expect(one.embedding).toEqual(embeddings[values.indexOf("value 42")]);
    expect([again.usage.tokens, one.usage.tokens]).toEqual([0, 0]);
    const sent = emulator.journal.list().flatMap(({ body }) => (body as { input: string[] }).input);
    expect(sent.sort()).toEqual([...new Set(values)].sort());
  });

  it("tell which value is refused, and keep what the others cost", async () => {
    const { modelGateway, emulator } = await onEmulator();
    const values = ["one", "", "two", "three"];
    const error = await embedMany({ model: modelGateway.embedding("local-embedding"), values }).catch(
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error) && error.isRetryable).toBe(false);
    const cause = (error as APICallError).cause;
    expect(InvalidInputsError.isInstance(cause) && cause.inputs.map(({ index }) => index)).toEqual([1]);
    expect((cause as InvalidInputsError).partial.data.map(({ index }) => index)).toEqual([0, 2, 3]);
    const paid = emulator.journal.list().filter(({ status }) => status === 200);
    const sent = paid.flatMap(({ body }) => (body as { input: string[] }).input);
    expect(sent.sort()).toEqual(["one", "three", "two"]);
  });
});
