import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ending, event, type ScriptedGateway, startScriptedGateway } from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

let gateway: ScriptedGateway;
let model: ChatModelGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
  model = new ChatModelGateway("m", gateway.connection);
});
afterAll(() => gateway.close());

async function eventsOf(...events: unknown[]): Promise<ChatModelStreamEvent[]> {
  gateway.script({ events });
  const read: ChatModelStreamEvent[] = [];
  for await (const part of model.streamEvents("Hi")) read.push(part);
  return read;
}

const fragment = (text: string, fields: object = {}) =>
  event({ tool_calls: [{ index: 0, ...fields, function: { arguments: text } }] });
const opening = event({
  tool_calls: [{ index: 0, id: "a", function: { name: "save", arguments: '{"text":"' } }],
});

describe("the events of a tool call", () => {
  it("take a size that grows with the arguments, not with their square", async () => {
    const bytes: number[] = [];
    for (const fragments of [500, 1_000, 2_000]) {
      const pieces = Array.from({ length: fragments }, () => fragment("some more text "));
      const events = await eventsOf(opening, ...pieces, fragment('"}'), ...ending("tool_calls"));
      bytes.push(JSON.stringify(events).length);
      const deltas = events.filter((part) => part.event === "content-block-delta");
      expect(deltas).toHaveLength(fragments + 2);
      expect(Math.max(...deltas.map((part) => JSON.stringify(part).length))).toBeLessThan(150);
    }
    const [small, medium, large] = bytes as [number, number, number];
    expect((large - medium) / (medium - small)).toBeCloseTo(2, 1);
    expect(large).toBeLessThan(2_000 * 200);
  });

  it("name the call first, append its arguments, and end with the call", async () => {
    const events = await eventsOf(opening, fragment('Hello"'), fragment("}"), ...ending("tool_calls"));
    expect(events.filter(({ event: kind }) => kind.startsWith("content-block"))).toEqual([
      {
        event: "content-block-start",
        index: 0,
        content: { type: "tool_call_chunk", id: "a", name: "save", args: "", index: 0 },
      },
      ...['{"text":"', 'Hello"', "}"].map((args) => ({
        event: "content-block-delta",
        index: 0,
        delta: { type: "tool-call-delta", args },
      })),
      {
        event: "content-block-finish",
        index: 0,
        content: { type: "tool_call", id: "a", name: "save", args: { text: "Hello" } },
      },
    ]);
  });

  it("tell an id and a name that come late with the finished call", async () => {
    const events = await eventsOf(
      fragment('{"text":'),
      event({ tool_calls: [{ index: 0, id: "a", function: { name: "save", arguments: '"Hello"}' } }] }),
      ...ending("tool_calls"),
    );
    expect(events.at(-3)).toEqual({
      event: "content-block-finish",
      index: 0,
      content: { type: "tool_call", id: "a", name: "save", args: { text: "Hello" } },
    });
  });

  it("end with an invalid call when the arguments were cut off", async () => {
    const events = await eventsOf(opening, ...ending("length"));
    expect(events.at(-3)).toMatchObject({
      event: "content-block-finish",
      content: { type: "invalid_tool_call", id: "a", name: "save", args: '{"text":"' },
    });
    gateway.script({ events: [opening, ...ending("length")] });
    expect(await model.streamEvents("Hi").toolCalls).toEqual([]);
  });
});
