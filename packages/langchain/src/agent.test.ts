import { type AIMessage, type BaseMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { createAgent, providerStrategy, summarizationMiddleware, toolStrategy } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { completion, type ScriptedGateway, startScriptedGateway } from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

const getWeather = tool(async ({ city }) => `Sunny, 21 degrees in ${city}`, {
  name: "get_weather",
  description: "The current weather in a city",
  schema: z.object({ city: z.string().describe("Name of the city") }),
});

let emulator: Emulator;
let connection: { apiKey: string; baseURL: string };
beforeAll(async () => {
  emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  connection = { apiKey: "sk-emulator", baseURL: emulator.url };
});
afterAll(() => emulator.close());

const question = { messages: [new HumanMessage("What is the weather in Paris and in Tokyo?")] };

function ofType<T extends BaseMessage>(messages: readonly BaseMessage[], type: T["type"]): T[] {
  return messages.filter((message): message is T => message.type === type);
}

describe("an agent", () => {
  it("calls tools in parallel and answers from their results", async () => {
    const agent = createAgent({ model: new ChatModelGateway("local-chat", connection), tools: [getWeather] });
    const { messages } = await agent.invoke(question);
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "tool", "ai"]);
    const [asking] = ofType<AIMessage>(messages, "ai");
    expect(asking?.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
      ["get_weather", { city: "Paris" }],
      ["get_weather", { city: "Tokyo" }],
    ]);
    expect(ofType<ToolMessage>(messages, "tool").map(({ text }) => text)).toEqual([
      "Sunny, 21 degrees in Paris",
      "Sunny, 21 degrees in Tokyo",
    ]);
    expect(messages.at(-1)?.text).toContain("21 degrees");
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  });

  it("works through a tool loop with a reasoning model, which gets its reasoning back", async () => {
    const agent = createAgent({
      model: new ChatModelGateway("local-reasoner", connection),
      tools: [getWeather],
    });
    emulator.journal.clear();
    const { messages } = await agent.invoke(question);
    expect(messages.at(-1)?.text).toContain("21 degrees");
    const [asking] = ofType<AIMessage>(messages, "ai");
    const [reasoning] = asking?.contentBlocks ?? [];
    expect(reasoning?.type).toBe("reasoning");
    const [, second] = emulator.journal.list({ path: "/chat/completions" });
    expect(second?.body).toMatchObject({
      messages: [{}, { reasoning_content: reasoning?.["reasoning"] }, {}, {}],
    });
  });

  it("streams messages and tool results", async () => {
    const agent = createAgent({ model: new ChatModelGateway("local-chat", connection), tools: [getWeather] });
    let text = "";
    const ids = new Set<string | undefined>();
    for await (const [message] of await agent.stream(question, { streamMode: "messages" })) {
      ids.add(message.id);
      if (message.type === "ai") text += message.text;
    }
    expect(text).toContain("21 degrees in Paris");
    expect(ids.size).toBe(4);
  });

  it("streams each message on its own", async () => {
    const agent = createAgent({ model: new ChatModelGateway("local-chat", connection), tools: [getWeather] });
    const run = await agent.streamEvents(question, { version: "v3" });
    const texts: string[] = [];
    for await (const message of run.messages) texts.push(await message.text);
    expect(texts.at(-1)).toContain("21 degrees in Tokyo");
  });

  it("shortens its history by the model's profile and token count", async () => {
    const model = new ChatModelGateway("local-chat", { ...connection, profile: { maxInputTokens: 200 } });
    const agent = createAgent({
      model,
      tools: [],
      middleware: [summarizationMiddleware({ model, trigger: { fraction: 0.5 }, keep: { messages: 2 } })],
    });
    const long = Array.from(
      { length: 20 },
      (_, index) => new HumanMessage(`Note ${index}: ${"words ".repeat(20)}`),
    );
    const { messages } = await agent.invoke({ messages: [...long, new HumanMessage("What is 6*7?")] });
    expect(messages.length).toBeLessThan(long.length);
    expect(messages.at(-1)?.text).toContain("42");
  });

  it("answers in a schema, by a tool or by the response format", async () => {
    const schema = z.object({ name: z.string(), age: z.number() });
    const model = new ChatModelGateway("local-chat", connection);
    const state = { messages: [new HumanMessage("Alice is 31 years old.")] };
    const alice = { name: "Alice", age: 31 };
    const byTool = createAgent({ model, tools: [], responseFormat: toolStrategy(schema) });
    expect((await byTool.invoke(state)).structuredResponse).toEqual(alice);
    const byFormat = createAgent({ model, tools: [], responseFormat: providerStrategy(schema) });
    expect((await byFormat.invoke(state)).structuredResponse).toEqual(alice);
  });

  it("answers in a schema where models cannot be forced and routes have no JSON Schema", async () => {
    const weather = z.object({ city: z.string(), degrees: z.number() });
    const byTool = toolStrategy(weather);
    const expected = { city: "Paris", degrees: 21 };
    const scripted: ScriptedGateway = await startScriptedGateway();
    try {
      const model = (fields: object) => new ChatModelGateway("m", { ...scripted.connection, ...fields });
      const ask = async (agent: {
        invoke(input: typeof question): Promise<{ structuredResponse: unknown }>;
      }) => (await agent.invoke(question)).structuredResponse;

      scripted.script({
        status: 400,
        json: { error: { message: "tool_choice is not supported", type: "x" } },
      });
      const forcing = createAgent({ model: model({}), tools: [], responseFormat: byTool });
      await expect(ask(forcing)).rejects.toThrow("set forcedToolChoice: false");
      const { tool_choice: forced, tools } = scripted.lastBody as {
        tool_choice: unknown;
        tools: Array<{ function: { name: string } }>;
      };
      expect(forced).toBe("required");

      const called = { name: tools[0]?.function.name, arguments: JSON.stringify(expected) };
      const calls = [{ id: "a", type: "function", function: called }];
      scripted.script(completion({ content: null, tool_calls: calls }, { finish_reason: "tool_calls" }));
      const asking = createAgent({
        model: model({ forcedToolChoice: false }),
        tools: [],
        responseFormat: byTool,
      });
      expect(await ask(asking)).toEqual(expected);
      expect(scripted.lastBody["tool_choice"]).toBe("auto");

      scripted.script(completion({ content: JSON.stringify(expected) }));
      const prompted = createAgent({
        model: model({ structuredOutputs: "prompt" }),
        tools: [],
        responseFormat: providerStrategy(weather),
      });
      expect(await ask(prompted)).toEqual(expected);
      expect(scripted.lastBody).not.toHaveProperty("response_format");
      expect(JSON.stringify(scripted.lastBody["messages"])).toContain("valid against the JSON Schema");
    } finally {
      await scripted.close();
    }
  });

  it("never runs a tool whose arguments were cut off", async () => {
    const gateway: ScriptedGateway = await startScriptedGateway();
    try {
      const runs: unknown[] = [];
      const save = tool(async (input) => void runs.push(input), {
        name: "save",
        description: "Saves a text",
        schema: z.object({ text: z.string() }),
      });
      const cutOff = { id: "a", type: "function", function: { name: "save", arguments: '{"text":"half of' } };
      gateway.script(completion({ tool_calls: [cutOff] }, { finish_reason: "length" }));
      const agent = createAgent({ model: new ChatModelGateway("m", gateway.connection), tools: [save] });
      const { messages } = await agent.invoke({ messages: [new HumanMessage("Save it.")] });
      expect(runs).toEqual([]);
      expect((messages.at(-1) as AIMessage).invalid_tool_calls).toHaveLength(1);
    } finally {
      await gateway.close();
    }
  });
});

describe("an agent with LangGraph's memory", () => {
  it("keeps every message of a thread apart and answers from earlier turns", async () => {
    const model = new ChatModelGateway("local-chat", connection);
    const agent = createAgent({ model, tools: [], checkpointer: new MemorySaver() });
    const say = (content: string) =>
      agent.invoke({ messages: [{ role: "user", content }] }, { configurable: { thread_id: "t1" } });
    await say("My name is Ada and I live in Oslo.");
    await say("What is 6 times 7?");
    const { messages } = await say("What is my name?");
    expect(messages).toHaveLength(6);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
    expect(messages.at(-1)?.text).toContain("Ada");
    expect(messages.at(-3)?.text).toContain("42");
  });
});
