import type { BaseMessage } from "@langchain/core/messages";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

const Person = z.object({ name: z.string(), age: z.number() }).describe("A person");
const SCHEMA = {
  title: "Person card",
  type: "object",
  properties: { name: { type: "string" }, age: { type: "number" } },
  required: ["name", "age"],
};
const ALICE = { name: "Alice", age: 31 };
const ALICE_TEXT = JSON.stringify(ALICE);

const METHODS = ["functionCalling", "jsonSchema", "jsonMode", "prompt"] as const;
const SCHEMAS: Record<string, object> = {
  "Zod 4": Person,
  "Zod 3": z3.object({ name: z3.string(), age: z3.number() }),
  "JSON Schema": SCHEMA,
  "Standard Schema": standardSchema(),
};

describe("against the emulator", () => {
  let emulator: Emulator;
  let model: ChatModelGateway;
  beforeAll(async () => {
    emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
    model = new ChatModelGateway("local-chat", { apiKey: "sk-emulator", baseURL: emulator.url });
  });
  afterAll(() => emulator.close());

  it.each(METHODS.flatMap((method) => Object.keys(SCHEMAS).map((schema) => [method, schema] as const)))(
    "%s fills a %s",
    async (method, schema) => {
      const structured = model.withStructuredOutput(SCHEMAS[schema] as object, { method });
      expect(await structured.invoke("Alice is 31 years old.")).toEqual(ALICE);
    },
  );

  it("streams the growing object of a tool call", async () => {
    const structured = model.withStructuredOutput(SCHEMA);
    let last: unknown;
    for await (const partial of await structured.stream("Alice is 31 years old.")) last = partial;
    expect(last).toEqual(ALICE);
  });

  it("gives the raw message too", async () => {
    const result = await model
      .withStructuredOutput(Person, { includeRaw: true })
      .invoke("Alice is 31 years old.");
    expect(result.parsed).toEqual(ALICE);
    expect((result.raw as BaseMessage).type).toBe("ai");
  });
});

describe("the request", () => {
  let gateway: ScriptedGateway;
  let model: ChatModelGateway;
  beforeAll(async () => {
    gateway = await startScriptedGateway();
    model = new ChatModelGateway("m", gateway.connection);
  });
  afterAll(() => gateway.close());

  it("forces one tool call by default", async () => {
    gateway.script(completion({ tool_calls: [call("Person_card", ALICE_TEXT)] }));
    await model.withStructuredOutput(SCHEMA).invoke("Hi");
    expect(gateway.lastBody).toMatchObject({
      tools: [{ type: "function", function: { name: "Person_card", parameters: SCHEMA } }],
      tool_choice: { type: "function", function: { name: "Person_card" } },
    });
    expect(gateway.lastBody).not.toHaveProperty("response_format");
  });

  it("is strict only when told to", async () => {
    gateway.script(completion({ tool_calls: [call("card", ALICE_TEXT)] }));
    await model.withStructuredOutput(Person, { name: "card", strict: true }).invoke("Hi");
    expect(gateway.lastBody).toMatchObject({
      tools: [{ function: { name: "card", strict: true, description: "A person" } }],
    });
    gateway.script(completion({ content: ALICE_TEXT }));
    await model.withStructuredOutput(SCHEMA, { method: "jsonSchema", strict: true }).invoke("Hi");
    expect(gateway.lastBody["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "Person_card", schema: SCHEMA, strict: true },
    });
    await model.withStructuredOutput(SCHEMA, { method: "jsonSchema" }).invoke("Hi");
    expect(gateway.lastBody["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "Person_card", schema: SCHEMA },
    });
  });

  it("puts the schema behind the user's own system message where the server is only asked", async () => {
    gateway.script(completion({ content: ALICE_TEXT }));
    const input = [
      ["system", "Be brief."],
      ["human", "Hi"],
    ] as Array<[string, string]>;
    await model.withStructuredOutput(SCHEMA, { method: "prompt" }).invoke(input);
    expect(gateway.lastBody).not.toHaveProperty("response_format");
    const [system, user] = gateway.lastBody["messages"] as Array<{ role: string; content: string }>;
    expect(system?.content.startsWith("Be brief.\n\n")).toBe(true);
    expect(system?.content).toContain(JSON.stringify(SCHEMA));
    expect(user).toEqual({ role: "user", content: "Hi" });
    await model.withStructuredOutput(SCHEMA, { method: "jsonMode" }).invoke("Hi");
    expect(gateway.lastBody["response_format"]).toEqual({ type: "json_object" });
    expect(gateway.lastBody["messages"]).toMatchObject([{ role: "system" }, { role: "user" }]);
  });

  it("takes a whole function definition as its schema", async () => {
    gateway.script(completion({ tool_calls: [call("card", ALICE_TEXT)] }));
    const definition = { name: "card", description: "A card", parameters: SCHEMA };
    expect(await model.withStructuredOutput(definition).invoke("Hi")).toEqual(ALICE);
    expect(gateway.lastBody["tools"]).toEqual([{ type: "function", function: definition }]);
  });

  it.each([
    ["a code fence", `\`\`\`json\n${ALICE_TEXT}\n\`\`\``],
    ["prose around it", `Sure! Here it is: ${ALICE_TEXT} Anything else?`],
    ["thoughts before it", `<think>{"no": 1}</think>${ALICE_TEXT}`],
  ])("with method prompt copes with %s", async (_name, content) => {
    gateway.script(completion({ content }));
    expect(await model.withStructuredOutput(Person, { method: "prompt" }).invoke("Hi")).toEqual(ALICE);
  });

  it.each(METHODS)(
    "%s reports an answer that does not fit, or gives null with includeRaw",
    async (method) => {
      gateway.script(completion({ content: '{"name":1}', tool_calls: [call("extract", '{"name":1}')] }));
      await expect(model.withStructuredOutput(Person, { method }).invoke("Hi")).rejects.toMatchObject({
        lc_error_code: "OUTPUT_PARSING_FAILURE",
      });
      const result = await model.withStructuredOutput(Person, { method, includeRaw: true }).invoke("Hi");
      expect(result.parsed).toBeNull();
      expect(result.raw.text).toBe('{"name":1}');
    },
  );

  it("works where LangChain reads the answer as events or v1 blocks", async () => {
    gateway.script(completion({ tool_calls: [call("extract", ALICE_TEXT)] }));
    const v1 = new ChatModelGateway("m", { ...gateway.connection, outputVersion: "v1" });
    expect(await v1.withStructuredOutput(Person).invoke("Hi")).toEqual(ALICE);
    gateway.script({ events: [event({ content: ALICE_TEXT }), ...ending()] });
    const streaming = new ChatModelGateway("m", { ...gateway.connection, streaming: true });
    expect(await streaming.withStructuredOutput(Person, { method: "jsonSchema" }).invoke("Hi")).toEqual(
      ALICE,
    );
  });

  it("is refused for an unknown method or a schema without a JSON form", () => {
    expect(() => model.withStructuredOutput(Person, { method: "guess" })).toThrow(
      'method "guess" is unknown: use functionCalling, jsonSchema, jsonMode, prompt',
    );
    const opaque = { "~standard": { version: 1, vendor: "test", validate: () => ({ value: {} }) } };
    expect(() => model.withStructuredOutput(opaque)).toThrow("cannot be written as JSON Schema");
  });
});

function call(name: string, args: string) {
  return { id: "a", type: "function", function: { name, arguments: args } };
}

/** A schema of no particular library. */
function standardSchema() {
  return {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => SCHEMA, output: () => SCHEMA },
    },
  };
}
