import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

type Tool = OpenAI.ChatCompletionFunctionTool;
type Message = OpenAI.ChatCompletionMessageParam;

function tool(
  name: string,
  description: string,
  properties: object,
  required = Object.keys(properties),
): Tool {
  return {
    type: "function",
    function: { name, description, parameters: { type: "object", properties, required } },
  };
}

const weather = tool(
  "get_weather",
  "Get the current weather for a city",
  { city: { type: "string" }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } },
  ["city"],
);
const clock = tool("get_time", "Get the current time in a city", { city: { type: "string" } });
const flight = tool(
  "book_flight",
  "Book a flight between two cities",
  {
    origin: { type: "string" },
    destination: { type: "string" },
    passengers: { type: "integer", minimum: 1 },
    date: { type: "string", format: "date" },
  },
  ["origin", "destination"],
);
const add = tool("add", "Add two numbers", { a: { type: "number" }, b: { type: "number" } });
const multiply = tool("multiply", "Multiply two numbers", { a: { type: "number" }, b: { type: "number" } });
const calculator = tool("calculator", "Evaluate a math expression", { expression: { type: "string" } });
const search = tool("web_search", "Search the web for information", { query: { type: "string" } });
const order = tool("get_order", "Look up an order by its id", { order_id: { type: "string" } });
const email = tool("send_email", "Send an email to someone", {
  to: { type: "string", description: "email address" },
  subject: { type: "string" },
  body: { type: "string" },
});
const everything = [weather, clock, flight, add, multiply, search, order, email];

async function model(options: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) {
  const { openai } = await startEmulator();
  const complete = async (messages: Message[]) => {
    const completion = await openai.chat.completions.create({
      model: "local-chat",
      tools: everything,
      messages,
      ...options,
    });
    const choice = completion.choices[0];
    if (!choice) throw new Error("no choice");
    return choice;
  };
  const call = async (content: string) => callsOf((await complete([{ role: "user", content }])).message);
  return { complete, call };
}

function callsOf(message: OpenAI.ChatCompletionMessage): [name: string, values: unknown][] {
  return (message.tool_calls ?? []).map((toolCall) =>
    toolCall.type === "function"
      ? [toolCall.function.name, JSON.parse(toolCall.function.arguments)]
      : ["", {}],
  );
}

describe("tool calls for what a clause leaves out", () => {
  const departure = tool("departure", "Get the departure time of the next train to a city", {
    city: { type: "string", description: "Name of the city" },
  });

  it.each([
    ["When does the next train to Lisbon leave, and when the one to Oslo?", ["Lisbon", "Oslo"]],
    ["When does the next train leave to Lisbon, Oslo and Vienna?", ["Lisbon", "Oslo", "Vienna"]],
    ["When do the trains leave to Lisbon, to Oslo and to Vienna?", ["Lisbon", "Oslo", "Vienna"]],
    ["When does the next train to Lisbon leave? What about Oslo?", ["Lisbon", "Oslo"]],
    ["When does the next train to Lisbon leave? And the one to Oslo?", ["Lisbon", "Oslo"]],
    ["When does the next train to Lisbon leave, and where is it now?", ["Lisbon"]],
    ["When does the next train to Lisbon leave, and when to Lisbon?", ["Lisbon"]],
    ["When does the next train to Lisbon leave? Thank you very much for looking.", ["Lisbon"]],
  ])("%s", async (content, cities) => {
    const { call } = await model({ tools: [departure] });
    expect(await call(content)).toEqual(cities.map((city) => ["departure", { city }]));
  });

  it("keeps the other arguments of the call before", async () => {
    const { call } = await model();
    expect(await call("What is the weather in celsius in Paris, and what about Oslo?")).toEqual([
      ["get_weather", { city: "Paris", unit: "celsius" }],
      ["get_weather", { city: "Oslo", unit: "celsius" }],
    ]);
  });
});

describe("tool calls", () => {
  it.each<[string, [string, object][]]>([
    ["What's the weather in Paris?", [["get_weather", { city: "Paris" }]]],
    [
      "What is the weather like in San Francisco in fahrenheit?",
      [["get_weather", { city: "San Francisco", unit: "fahrenheit" }]],
    ],
    ["北京的天气怎么样？", [["get_weather", { city: "北京" }]]],
    [
      "Book a flight from Berlin to New York for 2 passengers on 2026-03-12",
      [["book_flight", { origin: "Berlin", destination: "New York", passengers: 2, date: "2026-03-12" }]],
    ],
    [
      "Book me two seats on a flight from Berlin to New York",
      [["book_flight", { origin: "Berlin", destination: "New York", passengers: 2 }]],
    ],
    ["What is 3 plus 4?", [["add", { a: 3, b: 4 }]]],
    ["Multiply 6 by 7", [["multiply", { a: 6, b: 7 }]]],
    ["Search the web for TypeScript release notes", [["web_search", { query: "TypeScript release notes" }]]],
    ["Where is my order A-1042?", [["get_order", { order_id: "A-1042" }]]],
    [
      'Send an email to ada@example.com with subject "Lunch" saying see you at noon',
      [["send_email", { to: "ada@example.com", subject: "Lunch", body: "see you at noon" }]],
    ],
  ])("calls the right tool with the right arguments: %s", async (content, expected) => {
    const { call } = await model();
    expect(await call(content)).toEqual(expected);
  });

  it.each<[string, [string, object][]]>([
    [
      "What's the weather in Paris, Berlin and Tokyo?",
      [
        ["get_weather", { city: "Paris" }],
        ["get_weather", { city: "Berlin" }],
        ["get_weather", { city: "Tokyo" }],
      ],
    ],
    [
      "What's the weather in Paris and the time in Tokyo?",
      [
        ["get_weather", { city: "Paris" }],
        ["get_time", { city: "Tokyo" }],
      ],
    ],
    [
      "Add 1 and 2 and multiply 3 by 4",
      [
        ["add", { a: 1, b: 2 }],
        ["multiply", { a: 3, b: 4 }],
      ],
    ],
  ])("calls in parallel: %s", async (content, expected) => {
    const { call } = await model();
    expect(await call(content)).toEqual(expected);
  });

  it.each<[string, Tool, object]>([
    [
      "Transfer $250 from checking to savings",
      tool("transfer_money", "Transfer money between accounts", {
        amount: { type: "number" },
        from_account: { enum: ["checking", "savings"] },
        to_account: { enum: ["checking", "savings"] },
      }),
      { amount: 250, from_account: "checking", to_account: "savings" },
    ],
    [
      "Convert 100 USD to EUR",
      tool("convert_currency", "Convert an amount between currencies", {
        amount: { type: "number" },
        from: { type: "string" },
        to: { type: "string" },
      }),
      { amount: 100, from: "USD", to: "EUR" },
    ],
    [
      "Generate an image of a red fox in the snow",
      tool("generate_image", "Generate an image from a prompt", { prompt: { type: "string" } }),
      { prompt: "a red fox in the snow" },
    ],
    [
      "Deploy service payments to production",
      tool("deploy", "Deploy a service to an environment", {
        service: { type: "string" },
        environment: { enum: ["staging", "production"] },
      }),
      { service: "payments", environment: "production" },
    ],
    [
      "Remind me to call the bank at 9am",
      tool("create_reminder", "Create a reminder", { text: { type: "string" }, time: { type: "string" } }),
      { text: "call the bank at 9am", time: "9am" },
    ],
  ])("reads arguments by what their names mean: %s", async (content, definition, expected) => {
    const { call } = await model({ tools: [definition] });
    expect((await call(content)).map(([, values]) => values)).toEqual([expected]);
  });

  it("calls a calculator once per expression", async () => {
    const { call } = await model({ tools: [calculator, weather] });
    expect(await call("What is 3+4 and 5*6?")).toEqual([
      ["calculator", { expression: "3+4" }],
      ["calculator", { expression: "5*6" }],
    ]);
  });

  it.each(["Tell me a joke", "Hello!", "Thank you, that is all."])(
    "calls nothing for: %s",
    async (content) => {
      const { complete } = await model();
      const choice = await complete([{ role: "user", content }]);
      expect(choice.finish_reason).toBe("stop");
      expect(choice.message.tool_calls).toBeUndefined();
      expect(choice.message.content).not.toBe("");
    },
  );

  it("makes one call at a time without parallel_tool_calls, and the next after its result", async () => {
    const { complete } = await model({ parallel_tool_calls: false });
    const messages: Message[] = [{ role: "user", content: "What's the weather in Paris and in Rome?" }];
    const cities: unknown[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const { message } = await complete(messages);
      messages.push(message);
      for (const toolCall of message.tool_calls ?? []) {
        cities.push(callsOf(message)[0]?.[1]);
        messages.push({ role: "tool", tool_call_id: toolCall.id, content: "sunny" });
      }
    }
    expect(cities).toEqual([{ city: "Paris" }, { city: "Rome" }]);
    expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "sunny\nsunny" });
  });

  it("obeys tool_choice none, required and a forced tool", async () => {
    const none = await model({ tool_choice: "none" });
    expect(await none.call("What's the weather in Paris?")).toEqual([]);
    const required = await model({ tool_choice: "required" });
    expect(await required.call("Hi")).toHaveLength(1);
    const forced = await model({ tool_choice: { type: "function", function: { name: "get_time" } } });
    expect(await forced.call("What's the weather in Paris?")).toEqual([["get_time", { city: "Paris" }]]);
  });

  it.each<OpenAI.ChatCompletionToolChoiceOption>([
    "auto",
    { type: "function", function: { name: "get_weather" } },
  ])("answers from a tool result instead of calling again (%j)", async (tool_choice) => {
    const { complete } = await model({ tool_choice });
    const question: Message = { role: "user", content: "What's the weather in Paris?" };
    const { message } = await complete([question]);
    const id = message.tool_calls?.[0]?.id ?? "";
    const answer = await complete([
      question,
      message,
      { role: "tool", tool_call_id: id, content: '{"temperature":21,"condition":"sunny"}' },
    ]);
    expect(answer.finish_reason).toBe("stop");
    expect(answer.message.content).toContain("temperature 21");
    expect(answer.message.content).toContain("sunny");
  });

  it("ends under tool_choice required once every tool was called", async () => {
    const { complete } = await model({ tool_choice: "required", tools: [weather, clock] });
    const messages: Message[] = [{ role: "user", content: "Hi" }];
    const called: string[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const { message } = await complete(messages);
      messages.push(message);
      for (const toolCall of message.tool_calls ?? []) {
        called.push(callsOf(message)[0]?.[0] ?? "");
        messages.push({ role: "tool", tool_call_id: toolCall.id, content: "done" });
      }
    }
    expect(called.sort()).toEqual(["get_time", "get_weather"]);
  });

  it("streams calls in pieces that the SDK puts together", async () => {
    const { openai } = await startEmulator();
    const runner = openai.chat.completions.stream({
      model: "local-chat",
      tools: everything,
      messages: [{ role: "user", content: "What's the weather in Paris and the time in Tokyo?" }],
    });
    const pieces: number[] = [];
    for await (const chunk of runner) {
      for (const call of chunk.choices[0]?.delta.tool_calls ?? []) pieces.push(call.index);
    }
    const { choices } = await runner.finalChatCompletion();
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(callsOf(choices[0]?.message as OpenAI.ChatCompletionMessage)).toEqual([
      ["get_weather", { city: "Paris" }],
      ["get_time", { city: "Tokyo" }],
    ]);
    expect(pieces.length).toBeGreaterThan(4);
  });
});
