import { describe, expect, it } from "vitest";
import type { ToolCallDelta } from "./chat-types.js";
import { parseToolArguments, readToolCalls, ToolCallReader, toToolCall } from "./tool-call-reader.js";

const fragment = (args: unknown, name?: string | null, more: object = {}) =>
  ({ ...more, function: { arguments: args, ...(name === undefined ? {} : { name }) } }) as ToolCallDelta;
const PARIS = { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };
const TOKYO = { id: "b", type: "function", function: { name: "weather", arguments: '{"city":"Tokyo"}' } };

describe("fragments of tool calls are put together", () => {
  it.each<[string, ToolCallDelta[], unknown[]]>([
    [
      "numbered, interleaved",
      [
        fragment('{"city":', "weather", { index: 0, id: "a" }),
        fragment('{"city":', "weather", { index: 1, id: "b" }),
        fragment('"Paris"}', undefined, { index: 0 }),
        fragment('"Tokyo"}', undefined, { index: 1 }),
      ],
      [PARIS, TOKYO],
    ],
    [
      "numbered from 1",
      [
        fragment('{"city":"Paris"}', "weather", { index: 1, id: "a" }),
        fragment('{"city":"Tokyo"}', "weather", { index: 2, id: "b" }),
      ],
      [PARIS, TOKYO],
    ],
    [
      "all numbered 0, told apart by their ids",
      [
        fragment('{"city":', "weather", { index: 0, id: "a" }),
        fragment('"Paris"}', undefined, { index: 0 }),
        fragment('{"city":', "weather", { index: 0, id: "b" }),
        fragment('"Tokyo"}', "", { index: 0, id: "b" }),
      ],
      [PARIS, TOKYO],
    ],
    [
      "a new id in every fragment of one call",
      [
        fragment('{"city":', "weather", { index: 0, id: "a" }),
        fragment('"Paris"}', undefined, { index: 0, id: "x" }),
      ],
      [PARIS],
    ],
    [
      "the number as text",
      [fragment('{"city":', "weather", { index: "0", id: "a" }), fragment('"Paris"}', null, { index: "0" })],
      [PARIS],
    ],
    [
      "no number, the id every time, out of turn",
      [
        fragment('{"city":', "weather", { id: "a" }),
        fragment('{"city":', "weather", { id: "b" }),
        fragment('"Paris"}', undefined, { id: "a" }),
        fragment('"Tokyo"}', undefined, { id: "b" }),
      ],
      [PARIS, TOKYO],
    ],
    [
      "no number, and a second call that has an id but no name yet",
      [
        fragment('{"city":"Paris"}', "weather", { id: "a" }),
        fragment('{"city":', undefined, { id: "b" }),
        fragment('"Tokyo"}', "weather"),
      ],
      [PARIS, TOKYO],
    ],
    [
      "neither number nor id: a name after whole arguments begins another call",
      [
        fragment('{"city":', "weather"),
        fragment('"Paris"}', "weather"),
        fragment('{"city":"Tokyo"}', "weather"),
      ],
      [
        { ...PARIS, id: "" },
        { ...TOKYO, id: "" },
      ],
    ],
    [
      "id and name that come late",
      [fragment("", "", { index: 0 }), fragment('{"city":"Paris"}', "weather", { index: 0, id: "a" })],
      [PARIS],
    ],
    ["arguments as an object", [fragment({ city: "Paris" }, "weather", { index: 0, id: "a" })], [PARIS]],
    [
      "no arguments at all",
      [{ index: 0, id: "a", function: { name: "now" } }],
      [{ id: "a", type: "function", function: { name: "now", arguments: "" } }],
    ],
  ])("%s", (_name, fragments, calls) => {
    const reader = new ToolCallReader();
    for (const each of fragments) reader.add(each);
    expect(reader.calls.map(toToolCall)).toEqual(calls);
    expect(reader.calls.map(({ index }) => index)).toEqual(calls.map((_call, index) => index));
  });

  it("each fragment is told with what it added", () => {
    const reader = new ToolCallReader();
    const updates = [
      { index: 3, function: { name: "", arguments: "" } },
      { index: 3, id: "a", function: { name: "weather", arguments: '{"city":' } },
      { index: 3, id: "a", function: { name: "weather", arguments: '"Paris"}' } },
    ].map((each) => {
      const { call, ...update } = reader.add(each);
      return { ...update, index: call.index };
    });
    expect(updates).toEqual([
      { index: 0, begins: true, arguments: "" },
      { index: 0, begins: false, id: "a", name: "weather", arguments: '{"city":' },
      { index: 0, begins: false, arguments: '"Paris"}' },
    ]);
  });

  it("fields that nobody knows are kept, also those beside the name", () => {
    const reader = new ToolCallReader();
    reader.add({ index: 0, id: "a", function: { name: "now", thought: "s1" } });
    const { call } = reader.add({
      index: 0,
      extra_content: { google: { thought_signature: "s2" } },
      function: { arguments: "{}" },
    });
    expect(call.extra).toEqual({
      extra_content: { google: { thought_signature: "s2" } },
      function: { thought: "s1" },
    });
    expect(toToolCall(call)).toEqual({
      id: "a",
      type: "function",
      extra_content: { google: { thought_signature: "s2" } },
      function: { name: "now", arguments: "{}", thought: "s1" },
    });
  });

  it.each([[undefined], [null], ["text"], [7], [[]], [{}], [{ function: "x" }], [{ index: "1e9", id: 7 }]])(
    "%j is no reason to throw",
    (odd) => {
      expect(new ToolCallReader().add(odd).call).toMatchObject({ index: 0, name: undefined, arguments: "" });
    },
  );

  it("a call that repeats its name with each fragment is read once, and not again with each", () => {
    const reader = new ToolCallReader();
    const piece = "x".repeat(1_000);
    reader.add({ function: { name: "write", arguments: '{"text":"' } });
    for (let count = 0; count < 2_000; count++) reader.add({ function: { name: "write", arguments: piece } });
    reader.add({ function: { name: "write", arguments: '"}' } });
    reader.add({ function: { name: "write", arguments: "{}" } });
    expect(reader.calls.map((call) => call.arguments.length)).toEqual([2_000_011, 2]);
  });

  it("brackets inside of texts do not end a call", () => {
    const reader = new ToolCallReader();
    for (const part of ['{"a":"}\\', '"]}', '","b":[1', "]}"]) {
      reader.add({ function: { name: "f", arguments: part } });
    }
    expect(reader.calls.map((call) => call.arguments)).toEqual(['{"a":"}\\"]}","b":[1]}']);
  });
});

describe("whole tool calls", () => {
  it("are read one by one, whatever their numbers, ids and arguments", () => {
    const calls = readToolCalls([
      { index: 0, id: "a", type: "function", function: { name: "f", arguments: { x: 1 } } },
      { index: 0, function: { name: "g" } },
      null,
      { id: "c", function: { name: "f", arguments: null } },
    ]);
    expect(calls).toEqual([
      { index: 0, id: "a", name: "f", arguments: '{"x":1}', extra: {} },
      { index: 1, id: undefined, name: "g", arguments: "", extra: {} },
      { index: 2, id: "c", name: "f", arguments: "", extra: {} },
    ]);
    expect(readToolCalls(undefined)).toEqual([]);
    expect(readToolCalls({ id: "a", function: { name: "f" } })).toHaveLength(1);
  });
});

describe("arguments of a call", () => {
  it.each([
    ["", {}],
    ["  ", {}],
    ['{"a":[1]}', { a: [1] }],
    ['{"a":', undefined],
    ["[1]", undefined],
    ["null", undefined],
    ['"text"', undefined],
  ])("%j is %j", (text, parsed) => {
    expect(parseToolArguments(text)).toEqual(parsed);
  });
});
