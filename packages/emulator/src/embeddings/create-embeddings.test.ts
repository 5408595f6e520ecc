import { describe, expect, it } from "vitest";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

describe("POST /embeddings", () => {
  it("answers a unit vector per input, in order, with usage", async () => {
    const { post } = await startEmulator();
    const response = await post("/embeddings", { model: "local-embedding", input: ["first", "second"] });
    const body = await response.json();
    expect(body).toMatchObject({
      object: "list",
      model: "local-embedding",
      data: [
        { object: "embedding", index: 0 },
        { object: "embedding", index: 1 },
      ],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    });
    for (const { embedding } of body.data) {
      expect(embedding).toHaveLength(1_536);
      expect(Math.hypot(...embedding)).toBeCloseTo(1, 6);
    }
  });

  it("takes one string, and the dimensions it is asked for", async () => {
    const { openai } = await startEmulator();
    const { data } = await openai.embeddings.create({
      model: "local-embedding",
      input: "hello",
      dimensions: 256,
    });
    expect(data).toHaveLength(1);
    expect(data[0]?.embedding).toHaveLength(256);
  });

  it("says the same as Base64 and as numbers", async () => {
    const { openai } = await startEmulator();
    // The SDK asks for Base64 by itself and decodes it.
    const decoded = await openai.embeddings.create({ model: "local-embedding", input: "hello" });
    const plain = await openai.embeddings.create({
      model: "local-embedding",
      input: "hello",
      encoding_format: "float",
    });
    for (const [index, value] of (plain.data[0]?.embedding ?? []).entries()) {
      expect(decoded.data[0]?.embedding[index]).toBeCloseTo(value, 6);
    }
  });

  it("embeds a text without words", async () => {
    const { openai } = await startEmulator();
    const { data } = await openai.embeddings.create({ model: "local-embedding", input: ["!!!", "???"] });
    expect(data[0]?.embedding).not.toEqual(data[1]?.embedding);
  });

  it.each([
    [{ input: "a" }, "model is required"],
    [{ model: "local-embedding" }, "input is required"],
    [{ model: "local-embedding", input: [] }, "input must be a non-empty string or a non-empty array"],
    [{ model: "local-embedding", input: "" }, "input must not be empty"],
    [{ model: "local-embedding", input: ["a", 1] }, "input[1] must be a string"],
    [{ model: "local-embedding", input: "a", dimensions: 0 }, "dimensions must be an integer from 1"],
    [
      { model: "local-embedding", input: "a", encoding_format: "hex" },
      'encoding_format must be one of "float", "base64"',
    ],
  ])("refuses %j", async (body, message) => {
    const { post } = await startEmulator();
    const error = await errorOf(await post("/embeddings", body));
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error" });
    expect(error.message).toContain(message);
  });

  it("refuses a request as a whole for one text that is too long, and charges nothing", async () => {
    const { post, emulator } = await startEmulator();
    const input = ["short", "word ".repeat(8_193), "short, too"];
    const error = await errorOf(await post("/embeddings", { model: "local-embedding", input }));
    expect(error).toMatchObject({ status: 400, code: "context_length_exceeded" });
    expect(error.message).toContain("maximum context length is 8192 tokens");
    expect(emulator.ledger.total().calls).toBe(0);
    const fits = await post("/embeddings", {
      model: "local-embedding",
      input: ["word ".repeat(8_191).trim()],
    });
    expect(fits.status).toBe(200);
  });

  it("refuses a model that embeds nothing, and names one that does", async () => {
    const { post } = await startEmulator();
    const error = await errorOf(await post("/embeddings", { model: "local-chat", input: "a" }));
    expect(error).toMatchObject({ status: 400, code: "model_not_supported" });
    expect(error.message).toContain("local-embedding");
  });
});
