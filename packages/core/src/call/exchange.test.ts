import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AsyncQueue } from "../streams/async-queue.js";
import type { StreamReader } from "../streams/stream-reader.js";
import type { ExchangeFailure } from "../transport/exchange-failure.js";
import type { TransportSink } from "../transport/transport.js";
import { type ExchangeAnswer, type ExchangeOptions, runExchange } from "./exchange.js";

const REQUEST = { method: "GET", origin: "http://g.example", path: "/", headers: {} };
const encode = (text: string) => new TextEncoder().encode(text);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Takes each chunk for one item; `END` completes it, `BAD` is refused, a comment is no item. */
class WordReader implements StreamReader<string> {
  readonly queue: AsyncQueue<string>;
  complete = false;
  ended: unknown;
  constructor(highWaterMark = 100) {
    this.queue = new AsyncQueue(highWaterMark);
  }
  push(chunk: Uint8Array): number {
    const word = new TextDecoder().decode(chunk);
    if (word === "BAD") throw new Error("bad word");
    if (word === "END") this.complete = true;
    if (word.startsWith(":")) return 0;
    this.queue.push(word);
    return 1;
  }
  end(): void {
    if (this.ended !== undefined) throw this.ended;
  }
  interrupted(failure: ExchangeFailure): unknown {
    return { interrupted: failure };
  }
}

/** Runs an attempt over a scripted exchange: the test plays the network. */
function attempt(options: Partial<ExchangeOptions<string>> = {}) {
  const exchange = { connecting: false, abort: vi.fn(), resume: vi.fn() };
  const onSettled = vi.fn();
  let sink: TransportSink | undefined;
  const outcome: { answer?: ExchangeAnswer<string>; failure?: ExchangeFailure } = {};
  const send = vi.fn((_request: unknown, given: TransportSink) => {
    sink = given;
    return { abort: exchange.abort, resume: exchange.resume, isConnecting: () => exchange.connecting };
  });
  const all = {
    timeoutMs: 1_000,
    connectTimeoutMs: 400,
    idleTimeoutMs: 100,
    maxBytes: 10,
    onSettled,
    ...options,
  };
  const done = runExchange<string>({ name: "scripted", send }, REQUEST, all).then(
    (answer) => void Object.assign(outcome, { answer }),
    (failure) => void Object.assign(outcome, { failure }),
  );
  const head = (status = 200, type = "text/event-stream; charset=utf-8") => {
    const fields: Record<string, string> = { "content-type": type };
    sink?.head(status, { get: (name) => fields[name], toRecord: () => fields });
  };
  const data = (text: string) => sink?.data(encode(text));
  return { exchange, onSettled, outcome, done, send, head, data, sink: () => sink as TransportSink };
}

function streaming(options: Partial<ExchangeOptions<string>> = {}, highWaterMark?: number) {
  const reader = new WordReader(highWaterMark);
  const createReader = vi.fn(() => reader);
  const running = attempt({ createReader, ...options });
  return { ...running, reader, createReader };
}

async function readAll(queue: AsyncQueue<string>): Promise<unknown[]> {
  const read: unknown[] = [];
  try {
    for await (const word of queue) read.push(word);
  } catch (error) {
    read.push(error);
  }
  return read;
}

describe("an attempt", () => {
  it("resolves with the whole answer, whatever its status, and leaves no timer", async () => {
    for (const status of [200, 299, 300, 199, 404]) {
      const { head, data, sink, done, outcome, onSettled, exchange } = attempt();
      head(status, "application/json");
      expect([data("ab"), data("cd"), data("é")]).toEqual([true, true, true]);
      sink().end();
      await done;
      expect(outcome.answer).toMatchObject({ status, text: "abcdé" });
      expect(outcome.answer?.headers.get("content-type")).toBe("application/json");
      expect(onSettled.mock.calls).toEqual([["complete"]]);
      expect(exchange.abort).not.toHaveBeenCalled();
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it.each([[[]], [["one"]]])("reads %j as text", async (chunks) => {
    const { head, data, sink, done, outcome } = attempt();
    head();
    for (const chunk of chunks) data(chunk);
    sink().end();
    await done;
    expect(outcome.answer?.text).toBe(chunks.join(""));
  });

  it("drops a successful answer above its size, not one of it", async () => {
    const fits = attempt();
    fits.head();
    fits.data("0123456789");
    fits.sink().end();
    await fits.done;
    expect(fits.outcome.answer?.text).toBe("0123456789");
    const large = attempt();
    large.head();
    large.data("0123456789");
    expect(large.data("x")).toBe(true);
    await large.done;
    expect(large.outcome.failure).toEqual({ kind: "too_large", limit: 10 });
    expect(large.exchange.abort).toHaveBeenCalledTimes(1);
    expect(large.data("more")).toBe(true);
    large.sink().end();
    expect(large.onSettled).toHaveBeenCalledTimes(1);
  });

  it("keeps the first megabyte of an error answer, and closes its connection", async () => {
    const { head, data, done, outcome, exchange, onSettled, sink } = attempt();
    head(500);
    data("x".repeat(2 ** 20));
    expect(exchange.abort).not.toHaveBeenCalled();
    expect(data("y")).toBe(true);
    await done;
    expect(outcome.answer).toMatchObject({ status: 500, text: "x".repeat(2 ** 20) });
    expect(exchange.abort).toHaveBeenCalledTimes(1);
    sink().end();
    expect(onSettled.mock.calls).toEqual([["complete"]]);
  });

  it.each([
    [{ phase: "no_answer", code: "ECONNRESET" }, "reset"],
    [{ phase: "unsent", code: "ECONNREFUSED" }, "unsent"],
    [{ phase: "unusable", code: undefined }, "unusable"],
  ] as const)("that failed as %j is %s", async ({ phase, code }, kind) => {
    const { sink, done, outcome, onSettled } = attempt();
    sink().failed({ phase, cause: "c", ...(code && { code }) });
    await done;
    expect(outcome.failure).toEqual({ kind, code, cause: "c" });
    sink().failed({ phase, cause: "again" });
    expect(onSettled).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sends nothing for a caller who has left, and says so", async () => {
    const { send, done, outcome, onSettled } = attempt({ signal: AbortSignal.abort("left") });
    await done;
    expect(outcome.failure).toEqual({ kind: "aborted", cause: "left", sent: false });
    expect(send).not.toHaveBeenCalled();
    expect(onSettled).toHaveBeenCalledTimes(1);
  });

  it.each([true, false])(
    "knows whether anything was sent when its caller leaves (connecting: %s)",
    async (connecting) => {
      const controller = new AbortController();
      const removed = vi.spyOn(controller.signal, "removeEventListener");
      const { exchange, done, outcome } = attempt({ signal: controller.signal });
      exchange.connecting = connecting;
      controller.abort("left");
      await done;
      expect(outcome.failure).toEqual({ kind: "aborted", cause: "left", sent: !connecting });
      expect(exchange.abort).toHaveBeenCalledTimes(1);
      removed.mockRestore();
    },
  );

  it("takes its listener off the signal when it is over", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const { sink, head, done } = attempt({ signal });
    head();
    sink().end();
    await done;
    expect(removed).toHaveBeenCalledTimes(1);
  });

  it("closes an exchange that failed while it was being begun", async () => {
    const abort = vi.fn();
    const send = (_request: unknown, sink: TransportSink) => {
      sink.failed({ phase: "unsent", cause: "c" });
      return { abort, resume: () => {}, isConnecting: () => false };
    };
    const options = { timeoutMs: 1, connectTimeoutMs: 1, idleTimeoutMs: 1, maxBytes: 1 };
    await expect(runExchange({ name: "failing", send }, REQUEST, options)).rejects.toMatchObject({
      kind: "unsent",
    });
    expect(abort).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a transport", () => {
  const options = { timeoutMs: 1_000, connectTimeoutMs: 1_000, idleTimeoutMs: 100, maxBytes: 1 };
  const headers = { get: () => "text/event-stream", toRecord: () => ({}) };
  const exchange = () => ({ abort: vi.fn(), resume: () => {}, isConnecting: () => false });

  it("that throws has sent nothing, and keeps neither timer nor listener", async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    const onSettled = vi.fn();
    const send = () => {
      throw "c";
    };
    const failed = runExchange({ name: "throwing", send }, REQUEST, { ...options, signal, onSettled });
    await expect(failed).rejects.toEqual({ kind: "unsent", cause: "c" });
    expect(onSettled.mock.calls).toEqual([[{ kind: "unsent", cause: "c" }]]);
    expect(removed).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may answer before it returns: an error of any length, and closes it then", async () => {
    const running = exchange();
    const send = (_request: unknown, sink: TransportSink) => {
      sink.head(500, headers);
      sink.data(encode("x".repeat(2 ** 20 + 1)));
      return running;
    };
    const answer = await runExchange({ name: "early", send }, REQUEST, options);
    expect(answer.text).toHaveLength(2 ** 20);
    expect(running.abort).toHaveBeenCalledTimes(1);
  });

  it("may answer before it returns: the head of a stream, which is timed as any", async () => {
    const running = exchange();
    const send = (_request: unknown, sink: TransportSink) => {
      sink.head(200, headers);
      return running;
    };
    const reader = new WordReader();
    const all = { ...options, createReader: () => reader };
    const { stream } = await runExchange<string>({ name: "early", send }, REQUEST, all);
    expect(stream).toBe(reader.queue);
    await vi.advanceTimersByTimeAsync(100);
    expect(await readAll(reader.queue)).toEqual([{ interrupted: { kind: "idle" } }]);
    expect(running.abort).toHaveBeenCalledTimes(1);
  });
});

describe("the time of an attempt", () => {
  it("is over at its time-out", async () => {
    const { outcome, exchange, done } = attempt();
    await vi.advanceTimersByTimeAsync(998);
    expect(outcome).toEqual({});
    await vi.advanceTimersByTimeAsync(2);
    await done;
    expect(outcome.failure).toEqual({ kind: "timeout", limit: "timeout", limitMs: 1_000, sent: true });
    expect(exchange.abort).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is over at the deadline of the call, where that comes first", async () => {
    const deadline = { at: performance.now() + 300, ms: 5_000 };
    const { outcome, done } = attempt({ deadline });
    await vi.advanceTimersByTimeAsync(298);
    expect(outcome).toEqual({});
    await vi.advanceTimersByTimeAsync(2);
    await done;
    expect(outcome.failure).toEqual({ kind: "timeout", limit: "deadline", limitMs: 5_000, sent: true });
    const equal = attempt({ deadline: { at: performance.now() + 1_000, ms: 5_000 } });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(equal.outcome.failure).toMatchObject({ limit: "timeout" });
  });

  it.each([
    [{ connectTimeoutMs: 400 }, "connect", 400],
    [{ connectTimeoutMs: 1_000 }, "timeout", 1_000],
    [{ connectTimeoutMs: 2_000 }, "timeout", 1_000],
  ])("without a connection is over with %j: by %s", async (options, limit, limitMs) => {
    const send = (_request: unknown, _sink: TransportSink) => ({
      abort: () => {},
      resume: () => {},
      isConnecting: () => true,
    });
    const all = { timeoutMs: 1_000, idleTimeoutMs: 1, maxBytes: 1, ...options };
    const failed = runExchange({ name: "connecting", send }, REQUEST, all).catch((failure) => failure);
    await vi.advanceTimersByTimeAsync(limitMs);
    expect(await failed).toEqual({ kind: "timeout", limit, limitMs, sent: false });
  });

  it("looks no further at the time for a connection once there is one", async () => {
    const { exchange, outcome, done } = attempt();
    exchange.connecting = true;
    await vi.advanceTimersByTimeAsync(399);
    exchange.connecting = false;
    await vi.advanceTimersByTimeAsync(600);
    expect(outcome).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(outcome.failure).toMatchObject({ limit: "timeout", sent: true });
  });

  it("can be longer than a timer holds, and without end", async () => {
    const long = 2 ** 31 + 1_000;
    const { outcome, done } = attempt({ timeoutMs: long });
    await vi.advanceTimersByTimeAsync(2 ** 31 - 1);
    expect(outcome).toEqual({});
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_001);
    await done;
    expect(outcome.failure).toMatchObject({ limitMs: long });
    attempt({ timeoutMs: Number.POSITIVE_INFINITY });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an answer that is a stream", () => {
  it("begins with its head, and is read as it comes", async () => {
    const { head, data, done, outcome, reader, createReader, exchange, onSettled } = streaming();
    head();
    await done;
    expect(outcome.answer).toMatchObject({ status: 200, stream: reader.queue });
    expect(outcome.answer?.text).toBeUndefined();
    expect(createReader).toHaveBeenCalledWith(expect.objectContaining({ status: 200 }));
    expect(data("a")).toBe(true);
    expect(onSettled).not.toHaveBeenCalled();
    expect(data("END")).toBe(true);
    expect(onSettled.mock.calls).toEqual([["complete"]]);
    expect(await readAll(reader.queue)).toEqual(["a", "END"]);
    // The server gets a second to end it, so that the connection can be used again.
    await vi.advanceTimersByTimeAsync(999);
    expect(exchange.abort).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(exchange.abort).toHaveBeenCalledTimes(1);
  });

  it.each([
    [404, "text/event-stream", "events", false],
    [300, "text/event-stream", "any", false],
    [299, "text/event-stream", "any", true],
    [199, "text/event-stream", "any", false],
    [200, "application/json", "events", false],
    [200, "application/json", "any", true],
    [200, "text/event-stream", "events", true],
    [204, "text/event-stream", undefined, true],
    [200, "x-text/event-stream", undefined, false],
  ] as const)(
    "is one with status %i and type %s where %s are asked for: %s",
    async (status, type, streams, is) => {
      const { head, sink, done, outcome, createReader } = streaming(streams && { streams });
      head(status, type);
      expect(createReader).toHaveBeenCalledTimes(is ? 1 : 0);
      sink().end();
      await done;
      expect(outcome.answer?.stream !== undefined).toBe(is);
    },
  );

  it("is none where nothing says so", async () => {
    const { sink, done, outcome } = streaming();
    sink().head(200, { get: () => undefined, toRecord: () => ({}) });
    sink().end();
    await done;
    expect(outcome.answer).toMatchObject({ status: 200, text: "" });
  });

  it("shows by its first bytes what it is, where its head does not say", async () => {
    const { head, data, done, outcome, reader, createReader } = streaming({ maxBytes: 5_000 });
    head(200, "application/json");
    data("\n");
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome.answer).toBeUndefined();
    data("data: {}");
    await done;
    expect(outcome.answer?.stream).toBe(reader.queue);
    expect(createReader).toHaveBeenCalledWith(expect.objectContaining({ status: 200 }));
    data("END");
    expect(await readAll(reader.queue)).toEqual(["\n", "data: {}", "END"]);
  });

  it("shows by its first bytes in whatever pieces: in one that is large, and asks for a pause as any", async () => {
    const { head, data, reader } = streaming({ maxBytes: 5_000 }, 2);
    head(200, "application/json");
    const large = `data: ${"x".repeat(2_000)}`;
    expect(data(large)).toBe(true);
    expect(data("b")).toBe(false);
    const small = streaming({}, 2);
    small.head(200, "application/json");
    expect(small.data("\n")).toBe(true);
    expect(small.data("data: x")).toBe(false);
    expect([await reader.queue.next(), await small.reader.queue.next()]).toMatchObject([
      { value: large },
      { value: "\n" },
    ]);
  });

  it("that its reader refuses by its first bytes is read no further", async () => {
    const { head, data, reader, onSettled } = streaming();
    const refused = new Error("no events");
    const push = vi.spyOn(reader, "push").mockImplementation(() => {
      throw refused;
    });
    head(200, "application/json");
    data("\n");
    expect(data("data: x")).toBe(true);
    expect(push).toHaveBeenCalledTimes(1);
    expect(onSettled.mock.calls).toEqual([[{ kind: "reader", cause: refused }]]);
    expect(await readAll(reader.queue)).toEqual([refused]);
  });

  it("sets no timer for each of its items, and lets go of its last where timers are numbers", async () => {
    const { head, data, reader } = streaming();
    head();
    const armed = vi.spyOn(globalThis, "setTimeout");
    for (let count = 0; count < 50; count++) data("a");
    expect(armed).not.toHaveBeenCalled();
    armed.mockReturnValueOnce(7 as never);
    expect(data("END")).toBe(true);
    expect(armed).toHaveBeenCalledTimes(1);
    armed.mockRestore();
    expect(await readAll(reader.queue)).toHaveLength(51);
  });

  it("is not looked for among errors, nor behind the first kilobyte", async () => {
    for (const [status, first] of [
      [500, ""],
      [200, " ".repeat(1_024)],
    ] as const) {
      const { head, data, sink, done, outcome, createReader } = streaming({ maxBytes: 5_000 });
      head(status, "application/json");
      if (first !== "") data(first);
      data("data: {}\n\n");
      sink().end();
      await done;
      expect(outcome.answer?.text).toBe(`${first}data: {}\n\n`);
      expect(createReader).not.toHaveBeenCalled();
    }
  });

  it("that ends before it is complete was closed", async () => {
    const { head, data, sink, reader, onSettled } = streaming();
    head();
    data("a");
    sink().end();
    expect(await readAll(reader.queue)).toEqual(["a", { interrupted: { kind: "closed" } }]);
    expect(onSettled.mock.calls).toEqual([[{ kind: "closed" }]]);
  });

  it("may be complete at its end only", async () => {
    const { head, data, sink, reader, exchange, onSettled } = streaming();
    head();
    data("a");
    const end = vi.spyOn(reader, "end").mockImplementation(() => {
      reader.queue.push("b");
      reader.complete = true;
    });
    sink().end();
    expect(end).toHaveBeenCalledTimes(1);
    expect(onSettled.mock.calls).toEqual([["complete"]]);
    expect(await readAll(reader.queue)).toEqual(["a", "b"]);
    expect(exchange.abort).not.toHaveBeenCalled();
  });

  it.each(["push", "end"] as const)(
    "that its reader refuses at %s fails with what the reader threw",
    async (when) => {
      const { head, data, sink, reader, exchange, onSettled } = streaming();
      const reading = readAll(reader.queue);
      head();
      data("a");
      reader.ended = new Error("bad word");
      if (when === "push") expect(data("BAD")).toBe(true);
      else sink().end();
      expect(await reading).toEqual(["a", new Error("bad word")]);
      expect(exchange.abort).toHaveBeenCalledTimes(1);
      expect(onSettled.mock.calls).toEqual([[{ kind: "reader", cause: new Error("bad word") }]]);
      expect(data("late")).toBe(true);
    },
  );

  it("is cut where its caller leaves: what was not read is dropped", async () => {
    const controller = new AbortController();
    const { head, data, reader } = streaming({ signal: controller.signal });
    head();
    data("a");
    controller.abort("left");
    expect(await readAll(reader.queue)).toEqual([
      { interrupted: { kind: "aborted", cause: "left", sent: true } },
    ]);
  });

  it("keeps what was not read where the connection breaks", async () => {
    const { head, data, sink, reader } = streaming();
    head();
    data("a");
    sink().failed({ phase: "no_answer", cause: "c" });
    expect(await readAll(reader.queue)).toEqual([
      "a",
      { interrupted: { kind: "reset", code: undefined, cause: "c" } },
    ]);
  });

  it("is left by a reader who stops, once", async () => {
    const { head, data, reader, exchange, onSettled, sink } = streaming();
    head();
    data("a");
    await reader.queue.return();
    await reader.queue.return();
    expect(onSettled.mock.calls).toEqual([["left"]]);
    expect(exchange.abort).toHaveBeenCalledTimes(1);
    sink().failed({ phase: "no_answer", cause: "c" });
    expect(onSettled).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the time of a stream", () => {
  const idle = { interrupted: { kind: "idle" } };

  it("is its silence: since its head, and since each item, of which comments are none", async () => {
    const { head, data, reader, exchange } = streaming();
    await vi.advanceTimersByTimeAsync(900);
    head();
    const reading = readAll(reader.queue);
    await vi.advanceTimersByTimeAsync(90);
    data("a");
    await vi.advanceTimersByTimeAsync(90);
    data("b");
    await vi.advanceTimersByTimeAsync(90);
    data(": alive");
    await vi.advanceTimersByTimeAsync(8);
    expect(exchange.abort).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(await reading).toEqual(["a", "b", idle]);
  });

  it("is the whole of it where that is asked for, without the time in which its reader pauses it", async () => {
    const { head, data, reader, exchange } = streaming({ streams: "any", streamLimit: "whole" }, 1);
    await vi.advanceTimersByTimeAsync(500);
    head();
    const { queue } = reader;
    const first = queue.next();
    expect(data("a")).toBe(true);
    await first;
    await vi.advanceTimersByTimeAsync(400);
    // Nobody takes this one for an hour.
    expect(data("b")).toBe(false);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(exchange.resume).not.toHaveBeenCalled();
    expect(await queue.next()).toMatchObject({ value: "b" });
    expect(exchange.resume).toHaveBeenCalledTimes(1);
    const end = readAll(queue);
    await vi.advanceTimersByTimeAsync(98);
    expect(exchange.abort).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(await end).toEqual([
      { interrupted: { kind: "timeout", limit: "timeout", limitMs: 1_000, sent: true } },
    ]);
  });

  it("does not run while its reader pauses it, and begins anew when it goes on", async () => {
    const { head, data, reader, exchange } = streaming({}, 1);
    head();
    const { queue } = reader;
    const first = queue.next();
    data("a");
    await first;
    await vi.advanceTimersByTimeAsync(90);
    expect(data("b")).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await queue.next();
    const end = readAll(queue);
    await vi.advanceTimersByTimeAsync(98);
    expect(exchange.abort).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(await end).toEqual([idle]);
  });

  it("is over for one that nobody ever read", async () => {
    const { head, data, reader, exchange } = streaming({}, 1);
    head();
    await vi.advanceTimersByTimeAsync(50);
    data("a");
    await vi.advanceTimersByTimeAsync(98);
    expect(exchange.abort).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2);
    expect(exchange.abort).toHaveBeenCalledTimes(1);
    expect(await readAll(reader.queue)).toEqual(["a", { interrupted: { kind: "unread" } }]);
  });

  it("is over at the deadline, paused or not", async () => {
    const { head, data, reader } = streaming({ deadline: { at: performance.now() + 150, ms: 150 } }, 1);
    head();
    const first = reader.queue.next();
    data("a");
    await first;
    data("b");
    await vi.advanceTimersByTimeAsync(150);
    expect(await readAll(reader.queue)).toEqual([
      "b",
      { interrupted: { kind: "timeout", limit: "deadline", limitMs: 150, sent: true } },
    ]);
  });

  it("is over with it: no timer stays, and reading on wakes nothing", async () => {
    const { head, data, sink, reader, exchange } = streaming({}, 1);
    head();
    data("a");
    sink().failed({ phase: "no_answer", cause: "c" });
    await reader.queue.next();
    expect(vi.getTimerCount()).toBe(0);
    expect(exchange.abort).toHaveBeenCalledTimes(1);
  });
});
