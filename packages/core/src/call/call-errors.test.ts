import { describe, expect, it } from "vitest";
import { API_KEY } from "../../test/gateways.js";
import { parseAddress } from "../config/addresses.js";
import type { GatewayError } from "../errors/gateway-error.js";
import {
  APIConnectionError,
  APITimeoutError,
  APIUserAbortError,
  ConfigurationError,
  InvalidResponseError,
  RateLimitError,
  StreamInterruptedError,
} from "../index.js";
import type { ExchangeFailure } from "../transport/exchange-failure.js";
import type { ResponseHeaders } from "../transport/transport.js";
import type { Call } from "./call.js";
import {
  type ErrorContext,
  errorFromErrorAnswer,
  errorFromFailure,
  errorFromInterruption,
  errorFromRefusal,
  errorFromUnreadable,
  errorInsideStream,
} from "./call-errors.js";

const MONEY =
  " The outcome is unknown: the request may have been carried out and billed. Before you repeat videos.create, " +
  "check the usage records of the key.";
const TARGET = "POST https://gateway.example/v1/videos";
const READS: Partial<Call> = { name: "models.list", method: "GET", path: "/models", cost: "read" };
const SURE = { retryable: true, maybeProcessed: false };
const DOUBT = { retryable: false, maybeProcessed: true };

const headersOf = (fields: Record<string, string>): ResponseHeaders => ({
  get: (name) => fields[name],
  toRecord: () => fields,
});

function contextOf(call: Partial<Call> = {}, more: Partial<ErrorContext> = {}): ErrorContext {
  return {
    call: {
      name: "videos.create",
      method: "POST",
      path: "/videos",
      cost: "billable",
      defaultTimeoutMs: 1,
      ...call,
    },
    address: parseAddress("general", "https://gateway.example/v1"),
    apiKey: API_KEY,
    timeline: [],
    idleTimeoutMs: 50,
    ...more,
  };
}

const failed = (failure: ExchangeFailure, context = contextOf(), verdict?: typeof SURE) =>
  errorFromFailure(failure, context, verdict) as GatewayError;

describe("the error of an attempt without an answer", () => {
  const timeout = { kind: "timeout", limitMs: 9 } as const;

  it.each<[string, ExchangeFailure, typeof SURE, abstract new (...args: never[]) => Error, string, object]>([
    [
      "aborted",
      { kind: "aborted", cause: "why", sent: true },
      DOUBT,
      APIUserAbortError,
      `videos.create was aborted by the caller.${MONEY}`,
      { cause: "why" },
    ],
    [
      "never sent",
      { kind: "unsent", code: "ECONNREFUSED", cause: new Error("no") },
      SURE,
      APIConnectionError,
      `The gateway could not be reached (ECONNREFUSED): ${TARGET}. Nothing was sent.`,
      { code: "ECONNREFUSED", cause: new Error("no") },
    ],
    [
      "never sent this time, for a reason without a code",
      { kind: "unsent", cause: "no route" },
      DOUBT,
      APIConnectionError,
      `The gateway could not be reached (no route): ${TARGET}. Nothing was sent this time.${MONEY}`,
      { cause: "no route" },
    ],
    [
      "that could not be written",
      { kind: "unsent", code: "UND_ERR_INVALID_ARG", cause: new Error("invalid header") },
      SURE,
      ConfigurationError,
      `${TARGET} could not be sent: invalid header.`,
      {},
    ],
    [
      "reset",
      { kind: "reset", code: "ECONNRESET", cause: new Error("hung up") },
      DOUBT,
      APIConnectionError,
      `The connection broke before the answer was complete (ECONNRESET): ${TARGET}.${MONEY}`,
      { code: "ECONNRESET", cause: new Error("hung up") },
    ],
    [
      "reset without a code",
      { kind: "reset", cause: new Error("hung up") },
      SURE,
      APIConnectionError,
      `The connection broke before the answer was complete (hung up): ${TARGET}.`,
      {},
    ],
    [
      "closed",
      { kind: "closed" },
      DOUBT,
      APIConnectionError,
      `The connection broke before the answer was complete (closed): ${TARGET}.${MONEY}`,
      {},
    ],
    [
      "ended by the server before its answer was whole",
      { kind: "unfinished" },
      DOUBT,
      APIConnectionError,
      `The connection broke before the answer was complete (closed): ${TARGET}.${MONEY}`,
      {},
    ],
    [
      "that nobody read",
      { kind: "unread" },
      DOUBT,
      APITimeoutError,
      `Silence for 50 ms: ${TARGET}.${MONEY}`,
      { timeoutMs: 50 },
    ],
    [
      "late",
      { ...timeout, limit: "timeout", sent: true },
      DOUBT,
      APITimeoutError,
      `No complete answer within 9 ms (timeout): ${TARGET}.${MONEY}`,
      { timeoutMs: 9 },
    ],
    [
      "without a connection",
      { ...timeout, limit: "connect", sent: false },
      SURE,
      APITimeoutError,
      `No connection within 9 ms (connectTimeout): ${TARGET}. Nothing was sent.`,
      { timeoutMs: 9 },
    ],
    [
      "without a connection this time",
      { ...timeout, limit: "deadline", sent: false },
      DOUBT,
      APITimeoutError,
      `No connection within 9 ms (deadline): ${TARGET}. Nothing was sent this time.${MONEY}`,
      { timeoutMs: 9 },
    ],
    [
      "silent",
      { kind: "idle" },
      DOUBT,
      APITimeoutError,
      `Silence for 50 ms: ${TARGET}.${MONEY}`,
      { timeoutMs: 50 },
    ],
    [
      "not usable",
      { kind: "unusable", cause: new Error("fetch gave no Response") },
      DOUBT,
      ConfigurationError,
      `fetch gave no Response: ${TARGET}. The request was sent.${MONEY}`,
      { option: "fetch", cause: new Error("fetch gave no Response") },
    ],
    [
      "too large",
      { kind: "too_large", limit: 8 },
      DOUBT,
      InvalidResponseError,
      `The answer to ${TARGET} is larger than 8 bytes and was dropped.${MONEY}`,
      {},
    ],
  ])(
    "%s says what happened, and what it means for the money",
    (_name, failure, verdict, type, message, facts) => {
      const error = failed(failure, contextOf({}, { requestId: "r1" }), verdict);
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({
        ...facts,
        ...verdict,
        message,
        method: "POST",
        path: "/videos",
        requestId: "r1",
      });
      if (!("code" in facts)) expect(error).not.toHaveProperty("code");
      if (!("cause" in facts) && failure.kind !== "reset") expect(error.cause).toBeUndefined();
    },
  );

  it("is what a reader threw, as it is", () => {
    const cause = new Error("reader");
    expect(failed({ kind: "reader", cause })).toBe(cause);
  });

  it("in doubt by what the attempts so far left, where nobody judged it", () => {
    const timeline = [{ address: "general" as const, phase: "no_answer" as const, ms: 1 }];
    const failure = { kind: "aborted", cause: undefined, sent: false } as const;
    expect(failed(failure, contextOf({}, { timeline }))).toMatchObject({ ...DOUBT, timeline, attempts: 1 });
    expect(failed(failure, contextOf(READS, { timeline }))).toMatchObject({
      retryable: false,
      maybeProcessed: false,
    });
    const error = failed(failure, contextOf({}, { timeline }));
    timeline.push({ address: "general", phase: "no_answer", ms: 1 });
    expect(error.timeline).toHaveLength(1);
  });

  it("says that it was not repeated because the budget is used up", () => {
    const verdict = { ...SURE, outOfBudget: true };
    const used = " It was not repeated: so many calls of this client failed that its retryBudget is used up.";
    expect(failed({ kind: "closed" }, contextOf(), verdict).message).toBe(
      `The connection broke before the answer was complete (closed): ${TARGET}.${used}`,
    );
    expect(failed({ kind: "closed" }, contextOf(), { ...verdict, maybeProcessed: true }).message).toContain(
      used + MONEY,
    );
  });

  it("names the address of a path without version as it was called", () => {
    const call = { ...READS, path: "/balance", unversioned: true };
    expect(failed({ kind: "closed" }, contextOf(call)).message).toContain(
      "GET https://gateway.example/balance.",
    );
  });
});

describe("the cause of an error", () => {
  const causeOf = (cause: unknown, apiKey: string | undefined = API_KEY) =>
    failed({ kind: "aborted", cause, sent: false }, contextOf({}, { apiKey })).cause;

  it("is kept as it is where it does not hold the key", () => {
    const cause = new TypeError("no");
    expect(causeOf(cause)).toBe(cause);
    expect(causeOf("text")).toBe("text");
    cause.message = `undefined Bearer ${API_KEY}`;
    expect(failed({ kind: "aborted", cause, sent: false }, contextOf({}, { apiKey: undefined })).cause).toBe(
      cause,
    );
    expect(causeOf(cause, "")).toBe(cause);
  });

  it.each([
    ["message", { message: `Bearer ${API_KEY} is not a header`, stack: "TypeError: at a" }],
    ["stack", { message: "no", stack: `TypeError: Bearer ${API_KEY}\n at a` }],
    ["message of an error without a stack", { message: `Bearer ${API_KEY}`, stack: undefined }],
  ])("loses the key from its %s, and keeps its name", (_where, { message, stack }) => {
    const cause = Object.assign(new TypeError(message), { stack });
    const clean = causeOf(cause) as Error;
    expect(clean).toBeInstanceOf(Error);
    expect({ name: clean.name, message: clean.message, stack: clean.stack }).toEqual({
      name: "TypeError",
      message: message.replace(API_KEY, "sk-***"),
      stack: stack?.replace(API_KEY, "sk-***"),
    });
  });

  it("is quoted without the key", () => {
    const cause = new Error(`bad header Bearer ${API_KEY}`);
    expect(failed({ kind: "unsent", cause }).message).toContain("(bad header Bearer sk-***)");
  });

  it("without a stack and without the key is kept", () => {
    const cause = Object.assign(new Error("no"), { stack: undefined });
    expect(causeOf(cause)).toBe(cause);
  });
});

describe("the error of a call that did not get its turn", () => {
  it("is an abort where the caller left", () => {
    const error = errorFromRefusal({ kind: "aborted", cause: "left" }, contextOf(), 10);
    expect(error).toBeInstanceOf(APIUserAbortError);
    expect(error).toMatchObject({
      cause: "left",
      retryable: false,
      message: "videos.create was aborted by the caller.",
    });
  });

  it("is a time-out at the deadline: nothing was sent, so it can be repeated", () => {
    expect(errorFromRefusal({ kind: "out_of_time" }, contextOf(), 10)).toMatchObject({
      ...SURE,
      kind: "timeout",
      timeoutMs: 10,
      message: `No connection within 10 ms (deadline): ${TARGET}. Nothing was sent.`,
    });
  });

  it("tells how long an earlier answer asked to wait", () => {
    const timeline = [{ address: "general" as const, phase: "no_answer" as const, ms: 1 }];
    const error = errorFromRefusal({ kind: "paused", forMs: 700 }, contextOf({}, { timeline }), 10);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      retryable: true,
      maybeProcessed: true,
      status: 429,
      retryAfterMs: 700,
      message:
        "videos.create was not sent: an earlier answer asked to wait, for 700 ms more, which is longer than this call " +
        `may take.${MONEY}`,
    });
  });
});

describe("the error of a stream that broke", () => {
  const CHAT: Partial<Call> = {
    name: "chat.completions.create",
    path: "/chat/completions",
    unfinished: "ended without its last word",
    cost: "repeatable",
  };

  it.each<[ExchangeFailure, string, string]>([
    [{ kind: "closed" }, "closed", "ended before the answer was complete"],
    [{ kind: "unfinished" }, "unfinished", "ended without its last word"],
    [
      { kind: "timeout", limit: "deadline", limitMs: 9, sent: true },
      "deadline",
      "was not over after 9 ms, the deadline of the call",
    ],
    [{ kind: "unread" }, "unread", "was not read for 50 ms, so its connection was closed"],
    [{ kind: "idle" }, "idle", "was silent for 50 ms"],
    [{ kind: "reset", code: "ECONNRESET", cause: "c" }, "reset", "broke (ECONNRESET)"],
    [{ kind: "reset", cause: new Error("hung up") }, "reset", "broke (hung up)"],
    [{ kind: "unsent", code: "EPIPE", cause: "c" }, "reset", "broke (EPIPE)"],
  ])("%j has the reason %s, and what had arrived", (failure, reason, what) => {
    const partial = { choices: [] };
    const error = errorFromInterruption(failure, contextOf(CHAT), partial) as StreamInterruptedError;
    expect(error).toBeInstanceOf(StreamInterruptedError);
    expect(error.message).toBe(
      `The stream of chat.completions.create ${what}; error.partial holds what had arrived.`,
    );
    expect(error).toMatchObject({ ...SURE, reason });
    expect(error.partial).toBe(partial);
    if ("cause" in failure) expect(error.cause).toBe(failure.cause);
    const paid = errorFromInterruption(failure, contextOf(), undefined) as StreamInterruptedError;
    expect(paid.message).not.toContain("partial");
    expect(paid).toMatchObject(DOUBT);
  });

  it("of pictures says that none was complete, and that they may have been paid", () => {
    expect((errorFromInterruption({ kind: "unfinished" }, contextOf(), undefined) as Error).message).toBe(
      `The stream of videos.create ended before any result was complete.${MONEY}`,
    );
  });

  it("is that of an attempt where nothing of a stream was there", () => {
    const late = { kind: "timeout", limit: "timeout", limitMs: 9, sent: true } as const;
    expect(errorFromInterruption(late, contextOf(), undefined)).toMatchObject({
      ...DOUBT,
      kind: "timeout",
      message: `No complete answer within 9 ms (timeout): ${TARGET}.${MONEY}`,
    });
    expect(
      errorFromInterruption({ kind: "aborted", cause: 1, sent: true }, contextOf(CHAT), undefined),
    ).toMatchObject({
      ...SURE,
      kind: "aborted",
    });
  });
});

describe("the error of an error answer", () => {
  it("tells status, call, message, code, request id, wait and what became of the money", () => {
    const body = { error: { message: "down", code: "c1", type: "t1" } };
    const error = errorFromErrorAnswer(
      { status: 503, body, retryAfterMs: 1_001, headers: headersOf({ "x-a": "b" }), partial: 1 },
      contextOf({}, { requestId: "r1" }),
    );
    expect(error.message).toBe(
      `503 from POST /videos: down (code c1, request id r1). Retry after 2 s.${MONEY}`,
    );
    expect(error).toMatchObject({
      ...DOUBT,
      status: 503,
      code: "c1",
      type: "t1",
      retryAfterMs: 1_001,
      requestId: "r1",
      headers: { "x-a": "b" },
      body,
      partial: 1,
    });
  });

  it("tells what there is", () => {
    const error = errorFromErrorAnswer({ status: 400, body: undefined }, contextOf());
    expect(error.message).toBe("400 from POST /videos: no error message.");
    expect(error).toMatchObject({ retryable: false, maybeProcessed: false, headers: {} });
    for (const absent of ["code", "type", "retryAfterMs", "requestId"])
      expect(error).not.toHaveProperty(absent);
  });

  it("is as certain as the policy found it, and as all attempts together where the policy was not asked", () => {
    const answer = { status: 400, body: {} };
    const judged = { retryable: true, maybeProcessed: true };
    expect(errorFromErrorAnswer(answer, contextOf(), judged)).toMatchObject(judged);
    const timeline = [{ address: "general" as const, phase: "no_answer" as const, ms: 1 }];
    expect(errorFromErrorAnswer(answer, contextOf({}, { timeline }))).toMatchObject(DOUBT);
    // An error inside a successful answer is judged by what it stands for.
    expect(errorFromErrorAnswer({ status: 200, body: { error: { code: 500 } } }, contextOf())).toMatchObject(
      DOUBT,
    );
  });

  it("never holds the key, whatever a server echoes", () => {
    const error = errorFromErrorAnswer(
      {
        status: 401,
        body: { error: { message: `bad ${API_KEY}`, code: `c-${API_KEY}`, type: `t-${API_KEY}` } },
        headers: headersOf({ "x-echo": API_KEY }),
      },
      contextOf(),
    );
    expect(error.message).toBe("401 from POST /videos: bad sk-*** (code c-sk-***).");
    expect(error).toMatchObject({ code: "c-sk-***", type: "t-sk-***", headers: { "x-echo": "sk-***" } });
    expect(JSON.stringify(error.body)).not.toContain(API_KEY);
  });

  it("says of a 404, and of nothing else, that a base address does not end in /v1", () => {
    const address = parseAddress("general", "https://gateway.example/api");
    const message = (status: number, context: ErrorContext) =>
      errorFromErrorAnswer({ status, body: { error: "no" } }, context).message;
    expect(message(404, contextOf({}, { address }))).toBe(
      "404 from POST /videos: no. The base address https://gateway.example/api does not end in /v1, " +
        "as base addresses of the gateway do.",
    );
    expect(message(404, contextOf())).toBe("404 from POST /videos: no.");
    const elsewhere = (path: string) => ({
      address: parseAddress("general", `https://gateway.example${path}`),
    });
    expect(message(404, contextOf({}, elsewhere("/api/v1")))).toBe("404 from POST /videos: no.");
    expect(message(404, contextOf({}, elsewhere("/v1/api")))).toContain("does not end in /v1");
    expect(message(400, contextOf({}, { address }))).toBe("400 from POST /videos: no.");
  });

  it("asks the call what to do about it, by what the status means; a used-up quota speaks for itself", () => {
    const hint = (meaning: number) => (meaning === 404 ? "Look at models.list()." : undefined);
    const message = (status: number, code: string) =>
      errorFromErrorAnswer({ status, body: { error: { message: "no", code } } }, contextOf({ hint })).message;
    expect(message(503, "model_not_found")).toContain("(code model_not_found). Look at models.list().");
    expect(message(400, "x")).toBe("400 from POST /videos: no (code x).");
    const always = contextOf({ hint: () => "Ask." });
    expect(errorFromErrorAnswer({ status: 402, body: { error: "no" } }, always).message).toBe(
      "402 from POST /videos: no.",
    );
  });
});

describe("the error of an event that tells of one", () => {
  it.each([
    ["repeatable", 500, false, true, false],
    ["repeatable", 429, true, true, false],
    ["repeatable", 400, false, false, false],
    ["read", 500, true, true, false],
    ["billable", 500, false, false, true],
    ["billable", 429, false, true, false],
    ["billable", 429, true, true, true],
    ["billable", 400, false, false, false],
    ["billable", 400, true, false, true],
  ] as const)(
    "%s, standing for %i, after a delivery: %s",
    (cost, code, delivered, retryable, maybeProcessed) => {
      const partial = {};
      const error = errorInsideStream({ error: { code } }, { partial, delivered }, contextOf({ cost }));
      expect(error).toMatchObject({ status: 200, retryable, maybeProcessed });
      expect(error.partial).toBe(partial);
    },
  );
});

describe("the error of an answer that is none", () => {
  it.each([
    ["billable", MONEY, true],
    ["read", "", false],
    ["repeatable", "", false],
  ] as const)("leaves a call in doubt where it is %s", (cost, hint, maybeProcessed) => {
    const body = { echo: API_KEY };
    const error = errorFromUnreadable("a web page", 200, body, contextOf({ cost }, { requestId: "r1" }));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({
      message: `The gateway answered 200 to ${TARGET} with a web page.${hint}`,
      status: 200,
      requestId: "r1",
      retryable: false,
      maybeProcessed,
      body: { echo: "sk-***" },
    });
  });
});
