import { load } from "@langchain/core/load";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readEveryStreamedWay } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway, type ChatModelGatewayFields } from "./index.js";

const PNG = "iVBORw0KGgo=";
const PHOTO = "https://images.example/photo.jpg";
const IMAGE_PART = { type: "image_url", image_url: { url: PHOTO } };

let gateway: ScriptedGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
});
beforeEach(() => gateway.script(completion({ content: "ok" })));
afterAll(() => gateway.close());

async function sent(messages: BaseMessage[], fields: Partial<ChatModelGatewayFields> = {}) {
  await new ChatModelGateway("m", { ...gateway.connection, ...fields }).invoke(messages);
  return gateway.lastBody["messages"];
}

describe("answers in the history", () => {
  const cut = {
    type: "invalid_tool_call" as const,
    id: "a",
    name: "save",
    args: '{"text":"half',
    error: "cut",
  };
  const wireCut = wireCall("a", "save", '{"text":"half');

  it("keep calls that could not be run, as the model wrote them, with their results", async () => {
    expect(
      await sent([
        new HumanMessage("Save it."),
        new AIMessage({ content: "", invalid_tool_calls: [cut] }),
        new ToolMessage({ content: "Arguments are broken.", tool_call_id: "a" }),
      ]),
    ).toEqual([
      { role: "user", content: "Save it." },
      { role: "assistant", content: "", tool_calls: [wireCut] },
      { role: "tool", content: "Arguments are broken.", tool_call_id: "a" },
    ]);
  });

  it("say of such a call that nobody answered that it was not carried out", async () => {
    const fine = { type: "tool_call" as const, id: "b", name: "now", args: {} };
    expect(
      await sent([
        new HumanMessage("Save it."),
        new AIMessage({ content: "", tool_calls: [fine], invalid_tool_calls: [cut] }),
        new ToolMessage({ content: "12:00", tool_call_id: "b" }),
        new HumanMessage("Well?"),
      ]),
    ).toEqual([
      { role: "user", content: "Save it." },
      { role: "assistant", content: "", tool_calls: [wireCall("b", "now", "{}"), wireCut] },
      { role: "tool", content: "12:00", tool_call_id: "b" },
      { role: "tool", content: expect.stringContaining("was not carried out"), tool_call_id: "a" },
      { role: "user", content: "Well?" },
    ]);
  });

  it("are never empty messages, which servers refuse", async () => {
    expect(
      await sent([
        new HumanMessage("Hi"),
        new AIMessage(""),
        new AIMessage({ content: [] }),
        new AIMessage({ content: "", additional_kwargs: { reasoning_content: "Hm." } }),
        new HumanMessage("Hello?"),
      ]),
    ).toEqual([
      { role: "user", content: "Hi" },
      { role: "user", content: "Hello?" },
    ]);
  });

  it("keep their refusal as text, however the message holds it", async () => {
    const refusal = "I cannot.";
    expect(
      await sent([
        new HumanMessage("Hi"),
        new AIMessage({ content: "", additional_kwargs: { refusal } }),
        new AIMessage({ contentBlocks: [{ type: "refusal", refusal }] }),
      ]),
    ).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: refusal },
      { role: "assistant", content: refusal },
    ]);
  });

  it("keep their pictures", async () => {
    const answer = new AIMessage({ content: [{ type: "text", text: "Here." }, IMAGE_PART] });
    expect(await sent([new HumanMessage("Hi"), answer])).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "text", text: "Here." }, IMAGE_PART] },
    ]);
  });

  it("refer to what was spoken by its id", async () => {
    const audio = { id: "audio-1", data: PNG, transcript: "Hello." };
    expect(
      await sent([new HumanMessage("Hi"), new AIMessage({ content: "", additional_kwargs: { audio } })]),
    ).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "", audio: { id: "audio-1" } },
    ]);
  });
});

describe("what a model sent beside its words", () => {
  const signature = { google: { thought_signature: "sig-1" } };
  const details = [{ type: "reasoning.encrypted", data: "c2ln", index: 0 }];
  const wire = {
    content: "",
    reasoning_content: "Hm.",
    reasoning_details: details,
    extra_content: { google: { thought_signature: "sig-0" } },
    tool_calls: [{ ...wireCall("a", "add", '{"x":1}'), extra_content: signature }],
  };

  it("comes back to it as it was in the next step of a tool loop, however the answer was read", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    const { content: _content, tool_calls: calls, ...beside } = wire;
    const whole = completion(wire, { finish_reason: "tool_calls" });
    gateway.script(whole);
    const answers: Record<string, BaseMessage> = { invoke: await model.invoke("Hi") };
    gateway.script({
      events: [
        event(beside),
        event({ tool_calls: calls.map((call) => ({ index: 0, ...call })) }),
        ...ending("tool_calls"),
      ],
    });
    Object.assign(answers, await readEveryStreamedWay(model));
    gateway.script(whole);
    const v1 = new ChatModelGateway("m", { ...gateway.connection, outputVersion: "v1" });
    answers["outputVersion v1"] = await v1.invoke("Hi");
    for (const [way, answer] of Object.entries(answers)) {
      gateway.script(completion({ content: "ok" }));
      const result = new ToolMessage({ content: "2", tool_call_id: "a" });
      const [, returned] = (await sent([new HumanMessage("Hi"), answer, result])) as unknown[];
      expect(returned, way).toEqual({ role: "assistant", ...wire });
      const [, , loaded] = (await sent([
        new HumanMessage("Hi"),
        new AIMessage("Hm."),
        await load<AIMessage>(JSON.stringify(answer)),
        result,
      ])) as unknown[];
      expect(loaded, `${way}, stored and loaded`).toEqual({ role: "assistant", ...wire });
    }
  });

  it("comes back with its signatures only, once the turn is over", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    gateway.script(completion(wire, { finish_reason: "tool_calls" }));
    const answer = await model.invoke("Hi");
    gateway.script(completion({ content: "ok" }));
    const result = new ToolMessage({ content: "2", tool_call_id: "a" });
    const [, returned] = (await sent([
      new HumanMessage("Hi"),
      answer,
      result,
      new HumanMessage("And?"),
    ])) as unknown[];
    const { reasoning_content: _reasoning, reasoning_details: _details, ...kept } = wire;
    expect(returned).toEqual({ role: "assistant", ...kept });
  });
});

describe("tool results", () => {
  it("move their images to a user message behind the last result", async () => {
    const calls = ["a", "b"].map((id) => ({ type: "tool_call" as const, id, name: "shoot", args: {} }));
    expect(
      await sent([
        new HumanMessage("Show me."),
        new AIMessage({ content: "", tool_calls: calls }),
        new ToolMessage({
          tool_call_id: "a",
          content: [
            { type: "text", text: "Taken." },
            { type: "image", url: PHOTO },
          ],
        }),
        new ToolMessage({ tool_call_id: "b", content: [{ type: "image_url", image_url: { url: PHOTO } }] }),
      ]),
    ).toEqual([
      { role: "user", content: "Show me." },
      {
        role: "assistant",
        content: "",
        tool_calls: [wireCall("a", "shoot", "{}"), wireCall("b", "shoot", "{}")],
      },
      { role: "tool", content: "Taken.", tool_call_id: "a" },
      { role: "tool", content: "The result is in the images that follow.", tool_call_id: "b" },
      {
        role: "user",
        content: [
          { type: "text", text: "Images in the result of tool call a:" },
          IMAGE_PART,
          { type: "text", text: "Images in the result of tool call b:" },
          IMAGE_PART,
        ],
      },
    ]);
  });
});

describe("reasoning", () => {
  const thought = (reasoning: string, id: string) =>
    new AIMessage({
      content: "",
      additional_kwargs: { reasoning_content: reasoning },
      tool_calls: [{ type: "tool_call", id, name: "add", args: {} }],
    });
  const conversation = [
    new HumanMessage("First"),
    thought("Old thoughts.", "a"),
    new ToolMessage({ content: "1", tool_call_id: "a" }),
    new AIMessage({ content: "One.", additional_kwargs: { reasoning_content: "Done." } }),
    new HumanMessage("Second"),
    thought("New thoughts.", "b"),
    new ToolMessage({ content: "2", tool_call_id: "b" }),
  ];

  async function sentReasoning(messages: BaseMessage[], fields?: { reasoningRoundTrip: boolean }) {
    const wire = (await sent(messages, fields)) as Array<{ reasoning_content?: string }>;
    return wire.map((message) => message.reasoning_content);
  }

  it("goes back inside the tool loop that is under way, and not for finished turns", async () => {
    expect(await sentReasoning(conversation)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      "New thoughts.",
      undefined,
    ]);
  });

  it("goes back from standard blocks too", async () => {
    const answer = new AIMessage({
      contentBlocks: [
        { type: "reasoning", reasoning: "Thinking." },
        { type: "tool_call", id: "a", name: "add", args: {} },
      ],
    });
    const result = new ToolMessage({ content: "1", tool_call_id: "a" });
    expect(await sentReasoning([new HumanMessage("Hi"), answer, result])).toEqual([
      undefined,
      "Thinking.",
      undefined,
    ]);
  });

  it("stays away with reasoningRoundTrip: false", async () => {
    expect((await sentReasoning(conversation, { reasoningRoundTrip: false })).some(Boolean)).toBe(false);
  });
});

function wireCall(id: string, name: string, args: string) {
  return { id, type: "function", function: { name, arguments: args } };
}
