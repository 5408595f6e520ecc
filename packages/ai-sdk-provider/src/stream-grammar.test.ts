import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { convertReadableStreamToArray } from "@ai-sdk/provider-utils/test";
import { describe, expect, it } from "vitest";
import { onEmulator, onScript, sendDeltas } from "../test/servers.js";
import { grammarProblems } from "../test/stream-grammar.js";

const CALL: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "What is 6 times 7?" }] }],
};

async function partsOf(
  model: {
    doStream(
      options: LanguageModelV4CallOptions,
    ): PromiseLike<{ stream: ReadableStream<LanguageModelV4StreamPart> }>;
  },
  options = CALL,
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  return convertReadableStreamToArray(stream);
}

const fragment = (value: object) => ({ tool_calls: [value] });
const part = (name: string | undefined, args: string, more: object = {}) =>
  fragment({
    type: "function",
    function: { ...(name === undefined ? {} : { name }), arguments: args },
    ...more,
  });

/** Deltas as routes send them, and the tool calls that must come out: name and arguments. */
const TOOL_STREAMS: Array<[string, object[], Array<[string, string]>]> = [
  [
    "whole calls with index",
    [part("a", "{}", { index: 0, id: "1" }), part("b", "{}", { index: 1, id: "2" })],
    [
      ["a", "{}"],
      ["b", "{}"],
    ],
  ],
  [
    "fragments with index only",
    [
      part("a", "", { index: 0, id: "1" }),
      part(undefined, '{"x"', { index: 0 }),
      part(undefined, ":1}", { index: 0 }),
    ],
    [["a", '{"x":1}']],
  ],
  ["no index at all", [part("a", '{"x":', { id: "1" }), part(undefined, "1}")], [["a", '{"x":1}']]],
  [
    "two calls without index",
    [part("a", '{"x":1}', { id: "1" }), part("b", '{"y":', { id: "2" }), part(undefined, "2}", { id: "2" })],
    [
      ["a", '{"x":1}'],
      ["b", '{"y":2}'],
    ],
  ],
  [
    "empty names in later fragments",
    [part("a", "", { index: 0, id: "1" }), part("", '{"x":1}', { index: 0, id: "" })],
    [["a", '{"x":1}']],
  ],
  [
    "a name that comes late",
    [part("", "", { index: 0, id: "1" }), part("a", '{"x":1}', { index: 0 })],
    [["a", '{"x":1}']],
  ],
  [
    "arguments before the name",
    [part(undefined, '{"x"', { index: 0, id: "1" }), part("a", ":1}", { index: 0 })],
    [["a", '{"x":1}']],
  ],
  [
    "interleaved calls",
    [
      part("a", '{"x":', { index: 0, id: "1" }),
      part("b", '{"y":', { index: 1, id: "2" }),
      part(undefined, "1}", { index: 0 }),
      part(undefined, "2}", { index: 1 }),
    ],
    [
      ["a", '{"x":1}'],
      ["b", '{"y":2}'],
    ],
  ],
  [
    "arguments that are whole before they are complete",
    [part("a", "{}", { index: 0, id: "1" }), part(undefined, "", { index: 0 })],
    [["a", "{}"]],
  ],
];

describe("stream parts", () => {
  it.each(["local-chat", "local-reasoner"])("of %s follow the grammar", async (modelId) => {
    const { modelGateway } = await onEmulator();
    const parts = await partsOf(modelGateway(modelId));
    expect(grammarProblems(parts)).toEqual([]);
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop", raw: "stop" } });
    expect(parts.find(({ type }) => type === "response-metadata")).toMatchObject({ modelId });
  });

  it.each(TOOL_STREAMS)("of tool calls with %s follow the grammar", async (_name, deltas, expected) => {
    const { modelGateway } = await onScript((response) => sendDeltas(response, deltas, "tool_calls"));
    const parts = await partsOf(modelGateway("m"));
    expect(grammarProblems(parts)).toEqual([]);
    const calls = parts.filter((candidate) => candidate.type === "tool-call");
    expect(calls.map(({ toolName, input }) => [toolName, input])).toEqual(expected);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(expected.length);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls" } });
  });

  it("of text between reasoning and tools open and close one block at a time", async () => {
    const deltas = [
      { reasoning: "a" },
      { content: "b" },
      { reasoning_content: "c" },
      { content: "d" },
      part("f", "{}", { index: 0, id: "1" }),
    ];
    const { modelGateway } = await onScript((response) => sendDeltas(response, deltas, "stop"));
    const parts = await partsOf(modelGateway("m"));
    expect(grammarProblems(parts)).toEqual([]);
    expect(parts.filter(({ type }) => type.endsWith("-start")).map(({ type }) => type)).toEqual([
      "stream-start",
      "reasoning-start",
      "text-start",
      "reasoning-start",
      "text-start",
      "tool-input-start",
    ]);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls", raw: "stop" } });
  });

  it("of a broken stream end with an error and hand out no tool call", async () => {
    const { modelGateway } = await onScript((response) =>
      sendDeltas(response, [{ content: "a" }, part("f", "{}", { index: 0, id: "1" })]),
    );
    const parts = await partsOf(modelGateway("m"));
    expect(grammarProblems(parts)).toEqual([]);
    expect(parts.some(({ type }) => type === "tool-call")).toBe(false);
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "interrupted" } });
    expect(parts.at(-2)).toMatchObject({
      type: "error",
      error: { type: "stream_interrupted", isRetryable: true },
    });
  });

  it("of a call that never tells its tool report it and drop it", async () => {
    const { modelGateway } = await onScript((response) =>
      sendDeltas(response, [part("", "{}", { index: 0, id: "1" })], "tool_calls"),
    );
    const parts = await partsOf(modelGateway("m"));
    expect(grammarProblems(parts)).toEqual([]);
    expect(parts.filter(({ type }) => type === "error")).toHaveLength(1);
  });

  it("carry raw chunks first when they are asked for", async () => {
    const { modelGateway } = await onScript((response) => sendDeltas(response, [{ content: "a" }], "stop"));
    const parts = await partsOf(modelGateway("m"), { ...CALL, includeRawChunks: true });
    expect(parts.slice(0, 3).map(({ type }) => type)).toEqual(["stream-start", "raw", "response-metadata"]);
  });

  it("count usage once, wherever it comes", async () => {
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 5,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    const { modelGateway, requests } = await onScript((response) =>
      sendDeltas(response, [{ content: "a" }], "stop", usage),
    );
    const parts = await partsOf(modelGateway("m"));
    expect(parts.at(-1)).toMatchObject({
      usage: {
        inputTokens: { total: 7, noCache: 4, cacheRead: 3 },
        outputTokens: { total: 5, text: 3, reasoning: 2 },
        raw: usage,
      },
    });
    expect(requests[0]?.json["stream_options"]).toEqual({ include_usage: true });
  });
});
