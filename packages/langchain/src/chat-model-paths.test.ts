import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect, facts, readEveryStreamedWay } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  type ScriptedReply,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

const CITATION = {
  type: "url_citation",
  url_citation: { url: "https://a.example/paris", title: "Paris", start_index: 0, end_index: 5 },
};
const SIGNATURE = { google: { thought_signature: "sig-1" } };

/** The same answer as a whole and as a stream. */
const ANSWERS: Record<string, { whole: ScriptedReply; events: unknown[] }> = {
  "plain text": {
    whole: completion({ content: "Hello there" }),
    events: [
      event({ role: "assistant", content: "" }),
      event({ content: "Hello" }),
      event({ content: " there" }),
      ...ending(),
    ],
  },
  "usage with details": {
    whole: completion({ content: "Hi" }, { usage: detailedUsage() }),
    events: [event({ content: "Hi" }), event({}, { finish_reason: "stop", usage: detailedUsage() })],
  },
  "a length stop without usage": {
    whole: completion({ content: "Once upon" }, { finish_reason: "length", usage: undefined }),
    events: [event({ content: "Once upon" }), event({}, { finish_reason: "length" })],
  },
  "reasoning before text": {
    whole: completion({ content: "42", reasoning_content: "Six times seven." }),
    events: [
      event({ reasoning_content: "Six times" }),
      event({ reasoning_content: " seven." }),
      event({ content: "42" }),
      ...ending(),
    ],
  },
  "reasoning under its other name": {
    whole: completion({ content: "42", reasoning: "Six times seven." }),
    events: [event({ reasoning: "Six times seven." }), event({ content: "42" }), ...ending()],
  },
  "one tool call": {
    whole: completion(
      { content: null, tool_calls: [call("a", "add", '{"x":1}')] },
      { finish_reason: "tool_calls" },
    ),
    events: [
      event({ tool_calls: [{ index: 0, ...call("a", "add", "") }] }),
      event({ tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] }),
      event({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
      ...ending("tool_calls"),
    ],
  },
  "text and parallel tool calls": {
    whole: completion(
      { content: "Let me see.", tool_calls: [call("a", "add", '{"x":1}'), call("b", "now", "")] },
      { finish_reason: "tool_calls" },
    ),
    events: [
      event({ content: "Let me see." }),
      event({ tool_calls: [{ index: 0, ...call("a", "add", '{"x":1}') }] }),
      event({ tool_calls: [{ index: 1, ...call("b", "now", "") }] }),
      ...ending("tool_calls"),
    ],
  },
  "a tool call that was cut off": {
    whole: completion({ tool_calls: [call("a", "save", '{"text":"half of')] }, { finish_reason: "length" }),
    events: [
      event({ tool_calls: [{ index: 0, ...call("a", "save", '{"text":"half of') }] }),
      ...ending("length"),
    ],
  },
  "a Markdown image between words": {
    whole: completion({ content: `Look: ![a dot](${PIXEL}) nice?` }),
    events: [event({ content: `Look: ![a d` }), event({ content: `ot](${PIXEL}) nice?` }), ...ending()],
  },
  "a Markdown image at an address": {
    whole: completion({ content: "![cat](https://images.example/cat.png)" }),
    events: [
      event({ content: "![cat](https://images.example" }),
      event({ content: "/cat.png)" }),
      ...ending(),
    ],
  },
  "a Markdown image before words": {
    whole: completion({ content: "![cat](https://images.example/cat.png) Cute." }),
    events: [
      event({ content: "![cat](https://images.example/cat.png)" }),
      event({ content: " Cute." }),
      ...ending(),
    ],
  },
  "images in message.images": {
    whole: completion({ content: "Here.", images: [{ type: "image_url", image_url: { url: PIXEL } }] }),
    events: [
      event({ content: "Here." }),
      event({ images: [{ type: "image_url", image_url: { url: PIXEL } }] }),
      ...ending(),
    ],
  },
  "a refusal": {
    whole: completion({ content: null, refusal: "I cannot help with that." }),
    events: [event({ refusal: "I cannot" }), event({ refusal: " help with that." }), ...ending()],
  },
  "words before a refusal": {
    whole: completion({ content: "Well.", refusal: "No." }),
    events: [event({ content: "Well." }), event({ refusal: "No." }), ...ending()],
  },
  citations: {
    whole: completion({ content: "Paris is big.", annotations: [CITATION] }),
    events: [event({ content: "Paris is big." }), event({ annotations: [CITATION] }), ...ending()],
  },
  "reasoning details and a signature": {
    whole: completion({
      content: "42",
      reasoning: "Hm.",
      reasoning_details: [{ type: "reasoning.encrypted", data: "c2lnbmVk", index: 0 }],
      extra_content: { google: { thought_signature: "sig-1" } },
    }),
    events: [
      event({
        reasoning: "Hm.",
        reasoning_details: [{ type: "reasoning.encrypted", data: "c2ln", index: 0 }],
      }),
      event({ reasoning_details: [{ type: "reasoning.encrypted", data: "bmVk", index: 0 }] }),
      event({ content: "42", extra_content: { google: { thought_signature: "sig-1" } } }),
      ...ending(),
    ],
  },
  "a tool call with a signature": {
    whole: completion(
      { content: null, tool_calls: [{ ...call("a", "add", '{"x":1}'), extra_content: SIGNATURE }] },
      { finish_reason: "tool_calls" },
    ),
    events: [
      event({ tool_calls: [{ index: 0, ...call("a", "add", '{"x"'), extra_content: SIGNATURE }] }),
      event({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
      ...ending("tool_calls"),
    ],
  },
  audio: {
    whole: completion({
      content: null,
      audio: { id: "audio-1", data: "UklGRgAA", transcript: "Hello.", expires_at: 9 },
    }),
    events: [
      event({ audio: { id: "audio-1", transcript: "Hel" } }),
      event({ audio: { data: "UklGRgAA", transcript: "lo." } }),
      event({ audio: { expires_at: 9 } }),
      ...ending(),
    ],
  },
  "thinking parts": {
    whole: completion({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Six times seven." }] },
        { type: "text", text: "42" },
      ],
    }),
    events: [
      event({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Six times" }] }] }),
      event({ content: [{ type: "thinking", thinking: [{ type: "text", text: " seven." }] }] }),
      event({ content: "42" }),
      ...ending(),
    ],
  },
  "facts beside the message": {
    whole: completion(
      { content: "Hi" },
      {
        system_fingerprint: "fp-1",
        service_tier: "flex",
        provider: "P",
        usage: { ...detailedUsage(), cost: 0.5 },
      },
    ),
    events: [
      event({ content: "Hi" }, { system_fingerprint: "fp-1", provider: "P" }),
      event({}, { finish_reason: "stop", service_tier: "flex" }),
      { ...event({}), choices: [], usage: { ...detailedUsage(), cost: 0.5 } },
    ],
  },
  "the id, the model and the fingerprint after an empty first event": {
    whole: completion({ content: "Hi" }, { system_fingerprint: "fp-1" }),
    events: [
      { id: "", object: "", created: 0, model: "", system_fingerprint: "", choices: [] },
      event({ content: "Hi" }, { system_fingerprint: "fp-1" }),
      ...ending(),
    ],
  },
  "another id in every event": {
    whole: completion({ content: "Hello there" }),
    events: [
      event({ content: "Hello" }),
      event({ content: " there" }, { id: "chatcmpl-2" }),
      event({}, { id: "chatcmpl-3", finish_reason: "stop" }),
      {
        ...event({}),
        id: "chatcmpl-4",
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
      },
    ],
  },
  "content parts": {
    whole: completion({
      content: [
        { type: "text", text: "Here." },
        { type: "image_url", image_url: { url: PIXEL } },
      ],
    }),
    events: [
      event({ content: [{ type: "text", text: "Here." }] }),
      event({ content: [{ type: "image_url", image_url: { url: PIXEL } }] }),
      ...ending(),
    ],
  },
};

describe("an answer is the same message however LangChain reads it", () => {
  let gateway: ScriptedGateway;
  beforeAll(async () => {
    gateway = await startScriptedGateway();
  });
  afterAll(() => gateway.close());

  it.each(Object.keys(ANSWERS))("%s", async (name) => {
    const answer = ANSWERS[name];
    if (answer === undefined) throw new Error(`No answer ${name}.`);
    const model = new ChatModelGateway("requested-model", gateway.connection);
    gateway.script(answer.whole);
    const expected = facts(await model.invoke("Hi"));
    gateway.script({ events: answer.events });
    const streamed = await readEveryStreamedWay(model);
    for (const [way, message] of Object.entries(streamed)) {
      expect(facts(message), way).toEqual(expected);
    }
    const reading = new ChatModelGateway("requested-model", { ...gateway.connection, streaming: true });
    expect(facts(await reading.invoke("Hi")), "invoke with streaming: true").toEqual(expected);
  });

  it("describes the answer in its metadata", async () => {
    const model = new ChatModelGateway("requested-model", gateway.connection);
    gateway.script(completion({ content: "Hi" }, { usage: detailedUsage() }));
    const message = await model.invoke("Hi");
    expect(message.id).toBe("chatcmpl-1");
    expect(message.response_metadata).toEqual({
      model_provider: "model-gateway",
      model: "served-model",
      model_name: "served-model",
      id: "chatcmpl-1",
      finish_reason: "stop",
      usage: detailedUsage(),
    });
    expect(message.usage_metadata).toEqual({
      input_tokens: 10,
      output_tokens: 20,
      total_tokens: 30,
      input_token_details: { cache_read: 4 },
      output_token_details: { reasoning: 12 },
    });
  });

  it("never completes the arguments of a call that was cut off", async () => {
    const model = new ChatModelGateway("requested-model", gateway.connection);
    gateway.script({ events: ANSWERS["a tool call that was cut off"]?.events ?? [] });
    for (const [way, message] of Object.entries(await readEveryStreamedWay(model))) {
      expect(message.tool_calls, way).toEqual([]);
      expect(message.contentBlocks, way).toEqual([
        {
          type: "invalid_tool_call",
          id: "a",
          name: "save",
          args: '{"text":"half of',
          error: "The arguments are not a complete JSON object.",
        },
      ]);
    }
  });

  it.each(["length", "content_filter"])(
    "takes no call for one without arguments that was cut off before them: %s",
    async (reason) => {
      const model = new ChatModelGateway("requested-model", gateway.connection);
      const calls = [call("a", "now", ""), call("b", "delete_all", "")];
      gateway.script(completion({ content: null, tool_calls: calls }, { finish_reason: reason }));
      const whole = await model.invoke("Hi");
      gateway.script({
        events: [event({ tool_calls: calls.map((made, index) => ({ index, ...made })) }), ...ending(reason)],
      });
      for (const [way, message] of Object.entries({ whole, ...(await readEveryStreamedWay(model)) })) {
        expect(
          message.tool_calls?.map(({ name }) => name),
          way,
        ).toEqual(["now"]);
        expect(message.contentBlocks.at(-1), way).toMatchObject({
          type: "invalid_tool_call",
          name: "delete_all",
        });
      }
    },
  );

  it("gives all pieces one id, whatever ids the events have", async () => {
    const model = new ChatModelGateway("requested-model", gateway.connection);
    const { events = [] } = ANSWERS["another id in every event"] ?? {};
    const ids = async (...given: unknown[]) => {
      gateway.script({ events: given });
      const seen = new Set<string | undefined>();
      for await (const chunk of await model.stream("Hi")) seen.add(chunk.id);
      return [...seen];
    };
    expect(await ids(...events)).toEqual(["chatcmpl-1"]);
    // What was shown without an id goes on without one: LangChain gives such messages its own.
    const late = [event({ content: "a" }, { id: "" }), event({ content: "b" }), ...ending()];
    expect(await ids(...late)).toEqual([undefined]);
  });

  it("joins the pieces of a stream of standard blocks", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, outputVersion: "v1" });
    gateway.script({
      events: [
        event({ reasoning_content: "Six times" }),
        event({ reasoning_content: " seven." }),
        event({ content: "Let me" }),
        event({ content: " see." }),
        event({ tool_calls: [{ index: 0, ...call("a", "add", '{"x"') }] }),
        event({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
        ...ending("tool_calls"),
      ],
    });
    const whole = await collect(await model.stream("Hi"));
    expect(whole.contentBlocks).toEqual([
      { type: "reasoning", reasoning: "Six times seven.", index: 0 },
      { type: "text", text: "Let me see.", index: 0 },
      { type: "tool_call_chunk", id: "a", name: "add", args: '{"x":1}', index: 0 },
    ]);
    expect(whole.tool_calls).toEqual([{ type: "tool_call", id: "a", name: "add", args: { x: 1 } }]);
    expect(whole.text).toBe("Let me see.");
  });

  it("writes standard blocks into the content with outputVersion v1", async () => {
    const model = new ChatModelGateway("m", { ...gateway.connection, outputVersion: "v1" });
    gateway.script(completion({ content: "42", reasoning_content: "Six times seven." }));
    expect((await model.invoke("Hi")).content).toEqual([
      { type: "reasoning", reasoning: "Six times seven." },
      { type: "text", text: "42" },
    ]);
  });
});

function call(id: string, name: string, args: string) {
  return { id, type: "function", function: { name, arguments: args } };
}

function detailedUsage() {
  return {
    prompt_tokens: 10,
    completion_tokens: 20,
    total_tokens: 30,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 12 },
  };
}
