import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { startEmulator } from "../testing/start-emulator.js";

const USER = { role: "user", content: "What is 6 times 7?" };

describe("the profile tolerant", () => {
  it.each<[string, string, object]>([
    [
      "a developer message",
      "/chat/completions",
      { messages: [{ role: "developer", content: "Be brief." }, USER] },
    ],
    [
      "numbers out of bounds",
      "/chat/completions",
      { messages: [USER], temperature: 3, max_tokens: -1, n: 0, seed: 0.5 },
    ],
    [
      "options without their others",
      "/chat/completions",
      {
        ...{
          messages: [USER],
          stream_options: { include_usage: true },
          tool_choice: "auto",
          parallel_tool_calls: true,
        },
      },
    ],
    [
      "options that nobody knows",
      "/chat/completions",
      { messages: [USER], reasoning_effort: "max", metadata: "a", user: 7 },
    ],
    ["many stop sequences", "/chat/completions", { messages: [USER], stop: ["a", "b", "c", "d", "e", "f"] }],
    [
      "tools of other kinds",
      "/chat/completions",
      { messages: [USER], tools: [{ type: "web_search" }], tool_choice: "any" },
    ],
    [
      "parts of other kinds",
      "/chat/completions",
      {
        messages: [
          { role: "user", content: [{ type: "input_audio", input_audio: {} }, "What is 6 times 7?"] },
        ],
      },
    ],
    [
      "an image as text",
      "/chat/completions",
      {
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: "https://a.test/1.png" }, USER.content] },
        ],
      },
    ],
    [
      "a result of a call that is not there",
      "/chat/completions",
      {
        messages: [USER, { role: "tool", tool_call_id: "gone", content: "It is 42." }],
      },
    ],
    [
      "arguments as an object",
      "/chat/completions",
      {
        messages: [
          USER,
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "a", type: "function", function: { name: "x", arguments: {} } }],
          },
          { role: "tool", tool_call_id: "a", content: "42" },
        ],
      },
    ],
    ["a message without content", "/chat/completions", { messages: [USER, { role: "assistant" }, USER] }],
    [
      "a schema without a name",
      "/chat/completions",
      {
        ...{
          messages: [USER],
          response_format: { type: "json_schema", schema: { type: "object", properties: {} } },
        },
      },
    ],
    [
      "response_format of images",
      "/images/generations",
      { model: "local-image-b64", prompt: "a", response_format: "b64_json" },
    ],
    [
      "sizes and qualities of others",
      "/images/generations",
      {
        ...{
          model: "local-image-b64",
          prompt: "a",
          size: "1792x1024",
          quality: "hd",
          style: "vivid",
          seed: 1,
        },
      },
    ],
    [
      "options of the other shape",
      "/images/generations",
      { model: "local-image", prompt: "a", n: 2, quality: "hd" },
    ],
    ["tokens", "/embeddings", { model: "local-embedding", input: [[1, 2], [3]], dimensions: 0 }],
    [
      "speech too fast",
      "/audio/speech",
      {
        ...{ model: "local-speech", input: "a", response_format: "wav", speed: 9, stream_format: "audio" },
      },
    ],
  ])("takes %s, which spec refuses", async (_what, path, given) => {
    const body = { model: "local-chat", ...given };
    const spec = await startEmulator();
    expect((await spec.post(path, body)).status).toBe(400);
    const { post } = await startEmulator({ profile: "tolerant" });
    const response = await post(path, body);
    expect([response.status, response.status === 200 ? "" : await response.text()]).toEqual([200, ""]);
    if (path !== "/chat/completions" || "response_format" in given) return;
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    expect(choices[0]?.message.content).toContain("42");
  });

  it("means what it was sent: forced tools, system texts, shapes of pictures, texts to judge", async () => {
    const { emulator, openai, post } = await startEmulator({ profile: "tolerant" });
    const forced = await post("/chat/completions", {
      ...{ model: "local-chat", messages: [{ role: "user", content: "Oslo" }] },
      functions: [
        { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
      ],
      function_call: { name: "weather" },
    });
    expect(await forced.json()).toMatchObject({
      choices: [
        { message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] } },
      ],
    });
    const grounded = await openai.chat.completions.create({
      model: "local-chat",
      messages: [
        { role: "developer", content: "Context:\nOrders ship within two days." },
        { role: "user", content: "When do orders ship?" },
      ],
    });
    expect(grounded.choices[0]?.message.content).toBe("Orders ship within two days.");
    await openai.images.generate({ model: "local-image-b64", prompt: "a", size: "1792x1024", quality: "hd" });
    const dear = emulator.ledger.list({ model: "local-image-b64" })[0]?.counted.outputTokens ?? 0;
    await openai.images.generate({
      model: "local-image-b64",
      prompt: "a",
      size: "1024x1024",
      quality: "low",
    });
    const cheap = emulator.ledger.list({ model: "local-image-b64" })[1]?.counted.outputTokens ?? 0;
    expect(dear).toBeGreaterThan(cheap);
    emulator.keys.update("sk-emulator", { moderation: true });
    const parts = [
      { type: "text" as const, text: "I will kill you" },
      { type: "image_url" as const, image_url: { url: "https://a.test" } },
    ];
    const judged = await openai.moderations.create({ model: "local-moderation", input: parts });
    expect(judged.results[0]?.flagged).toBe(true);
  });

  it("still refuses what nobody can answer, and keeps what was sent in the journal", async () => {
    const { emulator, post } = await startEmulator({ profile: "tolerant" });
    for (const body of [
      { messages: [] },
      { messages: "hello" },
      { messages: [{ role: "pirate", content: "a" }] },
      {},
    ]) {
      expect((await post("/chat/completions", { model: "local-chat", ...body })).status).toBe(400);
    }
    await post("/chat/completions", { model: "local-chat", messages: [{ role: "developer", content: "a" }] });
    expect(emulator.journal.list().at(-1)?.body).toMatchObject({ messages: [{ role: "developer" }] });
    expect(() => createEmulator({ profile: "lax" as "spec" })).toThrow(
      "profile must be one of spec, tolerant, ark",
    );
  });

  it("serves a client with an old model id and any key from one line", async () => {
    const models = [{ id: "gpt-4o", like: "local-chat" }];
    const { emulator } = await startEmulator({ profile: "tolerant", anyKey: true, models });
    const openai = new OpenAI({ apiKey: "anything", baseURL: emulator.url, maxRetries: 0 });
    const stream = await openai.chat.completions.create({
      ...{ model: "gpt-4o", stream: true, max_tokens: -1 },
      messages: [
        { role: "developer", content: "Be brief." },
        { role: "user", content: "What is 6 times 7?" },
      ],
    });
    let said = "";
    for await (const { choices } of stream) said += choices[0]?.delta.content ?? "";
    expect(said).toBe("6 * 7 = 42");
  });
});
