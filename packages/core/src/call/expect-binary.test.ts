import { describe, expect, it, vi } from "vitest";
import { API_KEY, errorOf } from "../../test/gateways.js";
import { parseAddress } from "../config/addresses.js";
import { AsyncQueue } from "../streams/async-queue.js";
import type { ErrorContext } from "./call-errors.js";
import { expectBinary } from "./expect-binary.js";

const context: ErrorContext = {
  call: {
    name: "audio.speech",
    method: "POST",
    path: "/audio/speech",
    cost: "billable",
    defaultTimeoutMs: 1,
  },
  address: parseAddress("general", "https://g.example/v1"),
  apiKey: API_KEY,
  timeline: [],
  idleTimeoutMs: 1,
};

/** What becomes of an answer whose chunks come one after the other. */
async function look(chunks: Array<string | number[]>, type?: string) {
  const queue = new AsyncQueue<Uint8Array>(100);
  let closed = 0;
  queue.attach({ resume: () => {}, abort: () => void closed++ });
  for (const chunk of chunks)
    queue.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : new Uint8Array(chunk));
  queue.finish();
  const headers = { get: () => type, toRecord: () => ({}) };
  const info = { status: 200, headers, url: "u", requestId: undefined, timeline: [] };
  const done = expectBinary(queue, info, context);
  const error = (await done.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as Error | undefined;
  const left: number[] = [];
  for (;;) {
    const { value, done: over } = await queue.next();
    if (over) break;
    left.push(...value);
  }
  return { error, left, closed };
}

const bytesOf = (chunks: Array<string | number[]>) =>
  chunks.flatMap((chunk) => (typeof chunk === "string" ? [...new TextEncoder().encode(chunk)] : chunk));

describe("an answer of bytes", () => {
  it.each<[string, Array<string | number[]>, string?]>([
    ["MP3", ["ID3", [4, 0, 0]], "audio/mpeg"],
    ["bytes without a type", [[0xff, 0xfb, 1]]],
    [
      "samples that begin like a brace",
      [
        [0x7b, 0x00],
        [1, 2],
      ],
    ],
    ["samples that begin like a brace and a letter", ["{a"]],
    ["samples that begin like an angle", [[0x3c, 0x00], [1]]],
    ["samples that begin like an angle and a digit", ["<1"]],
    ["samples that begin like text and go on as none", ['{"', [0xff, 0xfe]], "audio/pcm"],
    ["a brace alone that is no text", [[0x7b], [0xff]]],
    ["a kilobyte of blanks, then samples", [" ".repeat(1024), [1]]],
    ["a kilobyte of blanks alone", [" ".repeat(1024)]],
    ["a kilobyte that ends in a brace", [`${" ".repeat(1023)}{`]],
    ["a brace behind a kilobyte of blanks", [`${" ".repeat(1024)}{"error":"no"}`]],
    ["a brace at the end of a kilobyte of blanks", [`${" ".repeat(1023)}{"error":"no"}`]],
    ["JSON as a type of sound", [[1]], "audio/json"],
    ["a type that begins as JSON does", [[1]], "application/jsonic"],
    ["a type that ends as text does", [[1]], "x-text/plain"],
  ])("is passed on whole where it is %s", async (_what, chunks, type) => {
    const { error, left, closed } = await look(chunks, type);
    expect(error).toBeUndefined();
    expect(left).toEqual(bytesOf(chunks));
    expect(closed).toBe(0);
  });

  it.each<[string, string[], string?]>([
    ["with the type of sound", ['{"error":{"message":"no voice"}}'], "audio/mpeg"],
    ["in pieces", ["{", '"error":{"message":', '"no voice"}}']],
    ["behind blanks and a byte order mark", ["\ufeff \t\r\n", '\n{"error":{"message":"no voice"}}']],
    ["between blanks", ['{ \n "error":{"message":"no voice"}}']],
    ["with its own type", ['  {"error":{"message":"no voice"}}'], "application/json; charset=utf-8"],
  ])("that is an error in JSON is that error: %s", async (_how, chunks, type) => {
    const { error, left, closed } = await look(chunks, type);
    expect(error).toMatchObject({ status: 200, message: expect.stringContaining("no voice") });
    expect(left).toEqual([]);
    expect(closed).toBe(1);
  });

  const INSTEAD = "instead of binary data";
  it.each<[string, Array<string | number[]>, string | undefined, string]>([
    ["an empty object", ["{}"], "audio/mpeg", `JSON ${INSTEAD}`],
    ["JSON that is no error", ['{"id":1}'], undefined, `JSON ${INSTEAD}`],
    ["broken JSON", ['{"id"'], undefined, `text ${INSTEAD}`],
    ["a web page", ["<!doctype html>"], "audio/mpeg", `a web page ${INSTEAD}`],
    ["a web page in pieces", ["\n<", "HTML>"], undefined, `a web page ${INSTEAD}`],
    ["XML", ["<?xml?>"], undefined, `a web page ${INSTEAD}`],
    ["declared text", ["sorry"], "text/plain", `text ${INSTEAD}`],
    ["declared text with markup inside", ["x <b>"], "text/plain", `text ${INSTEAD}`],
    ["declared JSON", ["[1]"], "application/problem+json", `JSON ${INSTEAD}`],
    ["declared XML", ["x"], "Application/XML", `text ${INSTEAD}`],
    ["declared XHTML", ["x"], "application/xhtml+xml", `text ${INSTEAD}`],
    ["declared text that is none", [[0xff, 0xfe]], "text/plain", `text ${INSTEAD}`],
    ["nothing", [], "audio/mpeg", "an empty body"],
    ["blanks", [" \n "], undefined, "an empty body"],
    ["declared blanks", [" \n "], "text/plain", "an empty body"],
    ["a lonely brace", ["{"], undefined, `text ${INSTEAD}`],
    ["a lonely angle", ["<"], undefined, `text ${INSTEAD}`],
  ])("is refused where it is %s", async (_what, chunks, type, named) => {
    const { error, left, closed } = await look(chunks, type);
    expect(error).toMatchObject({ kind: "invalid_response", status: 200, maybeProcessed: true });
    expect(error?.message).toContain(`with ${named}.`);
    expect(left).toEqual([]);
    expect(closed).toBe(1);
  });

  it("that is text without end is not read on after a megabyte", async () => {
    const queue = new AsyncQueue<Uint8Array>(100);
    let closed = 0;
    queue.attach({ resume: () => {}, abort: () => void closed++ });
    queue.push(new TextEncoder().encode("x".repeat(2 ** 20)));
    const headers = { get: () => "text/plain", toRecord: () => ({}) };
    const info = { status: 200, headers, url: "u", requestId: undefined, timeline: [] };
    const done = errorOf(expectBinary(queue, info, context));
    await new Promise((resolve) => setImmediate(resolve));
    expect(closed).toBe(0);
    queue.push(new TextEncoder().encode("x"));
    queue.flush();
    expect(await done).toMatchObject({ kind: "invalid_response" });
    expect(closed).toBe(1);
  });

  it.each(["text/plain", "audio/mpeg"])(
    "that is text of type %s in small pieces is not copied for each",
    async (type) => {
      const pieces = [...`{"${"x".repeat(20_000)}`];
      const copied = vi.spyOn(Uint8Array.prototype, "set");
      const { error } = await look(pieces, type);
      const bytes = copied.mock.calls.reduce((sum, [piece]) => sum + piece.length, 0);
      copied.mockRestore();
      expect(error).toMatchObject({ kind: "invalid_response" });
      expect(bytes).toBeLessThan(2 * pieces.length);
    },
  );
});
