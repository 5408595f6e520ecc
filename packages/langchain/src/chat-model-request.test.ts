import { InMemoryCache } from "@langchain/core/caches";
import { type AIMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatGeneration } from "@langchain/core/outputs";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { ConfigurationError, Connection, createChat, createModels, ModelGateway } from "@model-gateway/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { collect } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  type ScriptedReply,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway, ModelGatewayEmbeddings } from "./index.js";

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
beforeEach(() => gateway.script(completion({ content: "ok" })));
afterAll(() => gateway.close());

const add = tool(async ({ x }) => x + 1, {
  name: "add",
  description: "Adds one",
  schema: z.object({ x: z.number() }),
});
const messages = [{ role: "user", content: "Hi" }];

describe("the request body", () => {
  it("holds the model and the messages, and nothing that was not set", async () => {
    await new ChatModelGateway("m", gateway.connection).invoke("Hi");
    expect(gateway.lastBody).toEqual({ model: "m", messages, stream: false });
    expect(gateway.received.at(-1)?.path).toBe("/v1/chat/completions");
  });

  it("asks for usage in streams, unless told not to", async () => {
    gateway.script({ events: [event({ content: "ok" }), ...ending()] });
    const model = new ChatModelGateway("m", gateway.connection);
    await collect(await model.stream("Hi"));
    expect(gateway.lastBody).toEqual({
      model: "m",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    await collect(await model.stream("Hi", { streamUsage: false }));
    expect(gateway.lastBody).toEqual({ model: "m", messages, stream: true });
    await collect(
      await new ChatModelGateway("m", { ...gateway.connection, streamUsage: false }).stream("Hi"),
    );
    expect(gateway.lastBody).toEqual({ model: "m", messages, stream: true });
  });

  it("carries what the constructor sets, under the names of the API", async () => {
    const model = new ChatModelGateway({
      ...gateway.connection,
      model: "m",
      temperature: 0,
      maxTokens: 100,
      topP: 0.5,
      stop: ["END"],
      user: "u-1",
      modelKwargs: { seed: 7, metadata: { size: "1024x1024" } },
    });
    await model.invoke("Hi");
    expect(gateway.lastBody).toEqual({
      model: "m",
      messages,
      stream: false,
      temperature: 0,
      max_completion_tokens: 100,
      top_p: 0.5,
      stop: ["END"],
      user: "u-1",
      seed: 7,
      metadata: { size: "1024x1024" },
    });
  });

  it("lets a call override the constructor", async () => {
    const model = new ChatModelGateway("m", {
      ...gateway.connection,
      temperature: 0,
      maxTokens: 100,
      stopSequences: ["END"],
      tokenLimitParam: "max_tokens",
    });
    await model.invoke("Hi", { temperature: 1, maxTokens: 5, stop: ["X"], modelKwargs: { seed: 1 } });
    expect(gateway.lastBody).toMatchObject({ temperature: 1, max_tokens: 5, stop: ["X"], seed: 1 });
    expect(gateway.lastBody).not.toHaveProperty("max_completion_tokens");
    await model.invoke("Hi");
    expect(gateway.lastBody["stop"]).toEqual(["END"]);
  });

  it("leaves out call options that are none of the API's", async () => {
    await new ChatModelGateway("m", gateway.connection).invoke("Hi", {
      // What an agent binds beside what we know.
      ...({ responseSchema: {}, outputConfig: {}, strict: true } as object),
      tags: ["t"],
      metadata: { trace: "1" },
    });
    expect(gateway.lastBody).toEqual({ model: "m", messages, stream: false });
  });
});

describe("typed settings", () => {
  const SETTINGS: Array<[option: string, value: unknown, name: string]> = [
    ["topK", 40, "top_k"],
    ["seed", 7, "seed"],
    ["presencePenalty", 0.5, "presence_penalty"],
    ["frequencyPenalty", -0.5, "frequency_penalty"],
    ["logitBias", { "50256": -100 }, "logit_bias"],
    ["reasoningEffort", "low", "reasoning_effort"],
    ["n", 1, "n"],
    ["logprobs", true, "logprobs"],
    ["topLogprobs", 3, "top_logprobs"],
    ["promptCacheKey", "docs", "prompt_cache_key"],
    ["serviceTier", "flex", "service_tier"],
  ];

  it.each(SETTINGS)("%s is sent, from the constructor, a call and a binding", async (option, value, name) => {
    await new ChatModelGateway("m", { ...gateway.connection, [option]: value }).invoke("Hi");
    expect(gateway.lastBody).toEqual({ model: "m", messages, stream: false, [name]: value });
    const model = new ChatModelGateway("m", gateway.connection);
    await model.invoke("Hi", { [option]: value });
    expect(gateway.lastBody[name]).toEqual(value);
    await model.withConfig({ [option]: value }).invoke("Hi");
    expect(gateway.lastBody[name]).toEqual(value);
    await model.invoke("Hi");
    expect(gateway.lastBody).toEqual({ model: "m", messages, stream: false });
  });

  it("send another model's id for one call, and everything that looks at the model sees it", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, cache: new InMemoryCache(new Map()) });
    await model.invoke("Hi", { model: "other" });
    expect(gateway.lastBody["model"]).toBe("other");
    await model.withConfig({ model: "bound" }).invoke("Hi");
    expect(gateway.lastBody["model"]).toBe("bound");
    await model.invoke("Hi");
    expect(gateway.lastBody["model"]).toBe("m");
    expect(model.getLsParams({ model: "other" } as never).ls_model_name).toBe("other");
  });

  it.each([
    ["max_tokens", "maxTokens"],
    ["maxOutputTokens", "maxTokens"],
    ["max_completion_tokens", "maxTokens"],
    ["top_p", "topP"],
    ["presence_penalty", "presencePenalty"],
    ["reasoning_effort", "reasoningEffort"],
    ["modelName", "model"],
    ["extra_body", "modelKwargs"],
  ])("are refused as %s, which would be dropped: they are called %s", async (wrong, right) => {
    const message = `Option ${wrong} would not be sent: it is called ${right} here.`;
    const fields = { ...gateway.connection, [wrong]: 1 };
    expect(() => new ChatModelGateway("m", fields as object)).toThrow(message);
    const before = gateway.received.length;
    const model = new ChatModelGateway("m", gateway.connection);
    await expect(model.invoke("Hi", { [wrong]: 1 } as object)).rejects.toThrow(message);
    await expect(model.stream("Hi", { [wrong]: 1 } as object)).rejects.toThrow(message);
    expect(gateway.received).toHaveLength(before);
  });

  it("of the constructor are refused in a call, where they would have no effect", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    await expect(model.invoke("Hi", { thinkTags: true } as object)).rejects.toThrow(
      "Option thinkTags has no effect in a call",
    );
    await expect(model.invoke("Hi", { stopSequences: ["."] } as object)).rejects.toThrow(
      "it is called stop here",
    );
  });
});

describe("several answers", () => {
  const three = completion({ content: "a" }) as { json: { choices: object[] } };
  const [first] = three.json.choices;
  three.json.choices.push({ ...first, index: 1, message: { role: "assistant", content: "b" } });

  it("come from generate, each with an id of its own, and count their tokens once", async () => {
    gateway.script(three as ScriptedReply);
    const model = new ChatModelGateway("m", { ...gateway.connection, n: 2 });
    const { generations, llmOutput } = await model.generate([[new HumanMessage("Hi")]]);
    expect(generations[0]?.map(({ text }) => text)).toEqual(["a", "b"]);
    const made =
      generations[0]?.map((generation) => (generation as ChatGeneration).message as AIMessage) ?? [];
    expect(made.map(({ id }) => id)).toEqual(["chatcmpl-1", "chatcmpl-1-1"]);
    expect(made.map(({ usage_metadata: usage }) => usage?.total_tokens)).toEqual([8, undefined]);
    expect(made.map(({ response_metadata: { usage } }) => usage !== undefined)).toEqual([true, false]);
    expect(llmOutput?.["tokenUsage"]).toMatchObject({ totalTokens: 8 });
  });

  it("are refused in a stream before anything is paid", async () => {
    const before = gateway.received.length;
    const model = new ChatModelGateway("m", { ...gateway.connection, n: 2 });
    await expect(model.stream("Hi")).rejects.toThrow("n must be 1 in a stream");
    await expect(model.streamEvents("Hi")).rejects.toThrow("n must be 1 in a stream");
    expect(gateway.received).toHaveLength(before);
  });
});

describe("tools", () => {
  const addTool = {
    type: "function",
    function: {
      name: "add",
      description: "Adds one",
      parameters: expect.objectContaining({ type: "object", required: ["x"] }),
    },
  };

  it.each<[string, object]>([
    ["a LangChain tool", add],
    ["tool parameters", { name: "add", description: "Adds one", schema: z.object({ x: z.number() }) }],
    [
      "the wire format",
      {
        type: "function",
        function: { name: "add", description: "Adds one", parameters: { type: "object", required: ["x"] } },
      },
    ],
    [
      "a bare function definition",
      { name: "add", description: "Adds one", parameters: { type: "object", required: ["x"] } },
    ],
    [
      "Anthropic's format",
      { name: "add", description: "Adds one", input_schema: { type: "object", required: ["x"] } },
    ],
    [
      "a runnable as a tool",
      RunnableLambda.from(({ x }: { x: number }) => x + 1).asTool({
        name: "add",
        description: "Adds one",
        schema: z.object({ x: z.number() }),
      }),
    ],
  ])("are sent from %s", async (_name, given) => {
    await new ChatModelGateway("m", gateway.connection).bindTools([given]).invoke("Hi");
    expect(gateway.lastBody["tools"]).toEqual([addTool]);
    expect(gateway.lastBody).not.toHaveProperty("tool_choice");
  });

  it("pass as they are when the server runs them", async () => {
    await new ChatModelGateway("m", gateway.connection).bindTools([{ type: "web_search" }]).invoke("Hi");
    expect(gateway.lastBody["tools"]).toEqual([{ type: "web_search" }]);
  });

  it("are refused when they are nothing that can be sent", () => {
    expect(() => new ChatModelGateway("m", gateway.connection).bindTools([{ run: true }])).toThrow(
      ConfigurationError,
    );
  });

  it("ask for strictness only when told to, and leave the caller's definition alone", async () => {
    const definition = {
      type: "function" as const,
      function: { name: "add", parameters: { type: "object" } },
    };
    const model = new ChatModelGateway("m", gateway.connection);
    await model.bindTools([definition], { strict: true, parallel_tool_calls: false }).invoke("Hi");
    expect(gateway.lastBody).toMatchObject({
      tools: [{ function: { name: "add", strict: true } }],
      parallel_tool_calls: false,
    });
    expect(definition.function).not.toHaveProperty("strict");
  });

  it("leave no trace when there are none, as agents without tools bind them", async () => {
    await new ChatModelGateway("m", gateway.connection)
      .bindTools([], { tool_choice: "auto", parallel_tool_calls: true })
      .invoke("Hi");
    expect(gateway.lastBody).toEqual({ model: "m", messages, stream: false });
  });

  it.each<[string | Record<string, unknown>, unknown]>([
    ["auto", "auto"],
    ["none", "none"],
    ["any", "required"],
    ["required", "required"],
    ["add", { type: "function", function: { name: "add" } }],
    [
      { type: "function", function: { name: "add" } },
      { type: "function", function: { name: "add" } },
    ],
    [
      { type: "tool", name: "add" },
      { type: "function", function: { name: "add" } },
    ],
    [{ type: "any" }, "required"],
  ])("are chosen by %j", async (choice, expected) => {
    await new ChatModelGateway("m", gateway.connection)
      .bindTools([add], { tool_choice: choice })
      .invoke("Hi");
    expect(gateway.lastBody["tool_choice"]).toEqual(expected);
  });
});

describe("a model that cannot be made to call a tool", () => {
  it("is asked, where it would be forced", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, forcedToolChoice: false });
    for (const choice of ["any", "required", "add", "auto"]) {
      await model.bindTools([add], { tool_choice: choice }).invoke("Hi");
      expect(gateway.lastBody["tool_choice"]).toBe("auto");
    }
    await model.bindTools([add], { tool_choice: "none" }).invoke("Hi");
    expect(gateway.lastBody["tool_choice"]).toBe("none");
    await model.bindTools([add]).invoke("Hi");
    expect(gateway.lastBody).not.toHaveProperty("tool_choice");
  });

  it("is asked in words too for structured output", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, forcedToolChoice: false });
    const tool_calls = [{ id: "a", type: "function", function: { name: "extract", arguments: '{"x":1}' } }];
    gateway.script(completion({ content: null, tool_calls }));
    expect(await model.withStructuredOutput(z.object({ x: z.number() })).invoke("Hi")).toEqual({ x: 1 });
    expect(gateway.lastBody["tool_choice"]).toBe("auto");
    expect(gateway.lastBody["messages"]).toEqual([
      { role: "system", content: "Answer by calling the function extract, and with nothing else." },
      ...messages,
    ]);
  });

  it("is told of by the error of a server that refuses", async () => {
    const message = "tool_choice 'required' is not supported in thinking mode";
    gateway.script({ status: 400, json: { error: { message, type: "invalid_request_error", code: "x" } } });
    const model = new ChatModelGateway("m", gateway.connection);
    const asked = model.withStructuredOutput(z.object({ x: z.number() })).invoke("Hi");
    await expect(asked).rejects.toThrow(
      /thinking mode.*set forcedToolChoice: false.*"jsonSchema" or "prompt"/,
    );
    await expect(model.stream("Hi")).rejects.toMatchObject({ kind: "bad_request", status: 400 });
  });
});

describe("a route without JSON Schema output", () => {
  const schema = { type: "object", properties: { x: { type: "number" } }, required: ["x"] };
  const format = { type: "json_schema" as const, json_schema: { name: "extract", schema } };

  it.each([
    ["jsonObject", { type: "json_object" }, '{"x":1}'],
    ["prompt", undefined, 'Here: {"x":1}.'],
  ] as const)(
    "is asked by %s, by structured output and by whoever binds a format",
    async (mode, sent, content) => {
      gateway.script(completion({ content }));
      const model = new ChatModelGateway("m", { ...gateway.connection, structuredOutputs: mode });
      const structured = model.withStructuredOutput(schema, { method: "jsonSchema" });
      expect(await structured.invoke("Hi")).toEqual({ x: 1 });
      expect(gateway.lastBody["response_format"]).toEqual(sent);
      const [system] = gateway.lastBody["messages"] as Array<{ content: string }>;
      expect(system?.content).toContain(JSON.stringify(schema));
      await model.invoke("Hi", { response_format: format });
      expect(gateway.lastBody["response_format"]).toEqual(sent);
      expect(JSON.stringify(gateway.lastBody["messages"])).toContain("valid against the JSON Schema");
    },
  );

  it("is no reason to change other formats, nor is it one for other routes", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, structuredOutputs: "prompt" });
    await model.invoke("Hi", { response_format: { type: "json_object" } });
    expect(gateway.lastBody).toMatchObject({ response_format: { type: "json_object" }, messages });
    await new ChatModelGateway("m", gateway.connection).invoke("Hi", { response_format: format });
    expect(gateway.lastBody).toMatchObject({ response_format: format, messages });
  });
});

describe("the connection", () => {
  it("can be a ready client, shared by several models", async () => {
    const client = new ModelGateway(gateway.connection);
    await new ChatModelGateway("m", { gateway: client }).invoke("Hi");
    expect(gateway.lastBody["model"]).toBe("m");
  });

  it("can be as much of a client as the class uses", async () => {
    const connection = new Connection(gateway.connection);
    const { baseURL } = connection;
    const parts = { baseURL, chat: createChat(connection), models: createModels(connection) };
    const model = new ChatModelGateway("m", { gateway: parts });
    await model.invoke("Hi");
    expect(gateway.lastBody["model"]).toBe("m");
    expect(model.gateway).toBe(parts);
  });

  it("refuses options that nobody knows, in chat models and embeddings", () => {
    const fields = { ...gateway.connection, defaultHeaders: {} };
    expect(() => new ChatModelGateway("m", fields as object)).toThrow(/defaultHeaders/);
    expect(() => new ModelGatewayEmbeddings("m", fields as object)).toThrow(/defaultHeaders/);
  });

  it("ends a call at its deadline, of the constructor and of the call, with a client of its own or shared", async () => {
    gateway.script({ silent: true });
    const client = new ModelGateway(gateway.connection);
    for (const connection of [gateway.connection, { gateway: client }]) {
      const model = new ChatModelGateway("m", { ...connection, deadline: 30 });
      await expect(model.invoke("Hi")).rejects.toMatchObject({ kind: "timeout" });
      const patient = new ChatModelGateway("m", connection);
      await expect(patient.invoke("Hi", { deadline: 30 })).rejects.toMatchObject({ kind: "timeout" });
      const embeddings = new ModelGatewayEmbeddings("m", { ...connection, deadline: 30 });
      await expect(embeddings.embedQuery("Hi")).rejects.toMatchObject({ kind: "timeout" });
    }
  });

  it("refuses options that a ready client would ignore", () => {
    const client = new ModelGateway(gateway.connection);
    expect(() => new ChatModelGateway("m", { gateway: client, baseURL: gateway.url })).toThrow(
      "Option gateway is a ready client, so baseURL would have no effect",
    );
  });

  it("sends extra headers of the constructor and of the call", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, headers: { "x-team": "blue" } });
    await model.invoke("Hi", { headers: { "x-call": "1" } });
    expect(gateway.received.at(-1)?.headers).toMatchObject({ "x-team": "blue", "x-call": "1" });
  });

  it("names the missing setting when there is no key", () => {
    expect(() => new ChatModelGateway("m", { baseURL: gateway.url, apiKey: "" })).toThrow(
      "MODEL_GATEWAY_API_KEY",
    );
  });

  it("keeps to maxConcurrency", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, maxConcurrency: 2 });
    const answers = await model.batch(["a", "b", "c", "d", "e"]);
    expect(answers.map(({ text }) => text)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  });
});
