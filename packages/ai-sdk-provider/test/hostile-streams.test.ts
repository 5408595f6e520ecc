import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { convertReadableStreamToArray } from "@ai-sdk/provider-utils/test";
import {
  CHAT_STREAMS,
  type ChatMeaning,
  type ChatStream,
  dataEvent,
  END_MARKER,
  ENDINGS,
  type Ending,
  HEAD,
  PACES,
  type Pace,
  type ScenarioServer,
  startScenarioServer,
  type WireEvent,
} from "@model-gateway/scenario-server";
import { isStepCount, Output, streamText, ToolLoopAgent, tool } from "ai";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { collectContent } from "../src/collect-content.js";
import { createModelGateway, type ModelGatewayLanguageModelSettings } from "../src/index.js";
import { grammarProblems } from "./stream-grammar.js";

// Whatever the pace at which the bytes of a stream arrive, its parts are the same; and they say whether it is whole.

const CALL: LanguageModelV4CallOptions = {
  prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }],
};
const WHOLE: readonly Ending[] = ["proper", "no-marker"];
/** Streams that only this provider can be told how to read. */
const SETTINGS: Record<string, ModelGatewayLanguageModelSettings> = {
  "think tags cut into pieces": { thinkTags: true },
};

let server: ScenarioServer;
beforeAll(async () => {
  server = await startScenarioServer();
});
afterAll(() => server.close());

/** A model whose every answer is this stream at this pace. */
function modelAt(pace: Pace, { name, events }: Pick<ChatStream, "name" | "events">, ending: Ending) {
  server.replay({ events, ending, pace, seed: 7, path: `/${pace}/v1/chat/completions` });
  const baseURL = `${server.origin}/${pace}/v1`;
  return createModelGateway({ apiKey: "sk-test", baseURL })("m", SETTINGS[name]);
}

/** Ids that are made up on the way, and errors as far as they can be compared. */
function comparable(part: LanguageModelV4StreamPart): unknown {
  if (part.type === "source") return { ...part, id: "" };
  if (part.type !== "error") return part;
  const { message: _address, ...error } = part.error as Record<string, unknown>;
  return { ...part, error };
}

/** The parts; deltas that follow each other are one, since whether they are depends on what arrives together. */
async function partsAt(pace: Pace, stream: ChatStream, ending: Ending): Promise<LanguageModelV4StreamPart[]> {
  const { stream: parts } = await modelAt(pace, stream, ending).doStream(CALL);
  const joined: LanguageModelV4StreamPart[] = [];
  for (const part of await convertReadableStreamToArray(parts)) {
    const last = joined.at(-1);
    if (
      isDelta(part) &&
      last !== undefined &&
      isDelta(last) &&
      last.type === part.type &&
      last.id === part.id
    )
      joined[joined.length - 1] = { ...last, delta: last.delta + part.delta };
    else joined.push(part);
  }
  return joined;
}

type DeltaPart = Extract<LanguageModelV4StreamPart, { delta: string }>;

function isDelta(part: LanguageModelV4StreamPart): part is DeltaPart {
  return "delta" in part;
}

/** What the SDK's user gets, at whatever pace. */
async function answerAt(pace: Pace, stream: ChatStream, ending: Ending): Promise<Record<string, unknown>> {
  const errors: string[] = [];
  const result = streamText({
    model: modelAt(pace, stream, ending),
    prompt: "x",
    maxRetries: 0,
    onError: ({ error }) => void errors.push((error as Error).name),
  });
  let text = "";
  for await (const delta of result.textStream) text += delta;
  const { finishReason, toolCalls } = (await result.steps).at(-1) ?? {};
  return {
    text,
    errors,
    finishReason,
    toolCalls: toolCalls?.map(({ toolName, input }) => [toolName, input]),
  };
}

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** What the parts say, in the words of the scenarios. */
function meaningOf(parts: readonly LanguageModelV4StreamPart[]): ChatMeaning & { hasError: boolean } {
  const content = collectContent(parts);
  const join = (type: "text" | "reasoning") =>
    content.flatMap((part) => (part.type === type ? (part as { text: string }).text : [])).join("");
  const toolCalls = content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.toolCallId, name: part.toolName, arguments: JSON.parse(part.input || "{}") }]
      : [],
  );
  const reasoning = join("reasoning");
  const finish = parts.at(-1) as Finish;
  return {
    text: join("text"),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(finish.finishReason.raw === undefined ? {} : { finishReason: finish.finishReason.raw }),
    ...(finish.usage.raw === undefined ? {} : { usage: finish.usage.raw }),
    hasError: parts.some(({ type }) => type === "error"),
  };
}

/** A refusal is text for the SDK, and reasoning between tags is none where that is asked for. */
function expected({ name, means }: ChatStream): ChatMeaning {
  const {
    refusal = "",
    message: _message,
    choice: _choice,
    head: _head,
    secondText: _second,
    ...rest
  } = means;
  if (SETTINGS[name]) return { ...rest, text: "so", reasoning: "why" };
  return { ...rest, text: means.text + refusal };
}

const UNIFIED: Record<string, string> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
};

describe.each(CHAT_STREAMS.map((stream) => [stream.name, stream] as const))("%s", (_name, stream) => {
  it.each(ENDINGS)("has the same parts and the same answer at every pace, ending %s", async (ending) => {
    const [first = [], ...others] = await Promise.all(PACES.map((pace) => partsAt(pace, stream, ending)));
    for (const [index, parts] of others.entries()) {
      expect(parts.map(comparable), `at pace ${PACES[index + 1]}`).toEqual(first.map(comparable));
    }
    expect(grammarProblems(first)).toEqual([]);
    const { hasError, ...meaning } = meaningOf(first);
    const { error, ...means } = expected(stream);
    const finish = first.at(-1) as Finish;
    if (WHOLE.includes(ending) && error === undefined) {
      expect(hasError).toBe(false);
      expect(meaning).toEqual(means);
      const unified = stream.means.refusal ? "content-filter" : UNIFIED[means.finishReason ?? ""];
      expect(finish.finishReason.unified).toBe(unified);
      expectFields(first, stream.means);
    } else {
      expect(meaning.toolCalls).toBeUndefined();
      const failure = first.find((part) => part.type === "error");
      const reported = WHOLE.includes(ending);
      const { code = "", message = "" } = error ?? {};
      const facts = {
        message: expect.stringContaining(message),
        code,
        // What the code says: the answer itself was a 200.
        statusCode: /^\d+$/.test(code) ? Number(code) : undefined,
      };
      const cut = { type: "stream_interrupted", isRetryable: true };
      expect(failure?.error).toMatchObject(reported ? facts : cut);
      expect(finish.finishReason.unified).toBe(reported ? "error" : "interrupted");
      if (reported) expect(meaning.text).toBe(means.text);
    }

    // The same parts give the same answer: two paces show that the SDK comes to its end on slow ones, too.
    const paces = ["whole", "events"] as const;
    const [answer, ...same] = await Promise.all(paces.map((pace) => answerAt(pace, stream, ending)));
    for (const other of same) expect(other).toEqual(answer);
    expect(answer).toMatchObject({ text: meaning.text, finishReason: finish.finishReason.unified });
    expect(answer?.["errors"]).toHaveLength(hasError ? 1 : 0);
    expect(answer?.["toolCalls"]).toHaveLength(meaning.toolCalls?.length ?? 0);
  });
});

/** Fields beyond the SDK's own are where its users look for them. */
function expectFields(
  parts: readonly LanguageModelV4StreamPart[],
  { head, message, refusal }: ChatMeaning,
): void {
  const { providerMetadata } = parts.at(-1) as Finish;
  const { id, model, created, system_fingerprint, service_tier } = { ...HEAD, ...head } as Record<
    string,
    unknown
  >;
  expect(parts.find(({ type }) => type === "response-metadata")).toEqual({
    type: "response-metadata",
    id,
    modelId: model,
    timestamp: new Date(Number(created) * 1_000),
  });
  const { images, ...fields } = message ?? {};
  if (images !== undefined)
    expect(collectContent(parts).filter(({ type }) => type === "file")).toHaveLength(1);
  if (fields["annotations"]) {
    expect(collectContent(parts)).toContainEqual(expect.objectContaining({ type: "source", title: "A" }));
  }
  const known = {
    ...fields,
    ...(refusal === undefined ? {} : { refusal }),
    ...(system_fingerprint === undefined ? {} : { systemFingerprint: system_fingerprint }),
    ...(service_tier === undefined ? {} : { serviceTier: service_tier }),
  };
  if (Object.keys(known).length > 0) expect(providerMetadata?.["modelGateway"]).toMatchObject(known);
}

describe("at every pace and with every ending", () => {
  const delta = (fields: object, finish: string | null = null): WireEvent => ({
    ...dataEvent({ ...HEAD, choices: [{ index: 0, delta: fields, finish_reason: finish }] }),
    ...(finish === null ? {} : { finishes: true as const }),
  });
  const call = (id: string, text: string): WireEvent[] => [
    delta({ tool_calls: [{ index: 0, id, type: "function", function: { name: "add", arguments: "" } }] }),
    ...[...text].map((letter) => delta({ tool_calls: [{ index: 0, function: { arguments: letter } }] })),
    delta({}, "tool_calls"),
    END_MARKER,
  ];
  const text = (words: string): WireEvent[] => [
    ...[...words.slice(0, -1)].map((letter) => delta({ content: letter })),
    delta({ content: words.slice(-1) }, "stop"),
    END_MARKER,
  ];
  const scenarios = PACES.flatMap((pace) => ENDINGS.map((ending) => [pace, ending] as const));

  it.each(scenarios)("an agent runs whole calls and no others: %s, %s", async (pace, ending) => {
    // Where nobody says otherwise, the SDK prints errors.
    vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const ran: unknown[] = [];
    const add = tool({
      // Everything optional: a mended or empty call would run.
      inputSchema: z.object({ a: z.number().optional(), b: z.number().optional() }),
      execute: async (input) => {
        ran.push(input);
        return 5;
      },
    });
    const model = modelAt(pace, { name: "agent", events: call("1", '{"a":2,"b":3}') }, ending);
    const agent = new ToolLoopAgent({ model, tools: { add }, stopWhen: isStepCount(2), maxRetries: 0 });
    const before = server.requests.length;
    const errors: unknown[] = [];
    const result = await agent.stream({ prompt: "x" });
    for await (const part of result.stream) if (part.type === "error") errors.push(part.error);
    const whole = WHOLE.includes(ending);
    const input = { a: 2, b: 3 };
    expect(ran).toEqual(whole ? [input, input] : []);
    // What is cut starts no further step, which would be paid.
    expect(server.requests.length - before).toBe(whole ? 2 : 1);
    expect(errors).toHaveLength(whole ? 0 : 1);
    expect(await result.finishReason).toBe(whole ? "tool-calls" : "interrupted");
  });

  it.each(scenarios)("an object is whole, or there is none: %s, %s", async (pace, ending) => {
    const model = modelAt(pace, { name: "object", events: text('{"city":"Paris","days":3}') }, ending);
    const output = Output.object({ schema: z.object({ city: z.string(), days: z.number() }) });
    const result = streamText({ model, output, prompt: "x", maxRetries: 0, onError: () => {} });
    const partial: unknown[] = [];
    for await (const object of result.partialOutputStream) partial.push(object);
    // How many there are on the way depends on what arrives together.
    expect(partial.length).toBeGreaterThan(0);
    const whole = await Promise.resolve(result.output).then(
      (object) => object,
      () => undefined,
    );
    expect(whole).toEqual(WHOLE.includes(ending) ? { city: "Paris", days: 3 } : undefined);
    if (!WHOLE.includes(ending)) expect(await result.finishReason).toBe("interrupted");
  });
});
