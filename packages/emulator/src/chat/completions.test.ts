import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

const hello = {
  model: "local-chat",
  messages: [{ role: "user" as const, content: 'Say "one two three four five"' }],
};

describe("a chat completion", () => {
  it("has the shape of the wire format, with usage", async () => {
    const { post } = await startEmulator();
    const body = await (await post("/chat/completions", hello)).json();
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: "chat.completion",
      created: expect.any(Number),
      model: "local-chat",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "one two three four five" },
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: 5,
        total_tokens: expect.any(Number),
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + 5);
  });

  it("has an id of its own", async () => {
    const { openai } = await startEmulator();
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await openai.chat.completions.create(hello)).id),
    );
    expect(new Set(ids).size).toBe(5);
  });

  it.each(["max_tokens", "max_completion_tokens"])("is cut by %s", async (limit) => {
    const { openai } = await startEmulator();
    const { choices, usage } = await openai.chat.completions.create({ ...hello, [limit]: 2 });
    expect(choices[0]).toMatchObject({ finish_reason: "length", message: { content: "one two" } });
    expect(usage?.completion_tokens).toBe(2);
  });

  it("ends before a stop sequence", async () => {
    const { openai } = await startEmulator();
    const { choices } = await openai.chat.completions.create({ ...hello, stop: [" three", " five"] });
    expect(choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "one two" } });
  });

  it("has as many choices as asked for, and logprobs when asked for", async () => {
    const { openai } = await startEmulator();
    const { choices } = await openai.chat.completions.create({ ...hello, n: 2, logprobs: true });
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(choices[0]?.logprobs?.content?.map(({ token }) => token).join("")).toBe("one two three four five");
  });

  it("tells the type and size of an image it is shown", async () => {
    const { openai } = await startEmulator();
    const header = Buffer.alloc(24);
    header.writeUInt32BE(0x89504e47, 0);
    header.writeUInt32BE(640, 16);
    header.writeUInt32BE(480, 20);
    const { choices } = await openai.chat.completions.create({
      model: "local-chat",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is in this picture?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${header.toString("base64")}` } },
          ],
        },
      ],
    });
    expect(choices[0]?.message.content).toContain("PNG, 640x480 pixels");
  });
});

describe("a streamed chat completion", () => {
  it("is a role chunk, content, a finish chunk, usage when asked for, and the end marker", async () => {
    const { post } = await startEmulator();
    const response = await post("/chat/completions", {
      ...hello,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = (await response.text()).trim().split("\n\n");
    expect(events.every((event) => event.startsWith("data: "))).toBe(true);
    expect(events.at(-1)).toBe("data: [DONE]");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)));
    expect(chunks[0].choices[0].delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(
      "one two three four five",
    );
    expect(chunks.at(-2).choices).toEqual([{ index: 0, delta: {}, finish_reason: "stop" }]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks.every(({ object }) => object === "chat.completion.chunk")).toBe(true);
  });

  it("has no usage unless asked for", async () => {
    const { post } = await startEmulator();
    const text = await (await post("/chat/completions", { ...hello, stream: true })).text();
    expect(text).not.toContain("usage");
  });

  it("says the same as the plain one, read by the SDK", async () => {
    const { openai } = await startEmulator();
    const plain = await openai.chat.completions.create(hello);
    const streamed = await openai.chat.completions.stream(hello).finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe(plain.choices[0]?.message.content);
    expect(streamed.choices[0]?.finish_reason).toBe("stop");
  });
});

describe("the reasoning model", () => {
  const question = {
    model: "local-reasoner",
    messages: [{ role: "user" as const, content: "What is 6 times 7?" }],
  };

  it("thinks aloud before it answers, and counts it", async () => {
    const { post } = await startEmulator();
    const { choices, usage } = await (await post("/chat/completions", question)).json();
    expect(choices[0].message.content).toBe("6 * 7 = 42");
    expect(choices[0].message.reasoning_content).toContain("What is 6 times 7?");
    expect(usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(5);
    expect(usage.completion_tokens).toBeGreaterThan(usage.completion_tokens_details.reasoning_tokens);
  });

  it("streams its reasoning first", async () => {
    const { openai } = await startEmulator();
    const deltas: { content?: string | null; reasoning_content?: string }[] = [];
    for await (const chunk of await openai.chat.completions.create({ ...question, stream: true })) {
      deltas.push(chunk.choices[0]?.delta ?? {});
    }
    const firstContent = deltas.findIndex(({ content }) => content);
    const lastReasoning = deltas.findLastIndex(({ reasoning_content }) => reasoning_content);
    expect(lastReasoning).toBeGreaterThan(0);
    expect(firstContent).toBeGreaterThan(lastReasoning);
  });

  it("may use up its tokens on reasoning alone", async () => {
    const { openai } = await startEmulator();
    const { choices } = await openai.chat.completions.create({ ...question, max_completion_tokens: 3 });
    expect(choices[0]).toMatchObject({ finish_reason: "length", message: { content: "" } });
  });
});
