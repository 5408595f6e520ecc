import { describe, expect, it } from "vitest";
import { modelPrices } from "../index.js";
import { smallPng } from "../testing/small-png.js";
import { bearer, startEmulator } from "../testing/start-emulator.js";

const user = (content: string) => ({ messages: [{ role: "user", content }] });

describe("the ledger", () => {
  it("holds what was counted as the response says it", async () => {
    const { emulator, openai } = await startEmulator();
    const { data, response } = await openai.chat.completions
      .create({ model: "local-chat", messages: [{ role: "user", content: "What is 6 times 7?" }] })
      .withResponse();
    const { prompt_tokens: inputTokens = 0, completion_tokens: outputTokens = 0 } = data.usage ?? {};
    expect(emulator.ledger.list()).toEqual([
      {
        id: "ledger-1",
        kind: "charge",
        time: expect.any(Number),
        key: "sk-…",
        group: "default",
        model: "local-chat",
        endpoint: "/chat/completions",
        counted: { inputTokens, outputTokens },
        units: Math.ceil((inputTokens * 250 + outputTokens * 1_000) / 1_000),
        requestId: response.headers.get("x-request-id"),
      },
    ]);
  });

  it.each([
    ["/chat/completions", { model: "local-reasoner", ...user("What is 2 plus 2?"), stream: true }],
    ["/embeddings", { model: "local-embedding", input: ["one", "two words"] }],
  ])("counts tokens for %s", async (path, body) => {
    const { emulator, post } = await startEmulator();
    await (await post(path, body)).text();
    const [entry] = emulator.ledger.list();
    expect(entry).toMatchObject({ endpoint: path, model: body.model });
    expect(entry?.counted.inputTokens).toBeGreaterThan(0);
    expect(entry?.units).toBeGreaterThan(0);
  });

  it.each([
    [
      "/images/generations",
      { model: "local-image", prompt: "a fox", size: "1024x2048" },
      { images: 1, outputTokens: 8_192 },
      8_192,
    ],
    [
      "/images/generations",
      { model: "local-image-b64", prompt: "fox", n: 2, quality: "low", size: "1024x1024" },
      { images: 2, inputTokens: 1, outputTokens: 544 },
      8_708,
    ],
    [
      "/images/generations",
      {
        model: "local-image-b64",
        prompt: "fox",
        quality: "low",
        size: "1024x1024",
        stream: true,
        partial_images: 2,
      },
      { images: 1, inputTokens: 1, outputTokens: 472 },
      7_556,
    ],
    ["/audio/speech", { model: "local-speech", input: "你好 you", format: "wav" }, { characters: 6 }, 48],
    [
      "/videos",
      {
        model: "local-video-2.0",
        content: [{ type: "text", text: "a boat" }],
        resolution: "720p",
        ratio: "16:9",
        duration: 5,
      },
      { videoTokens: 108_900 },
      381_150,
    ],
    [
      "/videos/omni-video",
      { model_name: "local-omni-video", prompt: "a boat", aspect_ratio: "16:9", duration: 5 },
      { videoTokens: 108_900 },
      435_600,
    ],
  ])("counts %s by the formulas of its kind", async (path, body, counted, units) => {
    const { emulator, post } = await startEmulator();
    const response = await post(path, body);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    expect(emulator.ledger.list()).toMatchObject([{ endpoint: path, counted, units }]);
  });

  it("counts the tokens of given images in an edit", async () => {
    const { emulator } = await startEmulator();
    const body = new FormData();
    body.set("prompt", "hat");
    body.set("quality", "low");
    body.set("size", "1024x1024");
    body.append("image[]", new File([smallPng()], "a.png"));
    const response = await fetch(`${emulator.url}/images/edits`, {
      method: "POST",
      headers: bearer("sk-emulator"),
      body,
    });
    const { usage } = (await response.json()) as { usage: { input_tokens: number; output_tokens: number } };
    expect(emulator.ledger.list()[0]?.counted).toEqual({
      images: 1,
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
    });
  });

  it("is charged once for a task that is polled, and names the task", async () => {
    const { emulator, get, post } = await startEmulator();
    const created = await post("/videos", {
      model: "local-video-1.5-pro",
      content: [{ type: "text", text: "a boat" }],
    });
    const { id } = (await created.json()) as { id: string };
    await emulator.clock.advance(60_000);
    expect(await (await get(`/videos/${id}`)).json()).toMatchObject({ status: "succeeded" });
    expect(emulator.ledger.list()).toMatchObject([{ kind: "charge", taskId: id }]);
  });

  it.each([
    ["fails", { text: "a boat [[fail]]" }, {}],
    ["expires", { text: "a boat [[stuck]]" }, { execution_expires_after: 3_600 }],
  ])("gives back what a task cost that %s", async (_, content, more) => {
    const { emulator, post } = await startEmulator();
    await post("/videos", {
      model: "local-video-2.0",
      content: [{ type: "text", ...content }],
      ...more,
    });
    const [charge] = emulator.ledger.list();
    await emulator.clock.advance(7_200_000);
    const refund = emulator.ledger.list({ kind: "refund" });
    expect(refund).toMatchObject([{ taskId: charge?.taskId, units: -(charge?.units ?? 0) }]);
    expect(emulator.ledger.total()).toEqual({ calls: 1, units: 0, amount: 0 });
  });

  it("is filtered and summed by key", async () => {
    const { emulator, post } = await startEmulator({
      keys: [{ key: "sk-other", group: "auto" }],
    });
    await post("/embeddings", { model: "local-embedding", input: "one" });
    await post("/embeddings", { model: "local-embedding", input: "one two three" }, "sk-other");
    await post("/chat/completions", { model: "local-chat", ...user("hi") }, "sk-other");
    const { ledger } = emulator;
    expect(ledger.list({ key: "sk-other" })).toHaveLength(2);
    expect(ledger.list({ group: "auto", model: "local-chat" })).toHaveLength(1);
    expect(ledger.list({ endpoint: "/embeddings" })).toHaveLength(2);
    const [own, other, all] = [ledger.total("sk-emulator"), ledger.total("sk-other"), ledger.total()];
    expect(all.units).toBe(own.units + other.units);
    expect([own.calls, other.calls, all.calls]).toEqual([1, 2, 3]);
    expect(all.amount).toBe(all.units / 500_000);
    emulator.reset();
    expect(ledger.list()).toEqual([]);
    expect(ledger.total().units).toBe(0);
  });

  it("has a price for every model", async () => {
    const { emulator } = await startEmulator();
    const served = emulator.groups.list().flatMap(({ models }) => models);
    expect(Object.keys(modelPrices)).toEqual(expect.arrayContaining(served));
  });
});
