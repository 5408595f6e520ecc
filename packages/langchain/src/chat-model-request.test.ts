import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { ConfigurationError, ModelGateway } from "@model-gateway/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { collect } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

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

describe("the connection", () => {
  it("can be a ready client, shared by several models", async () => {
    const client = new ModelGateway(gateway.connection);
    await new ChatModelGateway("m", { gateway: client }).invoke("Hi");
    expect(gateway.lastBody["model"]).toBe("m");
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
