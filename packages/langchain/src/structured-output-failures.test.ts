import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  type ScriptedReply,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

const SCHEMAS = {
  "a Zod schema": z.object({ name: z.string(), age: z.number() }),
  "a JSON Schema": {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "number" } },
    required: ["name", "age"],
  },
};
const ALICE = { name: "Alice", age: 31 };

/** Answers that hold no right object, as the message and the finish reason of an answer. */
const WRONG: Record<string, { message: Record<string, unknown>; reason: string }> = {
  "a call that was cut off": { message: call("extract", '{"name":"Alice","age":3'), reason: "length" },
  "a call that was cut off where mending would fit": {
    message: call("extract", '{"name":"Alice","age":3'),
    reason: "tool_calls",
  },
  "a text": { message: { content: "Alice is 31." }, reason: "stop" },
  "the object as a text": { message: { content: JSON.stringify(ALICE) }, reason: "stop" },
  "a call of another tool": { message: call("notes", JSON.stringify(ALICE)), reason: "tool_calls" },
  "a list of arguments": { message: call("extract", JSON.stringify([ALICE])), reason: "tool_calls" },
  "an object that does not fit": { message: call("extract", '{"name":"Alice"}'), reason: "tool_calls" },
  "a value of another type": { message: call("extract", '{"name":"A","age":"31"}'), reason: "tool_calls" },
  nothing: { message: { content: "" }, reason: "stop" },
};

const WRONG_TEXTS: Record<string, string> = {
  "a text that was cut off": '{"name":"Alice","age":3',
  prose: "Alice is 31.",
  "a list": JSON.stringify([ALICE]),
  "an object that does not fit": '{"name":"Alice"}',
  "a literal line break in a string": '{"name":"Al\nice","age":31}',
  nothing: "",
};

describe.each(Object.entries(SCHEMAS))("structured output by %s", (_name, schema) => {
  let gateway: ScriptedGateway;
  let model: ChatModelGateway;
  beforeAll(async () => {
    gateway = await startScriptedGateway();
    model = new ChatModelGateway("m", gateway.connection);
  });
  afterAll(() => gateway.close());

  const failing = { lc_error_code: "OUTPUT_PARSING_FAILURE" };

  async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
    const values: unknown[] = [];
    for await (const value of stream) values.push(value);
    return values;
  }

  it.each(Object.entries(WRONG))("fails on %s, invoked and streamed", async (_what, { message, reason }) => {
    const structured = model.withStructuredOutput(schema);
    gateway.script(completion(message, { finish_reason: reason }));
    await expect(structured.invoke("Hi")).rejects.toMatchObject(failing);
    gateway.script(streamed(message, reason));
    const seen: unknown[] = [];
    await expect(async () => {
      for await (const value of await structured.stream("Hi")) seen.push(value);
    }).rejects.toMatchObject(failing);
    expect(seen).toEqual([]);
  });

  it.each(Object.entries(WRONG))(
    "gives null and the message for %s with includeRaw, invoked and streamed",
    async (_what, { message, reason }) => {
      const structured = model.withStructuredOutput(schema, { includeRaw: true });
      gateway.script(completion(message, { finish_reason: reason }));
      const result = await structured.invoke("Hi");
      expect(result.parsed).toBeNull();
      expect(result.raw.response_metadata).toMatchObject({ finish_reason: reason });
      gateway.script(streamed(message, reason));
      const last = (await read(await structured.stream("Hi"))).at(-1);
      expect(last).toMatchObject({ parsed: null, raw: { response_metadata: { finish_reason: reason } } });
    },
  );

  it.each(
    ["jsonSchema", "jsonMode", "prompt"].flatMap((method) =>
      Object.entries(WRONG_TEXTS).map(([what, text]) => [method, what, text] as const),
    ),
  )("%s fails on %s, invoked and streamed", async (method, _what, content) => {
    const structured = model.withStructuredOutput(schema, { method });
    gateway.script(completion({ content }));
    await expect(structured.invoke("Hi")).rejects.toMatchObject(failing);
    gateway.script(streamed({ content }, "stop"));
    await expect(structured.stream("Hi").then(read)).rejects.toMatchObject(failing);
  });

  it("streams the whole, checked object, and nothing before it", async () => {
    gateway.script({
      events: [
        ...pieces(JSON.stringify(ALICE)).map((text, index) =>
          event({ tool_calls: [index === 0 ? fragment(text, "extract") : fragment(text)] }),
        ),
        ...ending("tool_calls"),
      ],
    });
    expect(await read(await model.withStructuredOutput(schema).stream("Hi"))).toEqual([ALICE]);
    gateway.script({
      events: [...pieces(JSON.stringify(ALICE)).map((content) => event({ content })), ...ending()],
    });
    const prompted = model.withStructuredOutput(schema, { method: "prompt" });
    expect(await read(await prompted.stream("Hi"))).toEqual([ALICE]);
  });

  it("is asked for again by withRetry, and of the next model by withFallbacks", async () => {
    const wrong = completion(call("extract", '{"name":"Al'), { finish_reason: "length" });
    const right = completion(call("extract", JSON.stringify(ALICE)), { finish_reason: "tool_calls" });
    const structured = model.withStructuredOutput(schema);
    gateway.script(wrong, right);
    expect(await structured.withRetry({ stopAfterAttempt: 2 }).invoke("Hi")).toEqual(ALICE);
    gateway.script(wrong, right);
    const other = new ChatModelGateway("other", gateway.connection).withStructuredOutput(schema);
    expect(await structured.withFallbacks([other]).invoke("Hi")).toEqual(ALICE);
    expect(gateway.lastBody["model"]).toBe("other");
  });

  it("says that a token limit cut the answer off", async () => {
    gateway.script(completion(call("extract", '{"name":"Al'), { finish_reason: "length" }));
    await expect(model.withStructuredOutput(schema).invoke("Hi")).rejects.toThrow(
      "calls extract with arguments that are no whole JSON object. The token limit cut the answer off",
    );
  });
});

describe("a JSON Schema", () => {
  let gateway: ScriptedGateway;
  beforeAll(async () => {
    gateway = await startScriptedGateway();
  });
  afterAll(() => gateway.close());

  it("is followed through its references, in its own dialect", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    const structured = model.withStructuredOutput({
      $schema: "http://json-schema.org/draft-07/schema#",
      title: "family",
      type: "object",
      properties: { members: { type: "array", items: { $ref: "#/definitions/person" } } },
      definitions: {
        person: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
      required: ["members"],
    });
    gateway.script(completion(call("family", '{"members":[{"name":"Ada"}]}')));
    expect(await structured.invoke("Hi")).toEqual({ members: [{ name: "Ada" }] });
    gateway.script(completion(call("family", '{"members":[{"nome":"Ada"}]}')));
    await expect(structured.invoke("Hi")).rejects.toThrow(/does not fit the schema: .*#\/members\/0/);
  });

  it("that cannot be checked is an error of the application and not of the model", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    const structured = model.withStructuredOutput({
      type: "object",
      properties: { a: { $ref: "#/nowhere" } },
    });
    gateway.script(completion(call("extract", '{"a":1}')));
    await expect(structured.invoke("Hi")).rejects.toMatchObject({ kind: "configuration" });
  });
});

function call(name: string, args: string) {
  return { content: "", tool_calls: [{ id: "a", type: "function", function: { name, arguments: args } }] };
}

function streamed(message: Record<string, unknown>, reason: string): ScriptedReply {
  const { content, tool_calls: calls } = message as { content: string; tool_calls?: object[] };
  const deltas = [
    ...pieces(content).map((text) => event({ content: text })),
    ...(calls ?? []).map((made) => event({ tool_calls: [{ index: 0, ...made }] })),
  ];
  return { events: [...deltas, ...ending(reason)] };
}

function fragment(text: string, name?: string) {
  return { index: 0, ...(name && { id: "a" }), function: { ...(name && { name }), arguments: text } };
}

function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,4}/g) ?? [];
}
