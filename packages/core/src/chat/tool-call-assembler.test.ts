import { describe, expect, it } from "vitest";
import type { ToolCallDelta } from "./chat-types.js";
import { ToolCallAssembler } from "./tool-call-assembler.js";

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
    const assembler = new ToolCallAssembler();
    for (const each of fragments) assembler.add(each);
    expect(assembler.calls).toEqual(calls);
  });
});
