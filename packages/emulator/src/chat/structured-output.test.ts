import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const text = { type: "string" };
const number = { type: "number" };
const object = (properties: object) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

async function extractor() {
  const { openai } = await startEmulator();
  return async (content: string, schema: Record<string, unknown>, system?: string) => {
    const completion = await openai.chat.completions.create({
      model: "local-chat",
      messages: [
        ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
        { role: "user" as const, content },
      ],
      response_format: { type: "json_schema", json_schema: { name: "result", schema } },
    });
    const value: unknown = JSON.parse(completion.choices[0]?.message.content ?? "");
    const valid = ajv.validate(schema, value);
    expect(valid, `${JSON.stringify(value)} ${ajv.errorsText()}`).toBe(true);
    return value;
  };
}

describe("a name", () => {
  const person = object({ name: text });

  it.each([
    "my name is Ada Brandt (ada@example.com)",
    "Hello, my name is Ada Brandt, 34, from Oslo.",
    "Name: Ada Brandt (34)",
    "I am Ada Brandt (she/her) and I need help.",
  ])("is no more than the name: %s", async (content) => {
    const extract = await extractor();
    expect(await extract(content, person)).toEqual({ name: "Ada Brandt" });
  });

  it.each([
    ["on one line", 0],
    ["over many lines", 2],
  ])("is not read out of a schema in the system message, %s", async (_, indent) => {
    const extract = await extractor();
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...object({ name: { ...text, description: "Name of the person" }, age: { type: "integer" } }),
    };
    const system = `JSON schema:\n${JSON.stringify(schema, null, indent)}\nYou MUST answer with JSON that matches the schema above.`;
    expect(await extract("Alice is 31 years old.", schema, system)).toEqual({ name: "Alice", age: 31 });
  });
});

describe("response_format json_schema", () => {
  it.each<[string, object, object]>([
    [
      "Extract the person: John Doe is 34 years old and lives in Berlin. His email is john@doe.org.",
      object({ name: text, age: { type: "integer" }, city: text, email: { ...text, format: "email" } }),
      { name: "John Doe", age: 34, city: "Berlin", email: "john@doe.org" },
    ],
    [
      "Ticket from Maria Lopez (maria@x.io): my order #A-1042 arrived broken! Please refund me urgently.",
      object({
        customer_name: text,
        order_number: text,
        sentiment: { enum: ["positive", "negative", "neutral"] },
        priority: { enum: ["low", "medium", "high", "urgent"] },
        needs_refund: { type: "boolean" },
      }),
      {
        customer_name: "Maria Lopez",
        order_number: "A-1042",
        sentiment: "negative",
        priority: "urgent",
        needs_refund: true,
      },
    ],
    [
      "Pancakes:\n- 2 cups flour\n- 3 eggs\n- 1 cup milk\nCook for 10 minutes. Serves 4.",
      object({
        ingredients: { type: "array", items: object({ name: text, quantity: number }) },
        minutes: { type: "integer" },
        servings: { type: "integer" },
      }),
      {
        ingredients: [
          { name: "flour", quantity: 2 },
          { name: "eggs", quantity: 3 },
          { name: "milk", quantity: 1 },
        ],
        minutes: 10,
        servings: 4,
      },
    ],
    [
      "Meeting with Ada Lovelace and Alan Turing on March 12, 2026 about the new engine.",
      object({ date: { ...text, format: "date" }, attendees: { type: "array", items: text }, topic: text }),
      { date: "2026-03-12", attendees: ["Ada Lovelace", "Alan Turing"], topic: "the new engine" },
    ],
    [
      "The invoice INV-2024-77 totals $1,250.50, due 2026-01-31, from Acme Corp.",
      object({
        invoice_id: text,
        total: number,
        due_date: text,
        vendor_name: text,
        paid: { type: ["boolean", "null"] },
      }),
      {
        invoice_id: "INV-2024-77",
        total: 1250.5,
        due_date: "2026-01-31",
        vendor_name: "Acme Corp",
        paid: null,
      },
    ],
    [
      "A circle with radius 5",
      {
        anyOf: [
          object({ type: { const: "square" }, side: number }),
          object({ type: { const: "circle" }, radius: number }),
        ],
      },
      { type: "circle", radius: 5 },
    ],
  ])("is filled from the text: %s", async (content, schema, expected) => {
    const extract = await extractor();
    expect(await extract(content, { ...schema })).toEqual(expected);
  });

  it("follows references, also into itself", async () => {
    const extract = await extractor();
    const schema = {
      $defs: {
        node: {
          type: "object",
          properties: { label: text, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["label", "children"],
        },
      },
      $ref: "#/$defs/node",
    };
    expect(await extract("label: root", schema)).toMatchObject({ label: "root" });
  });

  it("answers a question in the property that wants an answer", async () => {
    const extract = await extractor();
    const schema = object({ answer: text, confidence: { ...number, minimum: 0, maximum: 1 } });
    const value = await extract(
      "What is the capital of France?",
      schema,
      "Context: Paris is the capital of France. Rome is in Italy.",
    );
    expect(value).toMatchObject({ answer: "Paris is the capital of France." });
  });

  it("is valid whatever the schema asks for", async () => {
    const extract = await extractor();
    const leaf = fc.oneof(
      fc.constant<object>(text),
      fc.record({
        type: fc.constant("string"),
        minLength: fc.integer({ min: 0, max: 12 }),
        maxLength: fc.integer({ min: 12, max: 20 }),
      }),
      fc.record({
        type: fc.constant("string"),
        format: fc.constantFrom(
          "email",
          "date",
          "date-time",
          "time",
          "uri",
          "uuid",
          "ipv4",
          "ipv6",
          "hostname",
          "duration",
        ),
      }),
      fc.record({
        type: fc.constantFrom("integer", "number"),
        minimum: fc.integer({ min: -50, max: 5 }),
        maximum: fc.integer({ min: 6, max: 90 }),
      }),
      fc.record({
        type: fc.constant("integer"),
        exclusiveMinimum: fc.integer({ min: 0, max: 3 }),
        exclusiveMaximum: fc.integer({ min: 9, max: 12 }),
        multipleOf: fc.constantFrom(1, 2),
      }),
      fc.constant({ type: "boolean" }),
      fc.constant({ type: ["string", "null"] }),
      fc.record({ enum: fc.constantFrom(["a", "b"], [1, 2], [null, true]) }),
      fc.record({ const: fc.constantFrom<unknown>("fixed", 7, null, false) }),
    );
    // The validator looks at no property of this name.
    const names = fc.stringMatching(/^[a-z_]{1,10}$/).filter((name) => name !== "__proto__");
    const schemas = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaf,
        fc.dictionary(names, tie("schema"), { maxKeys: 4 }).map(object),
        fc.record({
          type: fc.constant("array"),
          items: tie("schema"),
          minItems: fc.integer({ min: 0, max: 2 }),
          maxItems: fc.integer({ min: 2, max: 4 }),
        }),
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      ),
    })).schema;
    const content = fc.constantFrom(
      "Bob Smith, 41, paid $12.50 on 2026-03-12; items: apples, pears and 3 plums.",
      "no",
      "- one\n- two\n- 3",
      "联系人：王小明，数量三个",
    );
    await fc.assert(
      fc.asyncProperty(schemas, content, async (schema, message) => {
        await extract(message, { ...schema });
      }),
      { numRuns: 150 },
    );
  });
});

describe("JSON without a schema in the request", () => {
  async function json(content: string, options: object) {
    const { post } = await startEmulator();
    const response = await post("/chat/completions", {
      model: "local-chat",
      messages: [{ role: "user", content }],
      ...options,
    });
    const body = (await response.json()) as { choices: { message: { content: string } }[] };
    return body.choices[0]?.message.content ?? "";
  }

  it("has the keys that the prompt names", async () => {
    const answer = await json('Reply in JSON with keys "name" and "age": Bob Smith is 41.', {
      response_format: { type: "json_object" },
    });
    expect(JSON.parse(answer)).toEqual({ name: "Bob Smith", age: 41 });
  });

  it("has the shape of an example in the prompt", async () => {
    const answer = await json(
      'Classify: I love it! Answer as JSON like {"sentiment": "positive|negative", "score": 1}',
      {
        response_format: { type: "json_object" },
      },
    );
    expect(JSON.parse(answer)).toMatchObject({ sentiment: "positive" });
  });

  it("is an object whatever is asked", async () => {
    const answer = await json("Hello", { response_format: { type: "json_object" } });
    expect(JSON.parse(answer)).toEqual({ answer: expect.any(String) });
  });

  it("follows a schema that only the prompt holds, in a code block", async () => {
    const schema = JSON.stringify(object({ name: text, age: number }));
    const answer = await json(
      `Return JSON that matches this schema:\n${schema}\n\nBob Smith is 41 years old.`,
      {},
    );
    const block = /^```json\n(.+)\n```$/s.exec(answer)?.[1] ?? "";
    expect(JSON.parse(block)).toEqual({ name: "Bob Smith", age: 41 });
  });
});
