import { ModelRefusalError } from "@langchain/core/errors";
import type { AIMessage } from "@langchain/core/messages";
import { JsonOutputParser } from "@langchain/core/output_parsers";
import { priceBook } from "@model-gateway/core/prices";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { collect, facts, readEveryStreamedWay } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

let gateway: ScriptedGateway;
let model: ChatModelGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
  model = new ChatModelGateway("m", gateway.connection);
});
afterAll(() => gateway.close());

async function answer(message: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  gateway.script(completion(message, fields));
  return model.invoke("Hi");
}

describe("an answer's message holds", () => {
  it("the refusal, as a block and where chat completions have it", async () => {
    const message = await answer({ content: null, refusal: "I cannot help with that." });
    expect(message.contentBlocks).toEqual([{ type: "refusal", refusal: "I cannot help with that." }]);
    expect(message.additional_kwargs).toEqual({ refusal: "I cannot help with that." });
    expect(message.text).toBe("");
  });

  it("no refusal where the route sends an empty one", async () => {
    const message = await answer({ content: "Sure.", refusal: null });
    expect(message.contentBlocks).toEqual([{ type: "text", text: "Sure." }]);
    expect((await answer({ content: "Sure.", refusal: "" })).contentBlocks).toEqual(message.contentBlocks);
  });

  it("citations on its text", async () => {
    const message = await answer({
      content: "Paris is big.",
      annotations: [
        {
          type: "url_citation",
          url_citation: {
            url: "https://a.example/paris",
            title: "Paris",
            content: "Big.",
            start_index: 0,
            end_index: 5,
          },
        },
        { type: "file_citation", file_id: "f-1" },
      ],
    });
    expect(message.contentBlocks).toEqual([
      {
        type: "text",
        text: "Paris is big.",
        annotations: [
          {
            type: "citation",
            url: "https://a.example/paris",
            title: "Paris",
            citedText: "Big.",
            startIndex: 0,
            endIndex: 5,
          },
          { type: "file_citation", file_id: "f-1" },
        ],
      },
    ]);
  });

  it("thoughts that come as parts of the content as reasoning", async () => {
    const thinking = [
      { type: "text", text: "Six times" },
      { type: "text", text: " seven." },
    ];
    const message = await answer({
      content: [
        { type: "thinking", thinking },
        { type: "text", text: "42" },
      ],
    });
    expect(message.contentBlocks).toEqual([
      { type: "reasoning", reasoning: "Six times seven." },
      { type: "text", text: "42" },
    ]);
    expect((await answer({ content: [{ type: "thinking", thinking: "Hm." }] })).contentBlocks).toEqual([
      { type: "reasoning", reasoning: "Hm." },
    ]);
  });

  it("spoken words as an audio block, and as the route sent them", async () => {
    const audio = { id: "audio-1", data: "UklGRgAA", transcript: "Hello.", expires_at: 9 };
    const message = await answer({ content: null, audio });
    expect(message.contentBlocks).toEqual([
      {
        type: "audio",
        id: "audio-1",
        mimeType: "audio/wav",
        data: "UklGRgAA",
        metadata: { transcript: "Hello." },
      },
    ]);
    expect(message.additional_kwargs["audio"]).toEqual(audio);
  });

  it("what the call cost, where the client has prices, the same however it was read", async () => {
    const prices = priceBook({ models: { m: { input: 1, output: 2 } } });
    const priced = new ChatModelGateway("m", { ...gateway.connection, prices });
    const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };
    const headers = { "x-request-id": "req-8" };
    const cost = { amount: 0.002, currency: "USD", units: 1_000, source: "price-book" };
    gateway.script({ ...(completion({ content: "Hi" }, { usage }) as object), headers } as never);
    const invoked = await priced.invoke("Hi");
    expect(invoked.response_metadata).toMatchObject({ cost, request_id: "req-8" });
    const ending = event({}, { finish_reason: "stop", usage });
    gateway.script({ headers, events: [event({ content: "Hi" }), ending] });
    for (const [way, message] of Object.entries(await readEveryStreamedWay(priced)))
      expect(facts(message).metadata, way).toMatchObject({ cost, request_id: "req-8" });
    expect(JSON.stringify(priced)).not.toContain("prices");
  });

  it("what the route tells of the answer: cost, log-probabilities, fingerprint, tier, request id", async () => {
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 5,
      total_tokens: 8,
      cost: 0.25,
      prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
    };
    const logprobs = { content: [{ token: "Hi", logprob: -0.5, top_logprobs: [] }] };
    const told = { system_fingerprint: "fp-1", service_tier: "flex", usage };
    const expected = { ...told, logprobs, request_id: "req-7" };
    const headers = { "x-request-id": "req-7" };
    const whole = completion({ content: "Hi" }, told) as { json: { choices: object[] } };
    Object.assign(whole.json.choices[0] as object, { logprobs });
    gateway.script({ ...whole, headers });
    const invoked = await model.invoke("Hi");
    expect(invoked.response_metadata).toMatchObject(expected);
    expect(invoked.usage_metadata?.input_token_details).toEqual({ cache_read: 1, cache_creation: 2 });
    const first = event({ content: "Hi" }, { system_fingerprint: "fp-1" });
    Object.assign(first.choices[0] as object, { logprobs });
    gateway.script({
      headers,
      events: [first, event({}, { finish_reason: "stop", service_tier: "flex", usage })],
    });
    for (const [way, message] of Object.entries(await readEveryStreamedWay(model)))
      expect(facts(message), way).toEqual(facts(invoked));
  });

  it("fields that nobody knows, and never those that would change what LangChain takes it for", async () => {
    const message = await answer(
      { content: "Hi", function_call: { name: "old" }, mood: "calm" },
      { output_version: "v1", tokenUsage: { promptTokens: 1e9 }, model_provider: "anthropic", lane: 3 },
    );
    expect(message.additional_kwargs).toEqual({ mood: "calm" });
    expect(message.content).toBe("Hi");
    expect(message.contentBlocks).toEqual([{ type: "text", text: "Hi" }]);
    expect(message.response_metadata).toMatchObject({ lane: 3, model_provider: "model-gateway" });
    expect(message.response_metadata).not.toHaveProperty("output_version");
    expect(message.response_metadata).not.toHaveProperty("tokenUsage");
  });

  it("the whole answer when asked for it, invoked and streamed", async () => {
    const keeping = new ChatModelGateway("m", { ...gateway.connection, includeRawResponse: true });
    const whole = completion({ content: "Hi" }) as { json: Record<string, unknown> };
    gateway.script(whole);
    expect((await keeping.invoke("Hi")).additional_kwargs["__raw_response"]).toEqual(whole.json);
    gateway.script({ events: [event({ content: "H" }), event({ content: "i" }), ...ending()] });
    const streamed = await collect(await keeping.stream("Hi"));
    expect(streamed.additional_kwargs["__raw_response"]).toEqual(whole.json);
    expect((await answer({ content: "Hi" })).additional_kwargs).toEqual({});
  });

  it("the signature of each tool call, as extras of its block", async () => {
    const extra = { google: { thought_signature: "sig-1" } };
    const message = await answer({
      content: null,
      tool_calls: [
        { id: "a", type: "function", function: { name: "add", arguments: "{}" }, extra_content: extra },
        { id: "b", type: "function", function: { name: "add", arguments: '{"x"' }, extra_content: extra },
        { id: "c", type: "function", function: { name: "add", arguments: "{}" } },
      ],
    });
    expect(message.contentBlocks).toEqual([
      { type: "tool_call", id: "a", name: "add", args: {}, extras: { extra_content: extra } },
      { type: "tool_call", id: "c", name: "add", args: {} },
      expect.objectContaining({ type: "invalid_tool_call", id: "b", extras: { extra_content: extra } }),
    ]);
  });
});

describe("a refusal", () => {
  const Person = z.object({ name: z.string() });

  it.each(["functionCalling", "jsonSchema", "jsonMode", "prompt"])(
    "fails structured output by %s as a refusal, which no retry repeats, or gives null with includeRaw",
    async (method) => {
      gateway.script(completion({ content: null, refusal: "I cannot." }));
      const error = await model
        .withStructuredOutput(Person, { method })
        .invoke("Hi")
        .catch((thrown: unknown) => thrown);
      if (!ModelRefusalError.isInstance(error)) throw error;
      expect(error.message).toContain("I cannot.");
      expect((error.rawMessage as AIMessage).additional_kwargs["refusal"]).toBe("I cannot.");
      const both = await model.withStructuredOutput(Person, { method, includeRaw: true }).invoke("Hi");
      expect(both.parsed).toBeNull();
      expect(both.raw.contentBlocks).toEqual([{ type: "refusal", refusal: "I cannot." }]);
    },
  );

  it("is what LangChain's own parsers make of it", async () => {
    gateway.script(completion({ content: null, refusal: "I cannot." }));
    await expect(model.pipe(new JsonOutputParser()).invoke("Hi")).rejects.toSatisfy(
      ModelRefusalError.isInstance,
    );
  });
});

describe("<think> tags", () => {
  const tagged = "<think>Six times seven.</think>\n\n42";

  it("become reasoning where asked for, the same in every way an answer is read", async () => {
    const thinking = new ChatModelGateway("m", { ...gateway.connection, thinkTags: true });
    gateway.script(completion({ content: tagged }));
    const invoked = await thinking.invoke("Hi");
    expect(invoked.text).toBe("42");
    expect(invoked.contentBlocks).toEqual([
      { type: "reasoning", reasoning: "Six times seven." },
      { type: "text", text: "42" },
    ]);
    gateway.script({ events: [...[...tagged].map((content) => event({ content })), ...ending()] });
    for (const [way, message] of Object.entries(await readEveryStreamedWay(thinking)))
      expect(facts(message), way).toEqual(facts(invoked));
  });

  it("show the rest of an answer that ends inside of one", async () => {
    const thinking = new ChatModelGateway("m", { ...gateway.connection, thinkTags: true });
    gateway.script({ events: [event({ content: "<think>Six </th" }), ...ending("length")] });
    for (const [way, message] of Object.entries(await readEveryStreamedWay(thinking)))
      expect(message.contentBlocks, way).toEqual([{ type: "reasoning", reasoning: "Six </th" }]);
  });

  it("stay in the text otherwise", async () => {
    expect((await answer({ content: tagged })).text).toBe(tagged);
  });
});
