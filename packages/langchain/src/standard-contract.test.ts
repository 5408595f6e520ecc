import { InMemoryCache } from "@langchain/core/caches";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Serialized } from "@langchain/core/load/serializable";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { collect } from "../test/read-every-way.js";
import { ChatModelGateway } from "./index.js";

// What LangChain requires of every chat model, case by case, against the emulator.

const Person = z3.object({
  name: z3.string().describe("The person's name"),
  age: z3.number().describe("The age"),
});
const PERSON_QUESTION = "Alice is 31 years old.";
const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

const calculator = tool(async ({ operation, a, b }) => String(operation === "add" ? a + b : a * b), {
  name: "calculator",
  description: "Adds or multiplies two numbers",
  schema: z.object({ operation: z.enum(["add", "multiply"]), a: z.number(), b: z.number() }),
});
const weather = tool(async ({ location }) => `Sunny in ${location}`, {
  name: "get_weather",
  description: "The current weather in a location",
  schema: z.object({ location: z.string().describe("Name of the city") }),
});
const clock = tool(async () => "12:00", {
  name: "get_time",
  description: "The current time in a location",
  schema: z.object({ location: z.string().describe("Name of the city") }),
});

let emulator: Emulator;
let model: ChatModelGateway;
let connection: { apiKey: string; baseURL: string };
beforeAll(async () => {
  emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  connection = { apiKey: "sk-emulator", baseURL: emulator.url };
  model = new ChatModelGateway("local-chat", connection);
});
afterAll(() => emulator.close());

describe("without a request", () => {
  const standard = { temperature: 0, maxTokens: 100, timeout: 60, stopSequences: [], maxRetries: 2 };
  const create = (fields: object = {}) =>
    new ChatModelGateway({
      model: "local-chat",
      apiKey: "test",
      baseURL: connection.baseURL,
      ...standard,
      ...fields,
    });

  it("is made from the standard settings", () => {
    expect(create()).toBeInstanceOf(ChatModelGateway);
  });

  it("is made with a key", () => {
    expect(create({ apiKey: "another" })).toBeInstanceOf(ChatModelGateway);
  });

  it("is made with streaming on", () => {
    expect(create({ streaming: true })).toBeInstanceOf(ChatModelGateway);
  });

  it("binds tools", () => {
    const person = tool(async () => "", { name: "person", description: "Notes a person", schema: Person });
    expect(create().bindTools([person])).toBeDefined();
  });

  it("makes a structured output runnable", () => {
    expect(create().withStructuredOutput(Person)).toBeDefined();
  });

  it("tells tracers all standard parameters, set or not", () => {
    const expected = [
      "ls_max_tokens",
      "ls_model_name",
      "ls_model_type",
      "ls_provider",
      "ls_stop",
      "ls_temperature",
    ];
    expect(Object.keys(create().getLsParams({} as never)).sort()).toEqual(expected);
    expect(Object.keys(model.getLsParams({} as never)).sort()).toEqual(expected);
  });

  it("rejects invoke with an aborted signal", async () => {
    await expect(create().invoke("Hi", { signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it("gives no chunk for stream with an aborted signal", async () => {
    let chunks = 0;
    await expect(async () => {
      for await (const _chunk of await create().stream("Hi", { signal: AbortSignal.abort() })) chunks++;
    }).rejects.toThrow();
    expect(chunks).toBe(0);
  });
});

describe("text", () => {
  it("invokes", async () => {
    const message = await model.invoke("Hello");
    expect(AIMessage.isInstance(message)).toBe(true);
    expect(typeof message.content).toBe("string");
    expect(message.content).not.toBe("");
  });

  it("streams", async () => {
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await model.stream("Hello")) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(1);
    expect(
      chunks.every((chunk) => AIMessageChunk.isInstance(chunk) && typeof chunk.content === "string"),
    ).toBe(true);
    expect(chunks.map(({ text }) => text).join("")).not.toBe("");
  });

  it("answers a batch", async () => {
    const answers = await model.batch(["Hello", "Hey"]);
    expect(answers).toHaveLength(2);
    expect(answers.every((answer) => AIMessage.isInstance(answer) && answer.text !== "")).toBe(true);
  });

  it("takes a conversation", async () => {
    const answer = await model.invoke([
      new HumanMessage("Hello"),
      new AIMessage("Hello"),
      new HumanMessage("What is 1+1?"),
    ]);
    expect(answer.text).toContain("2");
  });

  it("takes a conversation of two questions in a row and a system message", async () => {
    const answer = await model.invoke([
      new SystemMessage("Be brief."),
      new HumanMessage("Hello"),
      new HumanMessage("What is 1+1?"),
    ]);
    expect(answer.text).not.toBe("");
  });

  it("emits content-block events", async () => {
    const kinds: string[] = [];
    for await (const { event } of model.streamEvents("Hello")) kinds.push(event);
    expect(kinds[0]).toBe("message-start");
    expect(kinds).toContain("content-block-delta");
    expect(kinds.at(-1)).toBe("message-finish");
  });

  it("stops at a stop sequence", async () => {
    const whole = (await model.invoke("What is 6*7?")).text;
    const stopped = await model.invoke("What is 6*7?", { stop: ["="] });
    expect(whole).toContain("=");
    expect(stopped.text).not.toContain("=");
  });
});

describe("usage", () => {
  it("is on an invoked message", async () => {
    const { usage_metadata: usage, response_metadata: metadata } = await model.invoke("Hello");
    expect(usage?.input_tokens).toBeGreaterThan(0);
    expect(usage?.output_tokens).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
    expect(metadata["model"]).toBe("local-chat");
  });

  it("is on the last chunk of a stream, once", async () => {
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await model.stream("Hello")) chunks.push(chunk);
    expect(chunks.filter(({ usage_metadata: usage }) => usage !== undefined)).toEqual([chunks.at(-1)]);
    const whole = await collect(await model.stream("Hello"));
    expect(whole.usage_metadata).toEqual((await model.invoke("Hello")).usage_metadata);
    expect(whole.response_metadata["model"]).toBe("local-chat");
  });
});

describe("histories with tool calls", () => {
  const history = (content: AIMessage["content"]) => [
    new HumanMessage("What is 1 plus 2?"),
    new AIMessage({
      content,
      tool_calls: [
        { type: "tool_call", id: "abc123", name: "calculator", args: { operation: "add", a: 1, b: 2 } },
      ],
    }),
    new ToolMessage({ content: "3", tool_call_id: "abc123", name: "calculator" }),
  ];

  it("are taken with content as a string", async () => {
    expect((await model.bindTools([calculator]).invoke(history(""))).text).toContain("3");
  });

  it("are taken with content as a list, whose tool_use block is no content", async () => {
    const content = [
      { type: "text", text: "Let me add." },
      { type: "tool_use", id: "abc123", name: "calculator", input: { operation: "add", a: 1, b: 2 } },
    ];
    expect((await model.bindTools([calculator]).invoke(history(content))).text).toContain("3");
  });

  it("are taken with parallel calls", async () => {
    const cities = ["Paris", "Tokyo"];
    const calls = cities.map((location) => ({
      type: "tool_call" as const,
      id: `call_${location}`,
      name: "get_weather",
      args: { location },
    }));
    const answer = await model
      .bindTools([weather])
      .invoke([
        new HumanMessage("What is the weather in Paris and in Tokyo?"),
        new AIMessage({ content: "", tool_calls: calls }),
        ...calls.map(
          ({ id, args }) => new ToolMessage({ content: `Sunny in ${args.location}`, tool_call_id: id }),
        ),
      ]);
    expect(answer.text).toContain("Sunny in Paris");
    expect(answer.text).toContain("Sunny in Tokyo");
  });
});

describe("structured output", () => {
  it("fills a schema", async () => {
    expect(await model.withStructuredOutput(Person).invoke(PERSON_QUESTION)).toEqual({
      name: "Alice",
      age: 31,
    });
  });

  it("fills a schema and gives the raw message", async () => {
    const { raw, parsed } = await model
      .withStructuredOutput(Person, { includeRaw: true })
      .invoke(PERSON_QUESTION);
    expect(AIMessage.isInstance(raw) || AIMessageChunk.isInstance(raw)).toBe(true);
    expect(parsed).toEqual({ name: "Alice", age: 31 });
  });

  it("shows its format to tracers", async () => {
    const seen: unknown[] = [];
    class Handler extends BaseCallbackHandler {
      name = "handler";
      override handleChatModelStart(
        _model: Serialized,
        _messages: BaseMessage[][],
        _runId: string,
        _parent?: string,
        extra?: Record<string, unknown>,
      ) {
        const options = extra?.["options"] as Record<string, unknown> | undefined;
        seen.push(options?.["ls_structured_output_format"]);
      }
    }
    await model.withStructuredOutput(Person).invoke(PERSON_QUESTION, { callbacks: [new Handler()] });
    expect(seen).toEqual([{ kwargs: { method: "functionCalling" }, schema: toJsonSchema(Person) }]);
  });
});

describe("tools", () => {
  it("are taken in the wire format", async () => {
    const definition = {
      type: "function",
      function: { name: "person", description: "Notes a person", parameters: toJsonSchema(Person) },
    };
    const { tool_calls: calls } = await model
      .bindTools([definition], { tool_choice: "person" })
      .invoke(PERSON_QUESTION);
    expect(calls).toMatchObject([{ name: "person", args: { name: "Alice", age: 31 } }]);
  });

  it("are taken as runnables", async () => {
    const runnable = RunnableLambda.from((_input: { name: string; age: number }) => "noted").asTool({
      name: "person",
      description: "Notes a person",
      schema: z.object({ name: z.string(), age: z.number() }),
    });
    const { tool_calls: calls } = await model
      .bindTools([runnable], { tool_choice: "person" })
      .invoke(PERSON_QUESTION);
    expect(calls).toMatchObject([{ name: "person", args: { name: "Alice", age: 31 } }]);
  });

  it("are taken as parameters without a function", async () => {
    const parameters = {
      name: "person",
      description: "Notes a person",
      schema: z.object({ name: z.string(), age: z.number() }),
    };
    const { tool_calls: calls } = await model
      .bindTools([parameters], { tool_choice: "any" })
      .invoke(PERSON_QUESTION);
    expect(calls).toMatchObject([{ name: "person", args: { name: "Alice", age: 31 } }]);
  });

  it("are called in a stream, with usage", async () => {
    const whole = await collect(
      await model.bindTools([weather], { tool_choice: "get_weather" }).stream("The weather in Paris?"),
    );
    expect(whole.tool_calls).toMatchObject([{ name: "get_weather", args: { location: "Paris" } }]);
    expect(whole.usage_metadata?.output_tokens).toBeGreaterThan(0);
  });

  it.each(["invoke", "stream"] as const)("make a full round trip (%s)", async (way) => {
    const bound = model.bindTools([weather]);
    const messages: BaseMessage[] = [new HumanMessage("What is the weather in Paris?")];
    const ask = async () =>
      way === "invoke" ? bound.invoke(messages) : collect(await bound.stream(messages));
    const asking = await ask();
    expect(asking.tool_calls).toHaveLength(1);
    messages.push(asking);
    for (const call of asking.tool_calls ?? [])
      messages.push(await weather.invoke({ ...call, type: "tool_call" }));
    const answer = await ask();
    expect(answer.tool_calls).toEqual([]);
    expect(answer.text).toContain("Sunny in Paris");
  });

  it("may have nested schemas with enums and open records", async () => {
    const schema = z.object({
      title: z.string(),
      priority: z.enum(["low", "high"]),
      owner: z.object({ name: z.string() }),
      labels: z.record(z.string(), z.string()),
    });
    const task = tool(async () => "", { name: "create_task", description: "Creates a task", schema });
    const { tool_calls: calls } = await model
      .bindTools([task], { tool_choice: "create_task" })
      .invoke("Create a task titled Cleanup with high priority, owned by Alice.");
    expect(schema.safeParse(calls?.[0]?.args).error).toBeUndefined();
  });

  it("are called several at once", async () => {
    const { tool_calls: calls } = await model
      .bindTools([weather, clock])
      .invoke("What is the weather in Paris, and what is the time in Paris?");
    expect(calls?.map(({ name }) => name).sort()).toEqual(["get_time", "get_weather"]);
    expect(new Set(calls?.map(({ id }) => id)).size).toBe(2);
  });

  it("are called several at once in a stream", async () => {
    const bound = model.bindTools([weather, clock]);
    const { tool_calls: calls } = await collect(
      await bound.stream("What is the weather in Paris, and what is the time in Paris?"),
    );
    expect(calls?.map(({ name }) => name).sort()).toEqual(["get_time", "get_weather"]);
  });
});

describe("standard content blocks", () => {
  it("of text", async () => {
    expect(
      (await model.invoke([new HumanMessage({ content: [{ type: "text", text: "What is 1+1?" }] })])).text,
    ).toContain("2");
  });

  it.each([
    ["an address", { type: "image", source_type: "url", url: "https://images.example/red.png" }],
    ["Base64", { type: "image", source_type: "base64", mime_type: "image/png", data: RED_PIXEL }],
    ["a data URL", { type: "image", source_type: "url", url: `data:image/png;base64,${RED_PIXEL}` }],
  ])("of an image by %s", async (_name, block) => {
    const message = new HumanMessage({ content: [{ type: "text", text: "Describe this image." }, block] });
    expect((await model.invoke([message])).text).not.toBe("");
  });

  it.each(["audio", "file"])("of %s are refused: the API has no such parts", async (type) => {
    const message = new HumanMessage({
      content: [{ type, source_type: "base64", mime_type: "x/y", data: "AAAA" }],
    });
    await expect(model.invoke([message])).rejects.toThrow(`is of type ${type}`);
  });
});

describe("the cache", () => {
  it("keeps messages with all their parts", async () => {
    const cached = new ChatModelGateway("local-chat", { ...connection, cache: new InMemoryCache(new Map()) });
    const bound = cached.bindTools([weather]);
    const input = [new HumanMessage({ content: [{ type: "text", text: "What is the weather in Paris?" }] })];
    const first = await bound.invoke(input);
    emulator.journal.clear();
    const second = await bound.invoke(input);
    expect(emulator.journal.list()).toEqual([]);
    expect(second.tool_calls).toEqual(first.tool_calls);
    expect(second.contentBlocks).toEqual(first.contentBlocks);
    expect(second.response_metadata).toEqual(first.response_metadata);
  });
});
