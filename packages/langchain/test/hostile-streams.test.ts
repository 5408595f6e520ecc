import { createRequire } from "node:module";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import core from "@langchain/core/package.json" with { type: "json" };
import { tool } from "@langchain/core/tools";
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
  replay,
  type ScenarioServer,
  startScenarioServer,
} from "@model-gateway/scenario-server";
import { createAgent } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ChatModelGateway } from "../src/index.js";
import { collect, facts } from "./read-every-way.js";

// Whatever the pace at which the bytes of a stream arrive, every way in which LangChain reads it gives the same message;
// and an answer that is not whole is an error in every one of them.

let server: ScenarioServer;
beforeAll(async () => {
  server = await startScenarioServer();
});
afterAll(() => server.close());

class StreamingHandler extends BaseCallbackHandler {
  name = "streaming";
  readonly lc_prefer_streaming = true;
}

class EventHandler extends BaseCallbackHandler {
  name = "events";
  readonly lc_prefer_chat_model_stream_events = true;
}

type Answer = AIMessage | AIMessageChunk;

const TOOLS = ["weather", "time", "now"].map((name) =>
  tool(async (args) => `${name} ${JSON.stringify(args)}`, { name, schema: z.looseObject({}) }),
);

/** What an agent made of the answer: itself, and the calls that it carried out. */
function readAgent(messages: BaseMessage[]): { answer: Answer; results: string[] } {
  const results = messages.filter(({ type }) => type === "tool").map(({ text }) => text);
  return { answer: messages[1] as AIMessage, results };
}

/** The ways in which LangChain reads a stream. */
const WAYS: Record<string, (model: ChatModelGateway) => Promise<{ answer: Answer; results?: string[] }>> = {
  stream: async (model) => ({ answer: await collect(await model.stream("x")) }),
  "invoke, streaming": async (model) => ({ answer: await model.invoke("x") }),
  "invoke under a streaming handler": async (model) => ({
    answer: await model.invoke("x", { callbacks: [new StreamingHandler()] }),
  }),
  "invoke under an event handler": async (model) => ({
    answer: await model.invoke("x", { callbacks: [new EventHandler()] }),
  }),
  streamEvents: async (model) => ({ answer: await model.streamEvents("x") }),
  createAgent: async (model) => {
    const agent = createAgent({ model, tools: TOOLS });
    return readAgent((await agent.invoke({ messages: [{ role: "user", content: "x" }] })).messages);
  },
  "createAgent, streamed": async (model) => {
    const agent = createAgent({ model, tools: TOOLS });
    const input = { messages: [{ role: "user" as const, content: "x" }] };
    let last: BaseMessage[] = [];
    for await (const [mode, part] of await agent.stream(input, { streamMode: ["messages", "values"] }))
      if (mode === "values") last = part.messages;
    return readAgent(last);
  },
};

const { version: newestCore } = createRequire(import.meta.url)("@langchain/core/package.json");
// On other peers beside the same core, what has no agent in it would be the same code once more.
const onlyAgents = process.env["PEERS_INSTALLED_BY"] !== undefined && core.version === newestCore;
const CHECKED_WAYS = Object.keys(WAYS).filter((way) => !onlyAgents || isAgent(way));

function isAgent(way: string): boolean {
  return way.startsWith("createAgent");
}

interface Outcome {
  facts?: ReturnType<typeof facts>;
  results?: string[] | undefined;
  error?: Record<string, unknown>;
}

async function outcomeOf(way: keyof typeof WAYS, pace: Pace, base: string): Promise<Outcome> {
  const model = new ChatModelGateway("m", {
    apiKey: "sk-test",
    baseURL: `${server.origin}/${base}/${pace}/v1`,
    maxRetries: 0,
    streaming: true,
  });
  try {
    const { answer, results } = await (WAYS[way] as (typeof WAYS)[string])(model);
    return { facts: facts(answer), results };
  } catch (error) {
    const { name, kind, reason, status, code, retryable, lc_error_code, partial } = error as Record<
      string,
      unknown
    >;
    return { error: { name, kind, reason, status, code, retryable, lc_error_code, partial } };
  }
}

/** The outcomes of a scenario by way and pace. */
async function readEverywhere({ name, events }: ChatStream, ending: Ending) {
  const base = `${CHAT_STREAMS.findIndex((stream) => stream.name === name)}-${ending}`;
  // Of an id of its own: LangGraph takes messages of one id for one message.
  const finished = { index: 0, delta: { content: "Done." }, finish_reason: "stop" };
  const afterTools = replay({ events: [dataEvent({ ...HEAD, id: "c2", choices: [finished] }), END_MARKER] });
  for (const pace of PACES) {
    const answer = replay({ events, ending, pace, seed: 7 });
    server.answer((request, response) => {
      const { messages } = request.json as { messages: Array<{ role: string }> };
      // The question behind tool results is another one.
      const next = messages.at(-1)?.role === "tool" ? afterTools : answer;
      return next(request, response);
    }, `/${base}/${pace}/v1/chat/completions`);
  }
  const read = CHECKED_WAYS.flatMap((way) =>
    PACES.map(async (pace) => ({ way, pace, outcome: await outcomeOf(way, pace, base) })),
  );
  return Promise.all(read);
}

function isWhole(ending: Ending): boolean {
  return ending === "proper" || ending === "no-marker";
}

function expectMeaning(read: ReturnType<typeof facts>, means: ChatMeaning): void {
  const { text, reasoning, refusal, toolCalls = [], finishReason, usage, head = HEAD } = means;
  const blocks = read.blocks;
  expect(read.text).toBe(text);
  expect(blocks.flatMap((block) => (block.type === "reasoning" ? block.reasoning : [])).join("")).toBe(
    reasoning ?? "",
  );
  expect(blocks.filter(({ type }) => type === "refusal")).toEqual(
    refusal === undefined ? [] : [{ type: "refusal", refusal }],
  );
  expect(read.toolCalls).toEqual(
    toolCalls.map(({ id, name, arguments: args }) => ({ type: "tool_call", id, name, args })),
  );
  const { id, model, system_fingerprint: fingerprint, service_tier: tier } = head as Record<string, unknown>;
  expect(read.id).toBe(id);
  expect(read.metadata).toMatchObject({ model, finish_reason: finishReason });
  expect(read.metadata["system_fingerprint"]).toBe(fingerprint);
  expect(read.metadata["service_tier"]).toBe(tier);
  expect(read.metadata["usage"]).toEqual(usage);
  expect(read.usage?.total_tokens).toBe(usage?.["total_tokens"]);
  if (means.message?.["images"]) expect(blocks.map(({ type }) => type)).toContain("image");
  if (means.message?.["annotations"])
    expect(blocks[0]?.["annotations"]).toMatchObject([{ type: "citation", url: "https://a.example/" }]);
}

describe.each(CHAT_STREAMS.map((stream) => [stream.name, stream] as const))("%s", (_name, stream) => {
  it.each(ENDINGS)("means the same in every way and at every pace, ending: %s", async (ending) => {
    const outcomes = await readEverywhere(stream, ending);
    const [first] = outcomes;
    const { error, toolCalls = [] } = stream.means;
    for (const { way, pace, outcome } of outcomes) {
      const where = `${way}, ${pace}`;
      expect(outcome.error, where).toEqual(first?.outcome.error);
      expect(outcome.facts, where).toEqual(first?.outcome.facts);
      if (isAgent(way) && outcome.facts !== undefined)
        expect(outcome.results, where).toEqual(
          toolCalls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`),
        );
    }
    const outcome = first?.outcome ?? {};
    if (error !== undefined && isWhole(ending)) {
      const kind = error.status === 429 ? "rate_limit" : "server";
      expect(outcome.error).toMatchObject({ kind, code: error.code });
      expect(outcome.error?.["partial"]).toMatchObject({ choices: [{ message: { content: "a" } }] });
      expect(outcome.error?.["lc_error_code"]).toBe(error.status === 429 ? "MODEL_RATE_LIMIT" : undefined);
    } else if (isWhole(ending)) {
      expect(outcome.error).toBeUndefined();
      expectMeaning(outcome.facts as ReturnType<typeof facts>, stream.means);
    } else {
      // A body in chunks that just ends was torn off, however politely.
      const reason = ending === "no-finish" ? "unfinished" : "reset";
      expect(outcome.error).toMatchObject({ kind: "stream_interrupted", reason });
    }
  });
});

describe.each(PACES)("at pace %s", (pace) => {
  const connection = { apiKey: "sk-test", maxRetries: 0 };
  const named = (name: string) => CHAT_STREAMS.find((stream) => stream.name === name) as ChatStream;

  it("think tags become reasoning however they are cut", async () => {
    server.replay({ events: named("think tags cut into pieces").events, pace, seed: 7 });
    const model = new ChatModelGateway("m", { ...connection, baseURL: server.url, thinkTags: true });
    const blocks = [
      { type: "reasoning", reasoning: "why" },
      { type: "text", text: "so" },
    ];
    expect((await collect(await model.stream("x"))).contentBlocks).toEqual(blocks);
    expect((await model.streamEvents("x")).contentBlocks).toEqual(blocks);
  });

  it.each(["no-finish", "fin", "rst"] as const)(
    "what had arrived is shown before the error: %s",
    async (ending) => {
      server.replay({ events: named("text").events, pace, ending, seed: 7 });
      const model = new ChatModelGateway("m", { ...connection, baseURL: server.url });
      let [chunks, events] = ["", ""];
      await expect(async () => {
        for await (const chunk of await model.stream("x")) chunks += chunk.text;
      }).rejects.toMatchObject({ kind: "stream_interrupted" });
      await expect(async () => {
        for await (const text of model.streamEvents("x").text) events += text;
      }).rejects.toMatchObject({ kind: "stream_interrupted" });
      expect([chunks, events]).toEqual(["Hello.", "Hello."]);
    },
  );

  it("calls of a route that tells no finish are read as strictly as others", async () => {
    const { events } = named("tool calls in parallel, their fragments mixed");
    server.replay({ events, pace, ending: "no-finish", seed: 7 });
    const trusting = new ChatModelGateway("m", {
      ...connection,
      baseURL: server.url,
      requireFinishReason: false,
    });
    const whole = await collect(await trusting.stream("x"));
    expect(whole.tool_calls?.map(({ args }) => args)).toEqual([{ city: "Paris" }, { zone: "CET" }]);
    server.replay({ events: [...events.slice(0, 4), ...events.slice(-1)], pace, seed: 7 });
    const cut = await collect(await trusting.stream("x"));
    expect(cut.tool_calls?.map(({ name }) => name)).toEqual(["weather"]);
    expect(cut.invalid_tool_calls?.map(({ args }) => args)).toEqual(['{"zone":']);
  });
});
