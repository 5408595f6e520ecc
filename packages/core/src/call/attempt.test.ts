import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { API_KEY, errorOf } from "../../test/gateways.js";
import { resolveConfig } from "../config/config.js";
import type { ModelGatewayOptions } from "../index.js";
import type { Transport, TransportFailure, TransportRequest, TransportSink } from "../transport/transport.js";
import type { Call } from "./call.js";
import { openBytes } from "./open-bytes.js";
import { createSender } from "./sender.js";

beforeEach(() => {
  vi.useFakeTimers();
  // So that no moment can be taken for a length of time.
  vi.advanceTimersByTime(10_000);
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const READ: Call = {
  name: "models.list",
  method: "GET",
  path: "/models",
  cost: "read",
  defaultTimeoutMs: 1_000,
};
const chat = (model: string): Call => ({
  name: "chat.completions.create",
  method: "POST",
  path: "/chat/completions",
  cost: "repeatable",
  defaultTimeoutMs: 1_000,
  body: { model },
});
const VIDEO: Call = {
  ...READ,
  name: "videos.create",
  method: "POST",
  path: "/videos",
  cost: "billable",
  body: {},
};

const CALLS = { READ, VIDEO };

type Act = (sink: TransportSink, number: number) => void;
const fails = (failure: TransportFailure) => (sink: TransportSink) => sink.failed(failure);
const answers =
  (status: number, body: string, fields: Record<string, string> = {}) =>
  (sink: TransportSink) => {
    sink.head(status, { get: (name) => fields[name], toRecord: () => fields });
    sink.data(new TextEncoder().encode(body));
    sink.end();
  };
const silent = () => {};

/** A client over a scripted network: `act` plays each exchange, one microtask after it was asked for. */
function client(act: Act, options: Partial<ModelGatewayOptions> = {}, connecting = false) {
  const sent: TransportRequest[] = [];
  const told: string[] = [];
  const transport: Transport = {
    name: "scripted",
    send: (request, sink) => {
      const number = sent.push(request);
      queueMicrotask(() => act(sink, number));
      return { abort: () => {}, resume: () => {}, isConnecting: () => connecting };
    },
  };
  const hooks = { onRetry: ({ reason }: { reason: string }) => void told.push(reason) };
  const config = resolveConfig({ apiKey: API_KEY, baseURL: "https://g.example/v1", hooks, ...options });
  const sender = createSender(config, transport);
  const call = (what: Call, more: Parameters<typeof sender.json>[1] = {}) =>
    Promise.resolve(sender.json(what, more, (body) => body));
  return { call, sent, told, sender };
}

const phasesOf = (error: unknown) =>
  (error as { timeline: Array<{ phase: string }> }).timeline.map(({ phase }) => phase);

describe("an attempt that got no answer", () => {
  const refused = fails({ phase: "unsent", code: "ECONNREFUSED", cause: "c" });
  const reset = fails({ phase: "no_answer", code: "ECONNRESET", cause: "c" });
  const invalid = fails({ phase: "unsent", code: "UND_ERR_INVALID_ARG", cause: "c" });
  const unusable = fails({ phase: "unusable", cause: "c" });
  const large = answers(200, '"0123456789"');

  it.each<[string, "READ" | "VIDEO", Act, string, string, number, boolean]>([
    ["refused", "VIDEO", refused, "connection", "unsent", 3, false],
    ["reset", "VIDEO", reset, "connection", "no_answer", 1, true],
    ["reset", "READ", reset, "connection", "no_answer", 3, false],
    ["never possible", "READ", invalid, "configuration", "unsent", 1, false],
    ["never possible", "VIDEO", invalid, "configuration", "unsent", 1, false],
    ["answered as nobody can read", "READ", unusable, "configuration", "no_answer", 1, false],
    ["answered as nobody can read", "VIDEO", unusable, "configuration", "no_answer", 1, true],
    ["answered at more length than asked for", "READ", large, "invalid_response", "no_answer", 1, false],
    ["answered at more length than asked for", "VIDEO", large, "invalid_response", "no_answer", 1, true],
  ])("because it was %s (%s)", async (_why, what, act, kind, phase, attempts, maybeProcessed) => {
    const { call, sent } = client(act);
    const failed = errorOf(call({ ...CALLS[what], maxBytes: 10 }));
    await vi.advanceTimersByTimeAsync(10);
    const error = await failed;
    expect(error).toMatchObject({ kind, attempts, maybeProcessed });
    expect(phasesOf(error)).toEqual(Array(attempts).fill(phase));
    expect(sent).toHaveLength(attempts);
  });

  it.each([
    [true, 3, "unsent", false],
    [false, 1, "no_answer", true],
  ])(
    "in time is sent again only while nothing can have arrived (connecting: %s)",
    async (connecting, attempts, phase, maybeProcessed) => {
      const { call } = client(silent, { connectTimeout: 400 }, connecting);
      const failed = errorOf(call(VIDEO));
      await vi.advanceTimersByTimeAsync(3_000);
      const error = await failed;
      expect(error).toMatchObject({
        kind: "timeout",
        timeoutMs: connecting ? 400 : 1_000,
        attempts,
        maybeProcessed,
      });
      expect(phasesOf(error)).toEqual(Array(attempts).fill(phase));
    },
  );

  it("in the time that the call gives it for a connection", async () => {
    const { call } = client(silent, { connectTimeout: 400, maxRetries: 0 }, true);
    const failed = errorOf(call(VIDEO, { connectTimeout: 200 }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failed).toMatchObject({ timeoutMs: 200 });
  });

  it.each([true, false])("because its caller left is the last (connecting: %s)", async (connecting) => {
    const controller = new AbortController();
    const { call, sent, told } = client(silent, { retryBillable: true }, connecting);
    const failed = errorOf(call(VIDEO, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(1);
    controller.abort("left");
    const error = await failed;
    expect(error).toMatchObject({ kind: "aborted", cause: "left", attempts: 1, maybeProcessed: !connecting });
    expect(phasesOf(error)).toEqual([connecting ? "unsent" : "no_answer"]);
    expect([sent.length, told]).toEqual([1, []]);
  });
});

describe("a turn", () => {
  const busy = answers(429, "{}", { "retry-after": "5" });
  const ok = answers(200, "{}");

  it("is waited for after a 429, by calls for that model only", async () => {
    const { call, sent } = client((sink, number) => (number === 1 ? busy : ok)(sink), { maxRetries: 0 });
    expect(await errorOf(call(chat("a")))).toMatchObject({ kind: "rate_limit", retryAfterMs: 5_000 });
    await Promise.all([call(chat("b")), call(READ)]);
    const waiting = call(chat("a"), { timeout: 60_000 });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sent).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(sent).toHaveLength(4);
  });

  it("is had by fewer calls at once after a 429", async () => {
    const held: TransportSink[] = [];
    const { call, sent } = client((sink) => void held.push(sink), { maxRetries: 0 });
    const eight = () => Array.from({ length: 8 }, () => call(READ).catch(() => {}));
    const first = eight();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(8);
    for (const [index, sink] of held.entries()) (index === 0 ? answers(429, "{}") : ok)(sink);
    await Promise.all(first);
    void eight();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(8 + 4);
  });

  it("is not waited for after another failure", async () => {
    const { call, sent } = client(
      (sink, number) => (number === 1 ? answers(503, "{}", { "retry-after": "5" }) : ok)(sink),
      { maxRetries: 0 },
    );
    expect(await errorOf(call(READ))).toMatchObject({ status: 503 });
    await call(READ);
    expect(sent).toHaveLength(2);
  });

  it.each([[{ timeout: 4_000 }], [{ timeout: 60_000, deadline: 4_000 }]])(
    "that would come too late for %j is refused at once",
    async (options) => {
      const { call, sent } = client(busy, { maxRetries: 0 });
      await errorOf(call(READ));
      expect(await errorOf(call(READ, options))).toMatchObject({
        attempts: 0,
        retryAfterMs: 5_000,
        retryable: true,
      });
      expect(sent).toHaveLength(1);
    },
  );

  it("is waited for no longer than the deadline, and nothing was sent then", async () => {
    const { call, sent } = client(silent, { maxConcurrency: 1 });
    const first = errorOf(call(READ, { maxRetries: 0 }));
    const failed = errorOf(call(VIDEO, { deadline: 300 }));
    await vi.advanceTimersByTimeAsync(300);
    expect(await failed).toMatchObject({
      kind: "timeout",
      timeoutMs: 300,
      attempts: 0,
      maybeProcessed: false,
    });
    await vi.advanceTimersByTimeAsync(700);
    await first;
    expect(sent).toHaveLength(1);
  });

  it("that comes when the time is over is given back unused", async () => {
    const apiKey = async () => {
      vi.advanceTimersByTime(300);
      return API_KEY;
    };
    const { call, sent } = client(ok, { apiKey, maxConcurrency: 1 });
    expect(await errorOf(call(VIDEO, { deadline: 300 }))).toMatchObject({
      kind: "timeout",
      timeoutMs: 300,
      attempts: 0,
      maybeProcessed: false,
    });
    expect(sent).toHaveLength(0);
    await call(VIDEO);
    expect(sent).toHaveLength(1);
  });
});

it("is repeated as long as the client has retries left, and says when it has none", async () => {
  const { call, sent } = client(answers(503, "{}"), { retryBudget: 1 });
  const failed = errorOf(call(READ));
  await vi.advanceTimersByTimeAsync(1);
  const error = await failed;
  expect(error).toMatchObject({ status: 503, attempts: 2, retryable: true });
  expect((error as Error).message).toContain("its retryBudget is used up");
  expect(sent).toHaveLength(2);
});

it("an answer of bytes has to be whole in time, however lively it is", async () => {
  const { sender } = client((sink) => {
    sink.head(200, { get: () => "audio/mpeg", toRecord: () => ({}) });
    const alive = setInterval(() => sink.data(new Uint8Array([0xff])), 100);
    setTimeout(() => clearInterval(alive), 5_000);
  });
  const body = await (async () => {
    const opening = openBytes(sender, VIDEO, {}, (given) => given);
    await vi.advanceTimersByTimeAsync(100);
    return opening;
  })();
  const failed = errorOf(body.bytes());
  await vi.advanceTimersByTimeAsync(900);
  expect(await failed).toMatchObject({ kind: "timeout", timeoutMs: 1_000 });
});
