import { describe, expect, it } from "vitest";
import { EventStreamParser } from "./event-stream-parser.js";

const encoder = new TextEncoder();

function parse(pieces: Iterable<Uint8Array>) {
  const events: Array<[data: string, event: string]> = [];
  const parser = new EventStreamParser((data, event) => events.push([data, event]));
  for (const piece of pieces) parser.push(piece);
  return { events, rest: parser.end() };
}

const STREAMS: Record<string, { text: string; events: Array<[data: string, event: string]> }> = {
  "plain events": {
    text: 'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n',
    events: [
      ['{"a":1}', ""],
      ['{"b":2}', ""],
      ["[DONE]", ""],
    ],
  },
  "CRLF lines": {
    text: 'data: {"a":1}\r\n\r\nevent: x\r\ndata: 2\r\n\r\n',
    events: [
      ['{"a":1}', ""],
      ["2", "x"],
    ],
  },
  "CR lines": {
    text: "data: 1\r\rdata: 2\rdata: 3\r\r",
    events: [
      ["1", ""],
      ["2\n3", ""],
    ],
  },
  "mixed line ends": {
    text: "data: 1\r\n\ndata: 2\r\rdata: 3\n\r\n",
    events: [
      ["1", ""],
      ["2", ""],
      ["3", ""],
    ],
  },
  "LF lines after others": {
    text: "data: 1\r\n\r\ndata: 2\n\ndata: 3\ndata: 4\r\n\n",
    events: [
      ["1", ""],
      ["2", ""],
      ["3\n4", ""],
    ],
  },
  "comments and keep-alives": {
    text: ": processing\n\n:\n\ndata: 1\n: between\n:data: none\n\n",
    events: [["1", ""]],
  },
  "several data lines": { text: "data: one\ndata: two\ndata:\n\n", events: [["one\ntwo\n", ""]] },
  "names, ids and retries": {
    text: "event: image\nid: 7\nretry: 10\ndata: x\n\ndata: y\n\n",
    events: [
      ["x", "image"],
      ["y", ""],
    ],
  },
  "no space after the colon, and two of them": {
    text: "data:x\n\nevent:e\ndata:  y\n\ndata:\n\n",
    events: [
      ["x", ""],
      [" y", "e"],
      ["", ""],
    ],
  },
  "byte order mark": { text: "\uFEFFdata: 1\n\n", events: [["1", ""]] },
  "characters of several bytes": {
    text: "data: 你好, Ünïcödé 🎬\n\ndata: 🎉🎉\n\n",
    events: [
      ["你好, Ünïcödé 🎬", ""],
      ["🎉🎉", ""],
    ],
  },
  "an event without data": { text: "event: ping\n\ndata: after\n\n", events: [["after", ""]] },
  "a field without a colon": {
    text: "data\n\ndata: x\nevent\n\ndate\n\n",
    events: [
      ["", ""],
      ["x", ""],
    ],
  },
  "fields that only look like data": {
    text: "date: 1\n\nmeta: 2\n\ndata : 3\n\nDATA: 4\n\ndata5\n\ndata: 6\n\n",
    events: [["6", ""]],
  },
};

describe("EventStreamParser", () => {
  it.each(Object.entries(STREAMS))("reads %s the same however the bytes are split", (_name, stream) => {
    const bytes = encoder.encode(stream.text);
    const whole = { events: stream.events, rest: undefined };
    expect(parse([bytes])).toEqual(whole);
    for (let split = 0; split <= bytes.length; split++) {
      expect(parse([bytes.subarray(0, split), new Uint8Array(), bytes.subarray(split)])).toEqual(whole);
    }
    expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it("hands over what the end of the stream cut off", () => {
    const { events, rest } = parse([encoder.encode('data: 1\n\nevent: e\ndata: {"half')]);
    expect(events).toEqual([["1", ""]]);
    expect(rest).toEqual({ data: '{"half', event: "e" });
  });

  it.each([
    ["data: 1\n", { data: "1", event: "" }],
    ["data: 1\r", { data: "1", event: "" }],
    ["data: 1\ndata: 2", { data: "1\n2", event: "" }],
    ["event: e", undefined],
    [": comment", undefined],
  ])("takes %j, cut off by the end, for %j", (text, rest) => {
    expect(parse([encoder.encode(text)])).toEqual({ events: [], rest });
  });

  it("tells of an event that is longer than it may be, before it is over", () => {
    const parser = new EventStreamParser(() => {}, 10);
    const fits = (text: string) => parser.push(encoder.encode(text));
    expect(fits("data: 7890")).toBe(true);
    expect(fits("\ndata:")).toBe(true);
    // Four characters of data, and a line of seven.
    expect(fits("6")).toBe(true);
    expect(fits("7")).toBe(false);
  });

  it("reads an event of a megabyte that arrives in small pieces", () => {
    const payload = "x".repeat(2 ** 20);
    const bytes = encoder.encode(`data: ${payload}\n\n`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, index) =>
      bytes.subarray(index * 1000, (index + 1) * 1000),
    );
    expect(parse(pieces).events).toEqual([[payload, ""]]);
  });
});
