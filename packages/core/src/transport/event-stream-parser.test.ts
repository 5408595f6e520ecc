import { describe, expect, it } from "vitest";
import { EventStreamParser } from "./event-stream-parser.js";

const encoder = new TextEncoder();

function parse(pieces: Iterable<Uint8Array>) {
  const events: Array<[data: string, event: string]> = [];
  const parser = new EventStreamParser((data, event) => events.push([data, event]));
  for (const piece of pieces) parser.push(piece);
  return { events, rest: parser.end() };
}

const STREAMS: Record<string, string> = {
  "plain events": 'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n',
  "CRLF lines": 'data: {"a":1}\r\n\r\nevent: x\r\ndata: 2\r\n\r\n',
  "CR lines": "data: 1\r\rdata: 2\r\r",
  "mixed line ends": "data: 1\r\n\ndata: 2\r\rdata: 3\n\r\n",
  "comments and keep-alives": ": processing\n\n:\n\ndata: 1\n: between\n\n",
  "several data lines": "data: one\ndata: two\ndata:\n\n",
  "names, ids and retries": "event: image\nid: 7\nretry: 10\ndata: x\n\ndata: y\n\n",
  "no space after the colon": "data:x\n\nevent:e\ndata:y\n\n",
  "byte order mark": "\uFEFFdata: 1\n\n",
  "characters of several bytes": "data: 你好, Ünïcödé 🎬\n\ndata: 🎉🎉\n\n",
  "an event without data": "event: ping\n\ndata: after\n\n",
  "a field without a colon": "data\n\ndata: x\n\n",
};

describe("EventStreamParser", () => {
  it.each(Object.entries(STREAMS))("reads %s the same however the bytes are split", (_name, text) => {
    const bytes = encoder.encode(text);
    const whole = parse([bytes]);
    expect(whole.events.length).toBeGreaterThan(0);
    for (let split = 0; split <= bytes.length; split++) {
      expect(parse([bytes.subarray(0, split), bytes.subarray(split)])).toEqual(whole);
    }
    expect(parse(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it("joins data lines, keeps event names and drops comments", () => {
    const text = `${STREAMS["several data lines"]}${STREAMS["names, ids and retries"]}${STREAMS["comments and keep-alives"]}`;
    expect(parse([encoder.encode(text)]).events).toEqual([
      ["one\ntwo\n", ""],
      ["x", "image"],
      ["y", ""],
      ["1", ""],
    ]);
  });

  it("hands over what the end of the stream cut off", () => {
    const { events, rest } = parse([encoder.encode('data: 1\n\nevent: e\ndata: {"half')]);
    expect(events).toEqual([["1", ""]]);
    expect(rest).toEqual({ data: '{"half', event: "e" });
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
