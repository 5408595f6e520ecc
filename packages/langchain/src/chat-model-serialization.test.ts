import { inspect } from "node:util";
import { InMemoryCache } from "@langchain/core/caches";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { load } from "@langchain/core/load";
import type { Serialized } from "@langchain/core/load/serializable";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { ModelGateway } from "@model-gateway/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collect } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

const SECRET = "sk-scripted-secret";

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
beforeEach(() => gateway.script(completion({ content: "ok" })));
afterAll(() => gateway.close());

class RecordingHandler extends BaseCallbackHandler {
  name = "recording";
  readonly seen: unknown[] = [];
  override handleChatModelStart(
    model: Serialized,
    messages: BaseMessage[][],
    runId: string,
    parentRunId?: string,
    extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
  ) {
    this.seen.push({ model, messages, runId, parentRunId, extra, tags, metadata });
  }
}

describe("secrets", () => {
  it("appear nowhere a model can be printed, stored or traced", async () => {
    const handler = new RecordingHandler();
    const model = new ChatModelGateway("m", {
      ...gateway.connection,
      headers: { "x-token": "header-secret" },
      callbacks: [handler],
    });
    await model.invoke("Hi", { headers: { "x-other": "call-secret" } });
    const everything = [
      JSON.stringify(model),
      inspect(model, { depth: 12, showHidden: true }),
      JSON.stringify(handler.seen),
      JSON.stringify(model._identifyingParams()),
      JSON.stringify(model.invocationParams()),
    ].join("\n");
    for (const secret of [SECRET, "header-secret", "call-secret"]) expect(everything).not.toContain(secret);
  });
});

describe("storing a model", () => {
  const SETTINGS = {
    temperature: 0.5,
    topP: 0.9,
    maxTokens: 10,
    stop: ["END"],
    maxRetries: 4,
    modelKwargs: { seed: 1 },
  };

  it("writes its settings, and a placeholder for the key", () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, ...SETTINGS });
    expect(JSON.parse(JSON.stringify(model))).toEqual({
      lc: 1,
      type: "constructor",
      id: ["langchain", "chat_models", "model-gateway", "ChatModelGateway"],
      kwargs: {
        model: "m",
        base_url: gateway.url,
        api_key: { lc: 1, type: "secret", id: ["MODEL_GATEWAY_API_KEY"] },
        temperature: 0.5,
        top_p: 0.9,
        max_tokens: 10,
        stop: ["END"],
        max_retries: 4,
        model_kwargs: { seed: 1 },
      },
    });
  });

  it("can be undone: the loaded model sends the same", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, ...SETTINGS });
    const loaded = await load<ChatModelGateway>(JSON.stringify(model), {
      secretsMap: { MODEL_GATEWAY_API_KEY: SECRET },
      optionalImportsMap: { "langchain/chat_models/model-gateway": { ChatModelGateway } },
    });
    await model.invoke("Hi");
    const sent = gateway.lastBody;
    await loaded.invoke("Hi");
    expect(gateway.lastBody).toEqual(sent);
    expect(gateway.received.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(loaded.maxRetries).toBe(4);
  });

  it("leaves out a ready client", () => {
    const model = new ChatModelGateway("m", { gateway: new ModelGateway(gateway.connection) });
    expect(JSON.parse(JSON.stringify(model)).kwargs).toEqual({ model: "m" });
  });

  it("stores streamed messages as LangChain's own class, which every process can load", async () => {
    gateway.script({ events: [event({ content: "Hello" }), ...ending()] });
    const message = await collect(await new ChatModelGateway("m", gateway.connection).stream("Hi"));
    const loaded = await load<AIMessageChunk>(JSON.stringify(message));
    expect(AIMessageChunk.isInstance(loaded)).toBe(true);
    expect(loaded.text).toBe("Hello");
    expect(loaded.usage_metadata).toEqual(message.usage_metadata);
  });
});

describe("storing a streamed message with tool calls", () => {
  const cut = { index: 0, id: "a", function: { name: "save", arguments: '{"text":"half' } };
  const whole = { index: 1, id: "b", function: { name: "now", arguments: "{}" } };

  async function streamed() {
    gateway.script({ events: [event({ tool_calls: [cut, whole] }), ...ending("length")] });
    return collect(await new ChatModelGateway("m", gateway.connection).stream("Hi"));
  }

  it("never makes a call that was cut off executable again", async () => {
    const message = await streamed();
    const expected = {
      tool_calls: [{ type: "tool_call", id: "b", name: "now", args: {} }],
      invalid_tool_calls: [
        expect.objectContaining({ type: "invalid_tool_call", id: "a", name: "save", args: '{"text":"half' }),
      ],
    };
    expect(JSON.parse(JSON.stringify(message)).kwargs).not.toHaveProperty("tool_call_chunks");
    const loaded = await load<AIMessage>(JSON.stringify(message));
    expect(loaded).toMatchObject(expected);
    expect(AIMessage.isInstance(loaded)).toBe(true);
    expect(loaded.contentBlocks).toEqual(message.contentBlocks);
    expect(await load(JSON.stringify(loaded))).toMatchObject(expected);
    const [fromStore] = mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages([message]));
    expect(fromStore).toMatchObject(expected);
  });

  it("keeps the pieces of a piece, for whoever puts them together elsewhere", async () => {
    gateway.script({ events: [event({ tool_calls: [cut, whole] }), ...ending("length")] });
    const stream = await new ChatModelGateway("m", gateway.connection).stream("Hi");
    const { value: first } = await stream.next();
    const loaded = await load<AIMessageChunk>(JSON.stringify(first));
    expect(AIMessageChunk.isInstance(loaded)).toBe(true);
    expect(loaded.tool_call_chunks).toEqual(first.tool_call_chunks);
  });
});

describe("the cache", () => {
  it("answers the same call again, and no other model's, address's or setting's", async () => {
    const cache = new InMemoryCache(new Map());
    const ask = (model: string, fields: object = {}) =>
      new ChatModelGateway(model, { ...gateway.connection, cache, ...fields }).invoke("Hi");
    gateway.script(
      completion({ content: "from a" }),
      completion({ content: "from b" }),
      completion({ content: "warm" }),
    );
    const before = gateway.received.length;
    expect((await ask("a")).text).toBe("from a");
    expect((await ask("a")).text).toBe("from a");
    expect((await ask("b")).text).toBe("from b");
    expect((await ask("a", { temperature: 1 })).text).toBe("warm");
    expect((await ask("a", { headers: { "x-team": "blue" } })).text).toBe("from a");
    expect(gateway.received).toHaveLength(before + 3);
  });
});

describe("the cache and images", () => {
  const ask = (model: ChatModelGateway, data: string) =>
    model.invoke([
      new HumanMessage({
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", mimeType: "image/png", data },
        ],
      }),
    ]);

  it("never answers with what it kept for another image", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, cache: new InMemoryCache(new Map()) });
    gateway.script(completion({ content: "A cat." }), completion({ content: "A dog." }));
    expect((await ask(model, "AAAA")).text).toBe("A cat.");
    expect((await ask(model, "BBBB")).text).toBe("A dog.");
    expect((await ask(model, "AAAA")).text).toBe("A cat.");
  });
});

describe("what LangChain asks a model", () => {
  it("tells tracers its settings under their standard names", () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, temperature: 0, maxTokens: 9 });
    expect(model.getLsParams({ stop: ["X"] } as never)).toEqual({
      ls_provider: "model-gateway",
      ls_model_name: "m",
      ls_model_type: "chat",
      ls_temperature: 0,
      ls_max_tokens: 9,
      ls_stop: ["X"],
    });
  });

  it("has the profile it was given, and none otherwise", () => {
    const profile = { maxInputTokens: 8000, toolCalling: true };
    expect(new ChatModelGateway("m", { ...gateway.connection, profile }).profile).toEqual(profile);
    expect(new ChatModelGateway("m", gateway.connection).profile).toEqual({});
  });

  it("counts tokens without asking anybody", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    const before = gateway.received.length;
    expect(await model.getNumTokens("Eight letters and some more")).toBe(7);
    expect(await model.getNumTokens("模型网关")).toBe(4);
    expect(
      await model.getNumTokens([
        { type: "text", text: "Four" },
        { type: "image", url: "x" },
      ]),
    ).toBe(1);
    expect(gateway.received).toHaveLength(before);
  });

  it("reports the tokens of a call to callbacks", async () => {
    const usages: unknown[] = [];
    const callbacks = [
      {
        handleLLMEnd: (output: { llmOutput?: Record<string, unknown> }) =>
          void usages.push(output.llmOutput?.["tokenUsage"]),
      },
    ];
    const model = new ChatModelGateway("m", gateway.connection);
    await model.invoke("Hi", { callbacks });
    gateway.script({ events: [event({ content: "Hello" }), ...ending()] });
    await collect(await model.stream("Hi", { callbacks }));
    await new ChatModelGateway("m", { ...gateway.connection, streaming: true }).invoke("Hi", { callbacks });
    const expected = { promptTokens: 3, completionTokens: 5, totalTokens: 8 };
    expect(usages).toEqual([expected, expected, expected]);
    gateway.script(completion({ content: "ok" }));
    const both = await model.generate([[["human", "a"]], [["human", "b"]]]);
    expect(both.llmOutput).toEqual({
      tokenUsage: { promptTokens: 6, completionTokens: 10, totalTokens: 16 },
    });
  });

  it("announces every streamed token", async () => {
    gateway.script({ events: [event({ content: "Hel" }), event({ content: "lo" }), ...ending()] });
    const tokens: string[] = [];
    const callbacks = [{ handleLLMNewToken: (token: string) => void tokens.push(token) }];
    await collect(await new ChatModelGateway("m", gateway.connection).stream("Hi", { callbacks }));
    expect(tokens.join("")).toBe("Hello");
    expect(tokens.slice(0, 2)).toEqual(["Hel", "lo"]);
  });
});
