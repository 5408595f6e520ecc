import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEveryStreamedWay } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

const PARIS = { type: "tool_call", id: "a", name: "weather", args: { city: "Paris" } };
const TOKYO = { type: "tool_call", id: "b", name: "weather", args: { city: "Tokyo" } };

/** Fragments as routes send them, and the calls they mean. */
const VARIANTS: Record<string, { fragments: unknown[][]; calls: unknown[] }> = {
  "no index, the id once": {
    fragments: [
      [{ id: "a", function: { name: "weather", arguments: '{"ci' } }],
      [{ function: { arguments: 'ty":"Paris"}' } }],
      [{ id: "b", function: { name: "weather", arguments: '{"city":' } }],
      [{ function: { arguments: '"Tokyo"}' } }],
    ],
    calls: [PARIS, TOKYO],
  },
  "no index, the id every time, out of turn": {
    fragments: [
      [{ id: "a", function: { name: "weather", arguments: '{"city":' } }],
      [{ id: "b", function: { name: "weather", arguments: '{"city":' } }],
      [{ id: "a", function: { arguments: '"Paris"}' } }],
      [{ id: "b", function: { arguments: '"Tokyo"}' } }],
    ],
    calls: [PARIS, TOKYO],
  },
  "an index of 0 for every call": {
    fragments: [
      [{ index: 0, id: "a", function: { name: "weather", arguments: '{"city":"Paris"}' } }],
      [{ index: 0, id: "b", function: { name: "weather", arguments: '{"city":"Tokyo"}' } }],
    ],
    calls: [PARIS, TOKYO],
  },
  "the index as text": {
    fragments: [
      [{ index: "0", id: "a", function: { name: "weather", arguments: '{"city":' } }],
      [{ index: "0", function: { arguments: '"Paris"}' } }],
    ],
    calls: [PARIS],
  },
  "indexes that start at 1": {
    fragments: [
      [{ index: 1, id: "a", function: { name: "weather", arguments: '{"city":"Paris"}' } }],
      [{ index: 2, id: "b", function: { name: "weather", arguments: '{"city":"Tokyo"}' } }],
    ],
    calls: [PARIS, TOKYO],
  },
  "a name that comes late": {
    fragments: [
      [{ index: 0, id: "a", function: { name: "", arguments: "" } }],
      [{ index: 0, function: { name: "weather", arguments: '{"city":' } }],
      [{ index: 0, function: { name: "", arguments: '"Paris"}' } }],
    ],
    calls: [PARIS],
  },
  "an id that comes late": {
    fragments: [
      [{ index: 0, function: { name: "weather", arguments: '{"city":' } }],
      [{ index: 0, id: "a", function: { arguments: '"Paris"}' } }],
    ],
    calls: [PARIS],
  },
  "a new id in every fragment": {
    fragments: [
      [{ index: 0, id: "a", function: { name: "weather", arguments: '{"city":' } }],
      [{ index: 0, id: "x", function: { arguments: '"Paris"}' } }],
    ],
    calls: [PARIS],
  },
  "name and id repeated": {
    fragments: [
      [{ index: 0, id: "a", function: { name: "weather", arguments: '{"city":' } }],
      [{ index: 0, id: "a", function: { name: "weather", arguments: '"Paris"}' } }],
    ],
    calls: [PARIS],
  },
  "null in place of what is missing": {
    fragments: [
      [{ index: 0, id: "a", function: { name: "weather", arguments: null } }],
      [{ index: 0, id: null, function: { name: null, arguments: '{"city":"Paris"}' } }],
    ],
    calls: [PARIS],
  },
  "both calls in one event": {
    fragments: [
      [
        { index: 0, id: "a", function: { name: "weather", arguments: '{"city":"Paris"}' } },
        { index: 1, id: "b", function: { name: "weather", arguments: '{"city":"Tokyo"}' } },
      ],
    ],
    calls: [PARIS, TOKYO],
  },
  "no arguments at all": {
    fragments: [[{ index: 0, id: "a", function: { name: "now" } }]],
    calls: [{ type: "tool_call", id: "a", name: "now", args: {} }],
  },
};

describe("fragments of tool calls", () => {
  let gateway: ScriptedGateway;
  beforeAll(async () => {
    gateway = await startScriptedGateway();
  });
  afterAll(() => gateway.close());

  it.each(Object.keys(VARIANTS))("are put together: %s", async (name) => {
    const variant = VARIANTS[name];
    if (variant === undefined) throw new Error(`No variant ${name}.`);
    const model = new ChatModelGateway("m", gateway.connection);
    gateway.script({
      events: [
        ...variant.fragments.map((fragments) => event({ tool_calls: fragments })),
        ...ending("tool_calls"),
      ],
    });
    for (const [way, message] of Object.entries(await readEveryStreamedWay(model))) {
      expect(message.tool_calls, way).toEqual(variant.calls);
      expect(message.invalid_tool_calls, way).toEqual([]);
    }
  });

  it("get an id each where the route gives none, so that results can be told apart", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    gateway.script({
      events: [
        event({ tool_calls: [{ function: { name: "weather", arguments: '{"city":"Paris"}' } }] }),
        event({ tool_calls: [{ function: { name: "weather", arguments: '{"city":"Tokyo"}' } }] }),
        ...ending("tool_calls"),
      ],
    });
    for (const [way, { tool_calls: calls = [] }] of Object.entries(await readEveryStreamedWay(model))) {
      expect(
        calls.map(({ args }) => args),
        way,
      ).toEqual([{ city: "Paris" }, { city: "Tokyo" }]);
      expect(new Set(calls.map(({ id }) => id)).size, way).toBe(2);
      expect(
        calls.every(({ id }) => id?.startsWith("call_")),
        way,
      ).toBe(true);
    }
    gateway.script(completion({ tool_calls: [{ function: { name: "now", arguments: {} } }] }));
    expect((await model.invoke("Hi")).tool_calls).toEqual([
      { type: "tool_call", id: expect.stringMatching(/^call_/), name: "now", args: {} },
    ]);
  });

  it("show their arguments while they grow", async () => {
    const model = new ChatModelGateway("m", gateway.connection);
    gateway.script({
      events: [
        event({
          tool_calls: [{ index: 0, id: "a", function: { name: "weather", arguments: '{"city":"Par' } }],
        }),
        event({ tool_calls: [{ index: 0, function: { arguments: 'is"}' } }] }),
        ...ending("tool_calls"),
      ],
    });
    const first = (await (await model.stream("Hi")).next()).value;
    expect(first.tool_call_chunks).toEqual([
      { type: "tool_call_chunk", index: 0, id: "a", name: "weather", args: '{"city":"Par' },
    ]);
    expect(first.tool_calls?.[0]?.args).toEqual({ city: "Par" });
  });
});
