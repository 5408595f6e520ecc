import type { LanguageModelV4CallOptions, LanguageModelV4Content } from "@ai-sdk/provider";
import { convertReadableStreamToArray } from "@ai-sdk/provider-utils/test";
import { APICallError, generateText, isStepCount, Output, streamText, ToolLoopAgent, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { COMPLETION, onScript, sendDeltas, sendJSON } from "../test/servers.js";
import { grammarProblems } from "../test/stream-grammar.js";
import { collectContent } from "./collect-content.js";
import type { ModelGatewayLanguageModelSettings } from "./index.js";

const CALL: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
};

const completion = (message: object, finish: string | null = "stop", more: object = {}) => ({
  ...COMPLETION,
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: finish }],
  ...more,
});

interface Answer {
  content: LanguageModelV4Content[];
  finishReason: string;
  metadata: Record<string, unknown> | undefined;
}

/** Ids of sources are made up on the way. */
function withoutIds(content: readonly LanguageModelV4Content[]): LanguageModelV4Content[] {
  return content.map((part) => (part.type === "source" ? { ...part, id: "" } : part));
}

async function whole(
  message: object,
  { finish = "stop" as string | null, settings = {} as ModelGatewayLanguageModelSettings } = {},
): Promise<Answer> {
  const { modelGateway } = await onScript((response) => sendJSON(response, completion(message, finish)));
  const { content, finishReason, providerMetadata } = await modelGateway("m", settings).doGenerate(CALL);
  return {
    content: withoutIds(content),
    finishReason: finishReason.unified,
    metadata: providerMetadata?.["modelGateway"],
  };
}

async function streamed(
  deltas: readonly object[],
  { finish = "stop", settings = {} as ModelGatewayLanguageModelSettings } = {},
): Promise<Answer> {
  const { modelGateway } = await onScript((response) => sendDeltas(response, deltas, finish));
  const { stream } = await modelGateway("m", settings).doStream(CALL);
  const parts = await convertReadableStreamToArray(stream);
  expect(grammarProblems(parts)).toEqual([]);
  const end = parts.at(-1);
  if (end?.type !== "finish") throw new Error("There is no end.");
  return {
    content: withoutIds(collectContent(parts)),
    finishReason: end.finishReason.unified,
    metadata: end.providerMetadata?.["modelGateway"],
  };
}

describe("a refusal", () => {
  it("is text with the finish reason content-filter, whole and streamed", async () => {
    const expected = { content: [{ type: "text", text: "I cannot help." }], finishReason: "content-filter" };
    const one = await whole({ refusal: "I cannot help." });
    expect(one).toMatchObject(expected);
    expect(one.metadata).toMatchObject({ refusal: "I cannot help." });
    const many = await streamed([{ refusal: "I cannot " }, { refusal: "help." }]);
    expect(many).toMatchObject(expected);
    expect(many.metadata).toMatchObject({ refusal: "I cannot help." });
    expect(await whole({ content: [{ type: "refusal", refusal: "I cannot help." }] })).toMatchObject(
      expected,
    );
  });

  it("reaches the user of generateText and streamText", async () => {
    const { modelGateway } = await onScript((response, count) =>
      count === 1
        ? sendJSON(response, completion({ refusal: "No." }))
        : sendDeltas(response, [{ refusal: "No." }], "stop"),
    );
    const { text, finishReason } = await generateText({ model: modelGateway("m"), prompt: "x" });
    expect([text, finishReason]).toEqual(["No.", "content-filter"]);
    const result = streamText({ model: modelGateway("m"), prompt: "x" });
    expect([await result.text, await result.finishReason]).toEqual(["No.", "content-filter"]);
  });
});

describe("an answer without choices", () => {
  it("is an error that keeps what came and is not retried", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { ...COMPLETION, choices: [] }),
    );
    const error = await generateText({ model: modelGateway("m"), prompt: "x" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ isRetryable: false, data: { id: "chatcmpl-1", choices: [] } });
    expect(requests).toHaveLength(1);
  });
});

describe("reasoning", () => {
  it("comes from thinking parts, with what must go back", async () => {
    const reasoning = (thinking: string) => ({
      type: "reasoning",
      text: "Six sevens.",
      providerMetadata: { modelGateway: { thinking, signature: "s" } },
    });
    const text = { type: "text", text: "42" };
    expect(
      await whole({
        content: [
          { type: "thinking", thinking: "Six sevens.", signature: "s" },
          { type: "text", text: "42" },
        ],
      }),
    ).toMatchObject({ content: [reasoning("text"), text] });
    expect(
      await streamed([
        { content: [{ type: "thinking", thinking: [{ type: "text", text: "Six " }] }] },
        {
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "sevens." }], signature: "s", index: 0 },
          ],
        },
        { content: "42" },
      ]),
    ).toMatchObject({ content: [reasoning("parts"), text] });
  });

  it("comes from tags where that is asked for, by setting or option, and stays text elsewhere", async () => {
    const settings = { thinkTags: true };
    const found = [
      {
        type: "reasoning",
        text: "Six sevens.",
        providerMetadata: { modelGateway: { thinkTags: true } },
      },
      { type: "text", text: "42" },
    ];
    const content = "<think>Six sevens.</think>\n\n42";
    expect((await whole({ content }, { settings })).content).toEqual(found);
    expect((await whole({ content })).content).toEqual([{ type: "text", text: content }]);
    const deltas = [...content].map((letter) => ({ content: letter }));
    expect((await streamed(deltas, { settings })).content).toEqual(found);
    // What looked like the beginning of a tag at the end is what it looks like.
    const cut = await streamed([{ content: "<think>Six </th" }], { settings, finish: "length" });
    expect(cut.content).toMatchObject([{ type: "reasoning", text: "Six </th" }]);
    const { modelGateway } = await onScript((response) => sendJSON(response, completion({ content })));
    const providerOptions = { modelGateway: settings };
    const { reasoningText, text } = await generateText({
      model: modelGateway("m"),
      prompt: "x",
      providerOptions,
    });
    expect([reasoningText, text]).toEqual(["Six sevens.", "42"]);
  });
});

describe("tool calls", () => {
  const call = (fields: object) => ({ id: "c1", type: "function", ...fields });

  it("are read when their arguments are an object, or missing", async () => {
    const calls = [
      call({ function: { name: "a", arguments: { city: "Paris" } } }),
      { function: { name: "b" } },
      { id: "c1", function: { name: "c", arguments: null } },
    ];
    for (const { content, finishReason } of [
      await whole({ tool_calls: calls }, { finish: null }),
      await streamed([{ tool_calls: calls.map((fields, index) => ({ ...fields, index })) }]),
    ]) {
      const found = content.filter((part) => part.type === "tool-call");
      expect(found.map(({ toolName, input }) => [toolName, input])).toEqual([
        ["a", '{"city":"Paris"}'],
        ["b", ""],
        ["c", ""],
      ]);
      expect(new Set(found.map(({ toolCallId }) => toolCallId)).size).toBe(3);
      expect(finishReason).toBe("tool-calls");
    }
  });

  it("that were cut off are not handed out, and end the loop without another paid step", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(
        response,
        completion({ tool_calls: [call({ function: { name: "a", arguments: '{"x":' } })] }, "length"),
      ),
    );
    const agent = new ToolLoopAgent({
      model: modelGateway("m"),
      tools: { a: tool({ inputSchema: z.object({ x: z.number().optional() }), execute: async () => 1 }) },
      stopWhen: isStepCount(5),
    });
    const { finishReason, toolCalls, finalStep } = await agent.generate({ prompt: "x" });
    expect([finishReason, toolCalls]).toEqual(["length", []]);
    expect(finalStep.providerMetadata?.["modelGateway"]).toMatchObject({
      cutToolCalls: [{ id: "c1", name: "a", arguments: '{"x":' }],
    });
    expect(requests).toHaveLength(1);
  });

  it("that were cut off before their first argument are not taken for calls without arguments", async () => {
    const blank = call({ index: 0, function: { name: "a", arguments: " " } });
    const { content, finishReason, metadata } = await streamed([{ tool_calls: [blank] }], {
      finish: "length",
    });
    expect([content, finishReason]).toEqual([[], "length"]);
    expect(metadata).toMatchObject({ cutToolCalls: [{ id: "c1", name: "a", arguments: " " }] });
    expect((await streamed([{ tool_calls: [blank] }], { finish: "tool_calls" })).content).toHaveLength(1);
  });

  it("whose name never came are an error, not an empty success", async () => {
    const { modelGateway } = await onScript((response) =>
      sendJSON(response, completion({ tool_calls: [{ id: "1", function: { arguments: "{}" } }] })),
    );
    await expect(generateText({ model: modelGateway("m"), prompt: "x" })).rejects.toThrow(/no name/);
  });

  it("of a stream that broke are kept where they can be looked at", async () => {
    const { modelGateway } = await onScript((response) =>
      sendDeltas(response, [
        { tool_calls: [call({ index: 0, function: { name: "a", arguments: '{"x"' } })] },
      ]),
    );
    const { stream } = await modelGateway("m").doStream(CALL);
    const parts = await convertReadableStreamToArray(stream);
    expect(parts.at(-1)).toMatchObject({
      finishReason: { unified: "interrupted" },
      providerMetadata: {
        modelGateway: { cutToolCalls: [{ id: "c1", name: "a", arguments: '{"x"' }] },
      },
    });
  });
});

describe("what has no place of its own", () => {
  const FIELDS = {
    system_fingerprint: "fp",
    service_tier: "flex",
    usage: { prompt_tokens: 1, completion_tokens: 2, cost: 0.25 },
    novelty: { a: 1 },
  };
  const ANNOTATIONS = [
    { type: "url_citation", url_citation: { url: "https://a.example", title: "A", start_index: 0 } },
    { type: "url_citation", url_citation: { url: "https://a.example" } },
    { type: "url_citation", url: "https://b.example" },
    { type: "file_citation", file: "f" },
  ];
  const SOURCES = [
    { type: "source", sourceType: "url", id: "", url: "https://a.example", title: "A" },
    { type: "source", sourceType: "url", id: "", url: "https://b.example" },
  ];
  const METADATA = {
    requestId: "r-1",
    systemFingerprint: "fp",
    serviceTier: "flex",
    cost: 0.25,
    novelty: { a: 1 },
    logprobs: { content: [{ token: "o" }, { token: "k" }] },
    annotations: ANNOTATIONS,
    mood: "calm",
  };

  it("is in the metadata of a whole answer, and citations are sources", async () => {
    const message = { content: "ok", annotations: ANNOTATIONS, mood: "calm", audio: null };
    const { modelGateway } = await onScript((response) => {
      const body = completion(message, "stop", FIELDS);
      Object.assign(body.choices[0] as object, { logprobs: METADATA.logprobs });
      sendJSON(response, body, 200, { "x-request-id": "r-1" });
    });
    const { providerMetadata, sources, usage } = await generateText({
      model: modelGateway("m"),
      prompt: "x",
    });
    expect(providerMetadata?.["modelGateway"]).toEqual(METADATA);
    expect(withoutIds(sources)).toEqual(SOURCES);
    expect(usage.raw).toEqual(FIELDS.usage);
  });

  it("is in the metadata of a stream, and citations are sources", async () => {
    const chunk = (choices: object[], more: object = {}) =>
      `data: ${JSON.stringify({ id: "1", model: "m", choices, ...more })}\n\n`;
    const delta = (value: object, more: object = {}) =>
      chunk([{ index: 0, delta: value, finish_reason: null, ...more }], {
        system_fingerprint: "fp",
        novelty: { a: 1 },
      });
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "r-1" });
      response.write(delta({ content: "o", mood: "calm" }, { logprobs: { content: [{ token: "o" }] } }));
      response.write(delta({ content: "k" }, { logprobs: { content: [{ token: "k" }] } }));
      response.write(delta({ annotations: ANNOTATIONS.slice(0, 2) }));
      response.write(delta({ annotations: ANNOTATIONS.slice(2) }));
      response.write(chunk([{ index: 0, delta: {}, finish_reason: "stop" }], { service_tier: "flex" }));
      response.write(chunk([], { usage: FIELDS.usage }));
      response.end("data: [DONE]\n\n");
    });
    const result = streamText({ model: modelGateway("m"), prompt: "x" });
    expect((await result.providerMetadata)?.["modelGateway"]).toEqual(METADATA);
    expect(withoutIds(await result.sources)).toEqual(SOURCES);
    expect((await result.usage).raw).toEqual(FIELDS.usage);
  });

  it.each([
    { prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 } },
    { prompt_tokens_details: { cached_tokens: 3, cache_creation_tokens: 2 } },
    { prompt_tokens_details: { cached_tokens: 3 }, cache_creation_input_tokens: 2 },
    { cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
  ])("tokens written to the cache count as such: %j", async (more) => {
    const { modelGateway } = await onScript((response) =>
      sendJSON(response, completion({ content: "ok" }, "stop", { usage: { prompt_tokens: 10, ...more } })),
    );
    const { usage } = await generateText({ model: modelGateway("m"), prompt: "x" });
    expect(usage.inputTokenDetails).toEqual({
      noCacheTokens: 5,
      cacheReadTokens: 3,
      cacheWriteTokens: 2,
    });
  });

  it("id and model come from the first chunk that knows them", async () => {
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const choices = [{ index: 0, delta: { content: "" } }];
      response.write(`data: ${JSON.stringify({ id: "", model: "", choices })}\n\n`);
      response.write(`data: ${JSON.stringify({ id: "late", model: "real", choices: [] })}\n\n`);
      const end = [{ index: 0, delta: { content: "ok" }, finish_reason: "stop" }];
      response.end(`data: ${JSON.stringify({ id: "", model: "", choices: end })}\n\n`);
    });
    const { response } = streamText({ model: modelGateway("asked"), prompt: "x" });
    expect(await response).toMatchObject({ id: "late", modelId: "real" });
  });

  it("a stream of several choices is read as its first one", async () => {
    const { modelGateway } = await onScript((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const write = (index: number, content: string, finish: string | null = null) => {
        const choices = [{ index, delta: { content }, finish_reason: finish }];
        response.write(`data: ${JSON.stringify({ id: "1", model: "m", choices })}\n\n`);
      };
      write(1, "other ");
      write(0, "first ");
      write(1, "answer", "length");
      write(0, "answer", "stop");
      response.end("data: [DONE]\n\n");
    });
    const result = streamText({
      model: modelGateway("m"),
      prompt: "x",
      providerOptions: { modelGateway: { extraBody: { n: 2 } } },
    });
    expect([await result.text, await result.finishReason]).toEqual(["first answer", "stop"]);
  });
});

describe("output of a given shape", () => {
  const schema = z.object({ city: z.string() });

  it.each([
    ["jsonSchema", { type: "json_schema" }, false],
    ["jsonObject", { type: "json_object" }, true],
    ["prompt", undefined, true],
  ] as const)("is asked for as %s", async (structuredOutputs, format, inPrompt) => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, completion({ content: '{"city":"Paris"}' })),
    );
    const call = {
      model: modelGateway("m", { structuredOutputs }),
      output: Output.object({ schema }),
      system: "Be brief.",
      prompt: "Where?",
    };
    expect((await generateText(call)).output).toEqual({ city: "Paris" });
    const sent = requests[0]?.json["response_format"];
    const messages = (requests[0]?.json["messages"] ?? []) as Array<{ role: string; content: string }>;
    if (format === undefined) expect(sent).toBeUndefined();
    else expect(sent).toMatchObject(format);
    expect(messages[0]?.content.includes('"city"')).toBe(inPrompt);
    expect(messages[0]?.content).toMatch(/^Be brief\./);
  });

  it("is freed from the fence that models put around it when only the prompt asks for it", async () => {
    const content = '```json\n{"city":"Paris"}\n```';
    const { modelGateway } = await onScript((response, count) =>
      count === 1
        ? sendJSON(response, completion({ content }))
        : sendDeltas(
            response,
            [...content].map((letter) => ({ content: letter })),
            "stop",
          ),
    );
    const output = Output.object({ schema });
    const model = modelGateway("m", { structuredOutputs: "prompt" });
    expect((await generateText({ model, output, prompt: "Where?" })).output).toEqual({ city: "Paris" });
    expect(await streamText({ model, output, prompt: "Where?" }).output).toEqual({ city: "Paris" });
    // Nobody asked for JSON.
    expect(await streamText({ model, prompt: "Where?" }).text).toBe(content);
  });

  it("an option of the call wins over the setting of the model", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, completion({ content: '{"city":"Paris"}' })),
    );
    await generateText({
      model: modelGateway("m", { structuredOutputs: "prompt" }),
      output: Output.object({ schema }),
      prompt: "Where?",
      providerOptions: { modelGateway: { structuredOutputs: "jsonSchema" } },
    });
    expect(requests[0]?.json["response_format"]).toMatchObject({ type: "json_schema" });
  });
});

describe("a model that refuses a forced tool choice", () => {
  const tools = {
    a: tool({ inputSchema: z.object({}), execute: async () => 1 }),
    b: tool({ inputSchema: z.object({}), execute: async () => 2 }),
  };
  const called = completion(
    { tool_calls: [{ id: "1", type: "function", function: { name: "b", arguments: "{}" } }] },
    "tool_calls",
  );

  it("is offered the tools instead, a named one alone, and nobody is warned of what was asked for", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, called));
    for (const toolChoice of ["required", { type: "tool", toolName: "b" }] as const) {
      const model = modelGateway("m", { forcedToolChoice: false });
      const { warnings } = await generateText({ model, tools, toolChoice, prompt: "x" });
      expect(warnings ?? []).toEqual([]);
      await generateText({ model: modelGateway("m"), tools, toolChoice, prompt: "x" });
    }
    const offered = requests.map(({ json }) => [
      (json["tools"] as Array<{ function: { name: string } }>).map((sent) => sent.function.name),
      json["tool_choice"],
    ]);
    const both = ["a", "b"];
    expect(offered).toEqual([
      [both, "auto"],
      [both, "required"],
      [["b"], "auto"],
      [both, { type: "function", function: { name: "b" } }],
    ]);
  });
});
