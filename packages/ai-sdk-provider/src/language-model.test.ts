import { generateText, isStepCount, type ModelMessage, Output, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { COMPLETION, onEmulator, onScript, sendDeltas, sendJSON } from "../test/servers.js";

const weather = tool({
  description: "Get the weather in a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, temperature: city === "Paris" ? 21 : 17 }),
});

describe("generateText", () => {
  it("answers with usage, ids and headers", async () => {
    const { modelGateway } = await onEmulator();
    const result = await generateText({ model: modelGateway("local-chat"), prompt: "What is 6 times 7?" });
    expect(result.text).toContain("42");
    expect(result.finishReason).toBe("stop");
    expect(result.usage.totalTokens).toBeGreaterThan(0);
    expect(result.response.modelId).toBe("local-chat");
    expect(result.response.id).toMatch(/^chatcmpl-/);
    expect(result.providerMetadata?.["modelGateway"]?.["requestId"]).toBe(
      result.response.headers?.["x-request-id"],
    );
    expect(result.warnings ?? []).toEqual([]);
  });

  it("runs tools in a loop, several at once", async () => {
    const { modelGateway, emulator } = await onEmulator();
    const { text, steps } = await generateText({
      model: modelGateway("local-chat"),
      tools: { weather },
      stopWhen: isStepCount(4),
      prompt: "What is the weather in Paris and in Berlin?",
    });
    expect(steps[0]?.toolCalls.map(({ input }) => input)).toEqual([{ city: "Paris" }, { city: "Berlin" }]);
    expect(text).toMatch(/21/);
    expect(text).toMatch(/17/);
    expect(emulator.journal.list().filter(({ path }) => path.endsWith("/chat/completions"))).toHaveLength(2);
  });

  it("fills an object from the text", async () => {
    const { modelGateway } = await onEmulator();
    const schema = z.object({ name: z.string(), age: z.number(), email: z.string() });
    const { output } = await generateText({
      model: modelGateway("local-chat"),
      output: Output.object({ schema }),
      prompt: "Mara is 34 years old, her e-mail is mara@example.com.",
    });
    expect(output).toEqual({ name: "Mara", age: 34, email: "mara@example.com" });
  });

  it("returns reasoning", async () => {
    const { modelGateway } = await onEmulator();
    const { reasoningText, usage } = await generateText({
      model: modelGateway("local-reasoner"),
      prompt: "What is 6 times 7?",
    });
    expect(reasoningText).toBeTruthy();
    expect(usage.outputTokenDetails.reasoningTokens).toBeGreaterThan(0);
  });

  it("sends only what the caller set, in the words of the API", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    await generateText({ model: modelGateway("m"), prompt: "hi" });
    expect(requests[0]?.json).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      stream: false,
    });
    const { warnings } = await generateText({
      model: modelGateway("m"),
      prompt: "hi",
      maxOutputTokens: 5,
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 0,
      stopSequences: ["x"],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      reasoning: "high",
      providerOptions: {
        modelGateway: { user: "u", metadata: { a: "b" }, parallelToolCalls: false, extraBody: { future: 1 } },
      },
    });
    expect(requests[1]?.json).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      max_completion_tokens: 5,
      temperature: 0,
      top_p: 0.5,
      seed: 0,
      stop: ["x"],
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      reasoning_effort: "high",
      user: "u",
      metadata: { a: "b" },
      parallel_tool_calls: false,
      future: 1,
      stream: false,
    });
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "topK" }]);
  });

  it.each([
    ["none", "none", []],
    ["xhigh", "xhigh", []],
    ["max", "xhigh", ["reasoning"]],
    ["provider-default", undefined, []],
  ] as const)("asks for reasoning %s as %s", async (reasoning, effort, warned) => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    const { warnings } = await generateText({ model: modelGateway("m"), prompt: "hi", reasoning });
    expect(requests[0]?.json["reasoning_effort"]).toBe(effort);
    expect((warnings ?? []).map((warning) => ("feature" in warning ? warning.feature : ""))).toEqual(warned);
    const providerOptions = { modelGateway: { reasoningEffort: "deep" } };
    await generateText({ model: modelGateway("m"), prompt: "hi", reasoning, providerOptions });
    expect(requests[1]?.json["reasoning_effort"]).toBe("deep");
  });

  it("refuses unknown provider options before anything is sent", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    const call = generateText({
      model: modelGateway("m"),
      prompt: "hi",
      providerOptions: { modelGateway: { usre: "u" } },
    });
    await expect(call).rejects.toThrow(/modelGateway provider options/);
    expect(requests).toHaveLength(0);
  });

  it("names itself in the user agent, after the SDK", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    await generateText({ model: modelGateway("m"), prompt: "hi", headers: { "x-trace": "1" } });
    expect(requests[0]?.headers["user-agent"]).toMatch(/ai\/7.*ai-sdk\/model-gateway\//);
    expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer sk-test", "x-trace": "1" });
  });

  it("sends images as parts, remote ones by their URL and without downloading them", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "file", mediaType: "image", data: new URL("https://files.example/cat.png?size=1") },
          {
            type: "file",
            mediaType: "image",
            data: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
          },
        ],
      },
    ];
    await generateText({ model: modelGateway("m"), messages });
    expect(requests[0]?.json["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "https://files.example/cat.png?size=1" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    ]);
  });

  it("refuses parts that the API does not have", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    const content = [{ type: "file" as const, data: Uint8Array.of(1), mediaType: "audio/mpeg" }];
    await expect(
      generateText({ model: modelGateway("m"), messages: [{ role: "user", content }] }),
    ).rejects.toThrow(/file parts of type audio\/mpeg/);
    expect(requests).toHaveLength(0);
  });

  it("sends reasoning back inside a tool loop, and not for finished turns", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    const reasoned = (toolCallId: string): ModelMessage => ({
      role: "assistant",
      content: [
        { type: "reasoning", text: `thought ${toolCallId}` },
        { type: "tool-call", toolCallId, toolName: "weather", input: { city: "Paris" } },
      ],
    });
    const result = (toolCallId: string): ModelMessage => ({
      role: "tool",
      content: [
        { type: "tool-result", toolCallId, toolName: "weather", output: { type: "json", value: { t: 1 } } },
      ],
    });
    const messages: ModelMessage[] = [
      { role: "user", content: "first" },
      reasoned("a"),
      result("a"),
      { role: "user", content: "second" },
      reasoned("b"),
      result("b"),
    ];
    await generateText({ model: modelGateway("m"), messages });
    await generateText({
      model: modelGateway("m"),
      messages,
      providerOptions: { modelGateway: { sendReasoning: false } },
    });
    const sentBy = (call: number) =>
      (requests[call]?.json["messages"] ?? []) as Array<Record<string, unknown>>;
    const reasoningOf = (call: number) => sentBy(call).map((message) => message["reasoning_content"]);
    expect(reasoningOf(0)).toEqual([undefined, undefined, undefined, undefined, "thought b", undefined]);
    expect(reasoningOf(1)).toEqual(new Array(6).fill(undefined));
    expect(sentBy(0)[5]).toEqual({
      role: "tool",
      tool_call_id: "b",
      content: '{"t":1}',
    });
  });
});

describe("streamText", () => {
  it("streams text with usage by default", async () => {
    const { modelGateway } = await onEmulator();
    const result = streamText({ model: modelGateway("local-chat"), prompt: "What is 6 times 7?" });
    const deltas: string[] = [];
    for await (const delta of result.textStream) deltas.push(delta);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toContain("42");
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
  });

  it("streams reasoning before text", async () => {
    const { modelGateway } = await onEmulator();
    const result = streamText({ model: modelGateway("local-reasoner"), prompt: "What is 6 times 7?" });
    expect(await result.reasoningText).toBeTruthy();
    expect(await result.text).toContain("42");
  });

  it("streams an object", async () => {
    const { modelGateway } = await onEmulator();
    const result = streamText({
      model: modelGateway("local-chat"),
      output: Output.object({ schema: z.object({ city: z.string(), days: z.number() }) }),
      prompt: "Plan 3 days in Lisbon.",
    });
    let partials = 0;
    for await (const _partial of result.partialOutputStream) partials++;
    expect(partials).toBeGreaterThan(1);
    expect(await result.output).toEqual({ city: "Lisbon", days: 3 });
  });

  it("closes the connection when it is aborted", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const { modelGateway } = await onScript((response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta: { content: "a" } }] })}\n\n`,
      );
    });
    const controller = new AbortController();
    const result = streamText({ model: modelGateway("m"), prompt: "hi", abortSignal: controller.signal });
    let aborted = false;
    for await (const part of result.stream) {
      if (part.type === "text-delta") controller.abort();
      if (part.type === "abort") aborted = true;
    }
    expect(aborted).toBe(true);
    await closed;
  });

  it("reports an error inside the stream with its type and code", async () => {
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        `data: ${JSON.stringify({ error: { message: "Overloaded", type: "upstream_error", code: 503 } })}\n\n`,
      );
    });
    const errors: unknown[] = [];
    const result = streamText({
      model: modelGateway("m"),
      prompt: "hi",
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ type: "upstream_error", code: "503" });
    expect(String((errors[0] as Error).message)).toContain("Overloaded");
  });

  it("never runs a tool whose arguments were cut off", async () => {
    const executed: unknown[] = [];
    const spy = tool({
      inputSchema: z.object({ a: z.string().optional() }),
      execute: async (input) => executed.push(input),
    });
    const call = (args: string) => ({
      tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "spy", arguments: args } }],
    });
    const { modelGateway } = await onScript((response, count) => {
      if (count === 1) sendDeltas(response, [call('{"a": "half')]);
      if (count === 2) sendDeltas(response, [call('{"a": "half')], "length");
      if (count === 3) sendDeltas(response, [call("")], "length");
      if (count === 4) sendDeltas(response, [call("")], "tool_calls");
    });
    for (let count = 0; count < 4; count++) {
      const result = streamText({
        model: modelGateway("m"),
        prompt: "hi",
        tools: { spy },
        onError: () => {},
      });
      await result.consumeStream();
      expect(executed).toHaveLength(count === 3 ? 1 : 0);
    }
  });
});
