import { describe, expect, it } from "vitest";
import { streamErrorsOf } from "../call/call-errors.js";
import { parseAddress } from "../config/addresses.js";
import { APIError, RateLimitError } from "../errors/api-error.js";
import { InvalidResponseError, StreamInterruptedError } from "../errors/errors.js";
import type { ExchangeFailure } from "../transport/exchange-failure.js";
import { JSONStreamReader } from "./json-stream-reader.js";

interface Step {
  n: number;
  last?: boolean;
  error?: unknown;
}

const ERRORS = streamErrorsOf({
  call: {
    name: "steps.create",
    method: "POST" as const,
    path: "/steps",
    cost: "billable" as const,
    defaultTimeoutMs: 1,
  },
  address: parseAddress("general", "https://gateway.example/v1"),
  apiKey: undefined,
  timeline: [],
  idleTimeoutMs: 1_000,
});

/** Reads steps; the answer is whole after the last, or, where `markerEnds`, with the marker. */
function readerOfSteps({ markerEnds = false, maxEventLength = 1_000 } = {}) {
  const seen: number[] = [];
  let whole = false;
  const reader = new JSONStreamReader<Step>(
    {
      accept({ n, last }) {
        if (typeof n !== "number") throw new TypeError("n is no number");
        seen.push(n);
        if (last) whole = true;
      },
      isWhole: (marked) => whole || (markerEnds && marked),
      partial: () => ({ seen: [...seen] }),
      findError: ({ error }) => (error === undefined ? undefined : { error }),
      maxEventLength,
    },
    ERRORS,
  );
  return { reader, seen, push: (text: string) => reader.push(new TextEncoder().encode(text)) };
}

const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
};

describe("JSONStreamReader", () => {
  it("counts the events of each push: comments, empty events and half ones are no content", async () => {
    const { reader, push } = readerOfSteps();
    expect(push('data: {"n":1}\n\ndata: {"n":2}\n\n')).toBe(2);
    expect(push(": alive\n\ndata:\n\n")).toBe(0);
    expect(push('data: {"n":')).toBe(0);
    expect(push("3}\n\n")).toBe(1);
    expect(await reader.queue.nextBatch()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(reader.complete).toBe(false);
  });

  it("is complete with the marker, and reads nothing after it", async () => {
    const { reader, push, seen } = readerOfSteps({ markerEnds: true });
    push('data: {"n":1}\n\ndata: [DONE]\n\ndata: {"n":2}\n\ndata: nonsense\n\n');
    expect(reader.complete).toBe(true);
    expect(seen).toEqual([1]);
    expect(await reader.queue.nextBatch()).toEqual([{ n: 1 }]);
  });

  it("is cut off by a marker that comes before the answer is whole", () => {
    const { reader, push } = readerOfSteps();
    push('data: {"n":1}\n\n');
    const error = thrownBy(() => push("data: [DONE]\n\n"));
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error).toMatchObject({ reason: "unfinished", partial: { seen: [1] }, maybeProcessed: true });
    expect(reader.complete).toBe(false);
  });

  it.each([
    ['data: {"n":1,"last":true}', [1], true],
    ['data: {"n":1,"last":true}\n', [1], true],
    ['data: {"n":1}', [1], false],
    ['data: {"n":1,"last":tr', [], false],
    ["", [], false],
  ])("takes the event that the end cut off if it is a whole one: %j", (text, seen, complete) => {
    const stream = readerOfSteps();
    stream.push(text);
    stream.reader.end();
    expect(stream.seen).toEqual(seen);
    expect(stream.reader.complete).toBe(complete);
  });

  it("takes a marker without its line end for one", () => {
    const whole = readerOfSteps({ markerEnds: true });
    whole.push("data: [DONE]");
    whole.reader.end();
    expect(whole.reader.complete).toBe(true);
    const cut = readerOfSteps();
    cut.push("data: [DONE]");
    expect(thrownBy(() => cut.reader.end())).toMatchObject({ reason: "unfinished" });
  });

  it.each<[ExchangeFailure, reason: string]>([
    [{ kind: "closed" }, "closed"],
    [{ kind: "reset", cause: new Error("x") }, "reset"],
    [{ kind: "idle" }, "idle"],
  ])("takes an end by %j for an interruption, unless nothing is missing", (failure, reason) => {
    const { reader, push } = readerOfSteps();
    push('data: {"n":1}\n\n');
    expect(reader.interrupted(failure)).toMatchObject({ reason, partial: { seen: [1] } });
    push('data: {"n":2,"last":true}\n\n');
    expect(reader.interrupted(failure)).toBeUndefined();
  });

  it("takes the end by its caller or by a limit for one even when nothing is missing", () => {
    const { reader, push } = readerOfSteps();
    push('data: {"n":1,"last":true}\n\n');
    expect(reader.interrupted({ kind: "unread" })).toMatchObject({ reason: "unread" });
    expect(reader.interrupted({ kind: "aborted", cause: undefined, sent: true })).toMatchObject({
      kind: "aborted",
    });
  });

  it("is whole by its marker alone, whatever the connection did after it", () => {
    const { reader, push } = readerOfSteps({ markerEnds: true });
    push('data: {"n":1}\n\n');
    expect(reader.interrupted({ kind: "closed" })).toBeInstanceOf(StreamInterruptedError);
    push("data: [DONE]\n\n");
    expect(reader.interrupted({ kind: "closed" })).toBeUndefined();
  });

  it("says of an error event that money may have been spent, once anything was delivered", () => {
    const refusal = 'data: {"n":9,"error":{"message":"too fast","code":429}}\n\n';
    const first = thrownBy(() => readerOfSteps().push(refusal));
    expect(first).toBeInstanceOf(RateLimitError);
    expect(first).toMatchObject({ maybeProcessed: false, partial: { seen: [] } });

    const { reader, push, seen } = readerOfSteps();
    push('data: {"n":1}\n\n');
    expect(thrownBy(() => push(refusal))).toMatchObject({ maybeProcessed: true, partial: { seen: [1] } });
    expect(seen).toEqual([1]);
    expect(reader.complete).toBe(false);
    expect(first).toBeInstanceOf(APIError);
  });

  it.each(["{broken", "7", '"text"', "null", "true"])("refuses %s: it is no JSON object", (data) => {
    const { push, seen } = readerOfSteps();
    const error = thrownBy(() => push(`data: ${data}\n\n`));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ body: data, status: 200, maybeProcessed: true });
    expect((error as Error).message).toContain("with a stream event that is not a JSON object");
    expect(seen).toEqual([]);
  });

  it("refuses an event whose shape nobody knows, instead of crashing", async () => {
    const { reader, push } = readerOfSteps();
    const error = thrownBy(() => push('data: {"m":1}\n\n'));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ body: { m: 1 }, status: 200 });
    expect((error as Error).message).toContain("with a stream event of an unknown shape");
    reader.queue.finish();
    expect(await reader.queue.nextBatch()).toBeUndefined();
  });

  it("refuses an event that is longer than it may be", () => {
    const { push } = readerOfSteps({ maxEventLength: 20 });
    expect(push("data: 89012345678901")).toBe(0);
    const error = thrownBy(() => push("2"));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toContain("an event of more than 20 characters");
  });

  it("refuses an answer of more than a gigabyte, which no memory holds", () => {
    const { reader, push } = readerOfSteps();
    const huge = Object.defineProperty(new Uint8Array(), "length", { value: 2 ** 30 });
    expect(reader.push(huge)).toBe(0);
    const error = thrownBy(() => push(":"));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toContain("more than 1073741824 bytes");
  });

  it("pauses the connection once a thousand events lie unread", () => {
    const { reader, push } = readerOfSteps();
    push('data: {"n":1}\n\n'.repeat(1_023));
    expect(reader.queue.flush()).toBe(true);
    push('data: {"n":1}\n\n');
    expect(reader.queue.flush()).toBe(false);
  });

  it("tells the usage that its stream knows, and none where that knows none", () => {
    const shape = {
      accept() {},
      isWhole: () => false,
      partial: () => undefined,
      findError: () => undefined,
      maxEventLength: 10,
    };
    expect(new JSONStreamReader(shape, ERRORS).usage()).toBeUndefined();
    const usage = () => ({ total_tokens: 7 });
    expect(new JSONStreamReader({ ...shape, usage }, ERRORS).usage()).toEqual({ total_tokens: 7 });
  });
});
