import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  APIConnectionError,
  APIError,
  APITimeoutError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  GatewayError,
  InternalServerError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  StreamInterruptedError,
} from "../index.js";

const CLASSES = {
  GatewayError,
  ConfigurationError,
  InvalidRequestError,
  APIConnectionError,
  APITimeoutError,
  APIUserAbortError,
  StreamInterruptedError,
  InvalidResponseError,
  APIError,
  BadRequestError,
  AuthenticationError,
  PermissionDeniedError,
  NotFoundError,
  RateLimitError,
  InternalServerError,
};

const answered = { status: 418 };
const ERRORS: Array<[GatewayError, kind: string, ...classes: Array<keyof typeof CLASSES>]> = [
  [new ConfigurationError("m"), "configuration", "ConfigurationError"],
  [new InvalidRequestError([]), "invalid_request", "InvalidRequestError"],
  [new APIConnectionError("m"), "connection", "APIConnectionError"],
  [new APITimeoutError("m", { timeoutMs: 1 }), "timeout", "APITimeoutError"],
  [new APIUserAbortError("m"), "aborted", "APIUserAbortError"],
  [new StreamInterruptedError("m", { reason: "idle" }), "stream_interrupted", "StreamInterruptedError"],
  [new InvalidResponseError("m"), "invalid_response", "InvalidResponseError"],
  [new APIError("m", answered), "api", "APIError"],
  [new BadRequestError("m", answered), "bad_request", "BadRequestError", "APIError"],
  [new AuthenticationError("m", answered), "authentication", "AuthenticationError", "APIError"],
  [new PermissionDeniedError("m", answered), "permission_denied", "PermissionDeniedError", "APIError"],
  [new NotFoundError("m", answered), "not_found", "NotFoundError", "APIError"],
  [new RateLimitError("m", answered), "rate_limit", "RateLimitError", "APIError"],
  [new InternalServerError("m", answered), "server", "InternalServerError", "APIError"],
];

describe("errors", () => {
  it.each(ERRORS)("%s is of kind %s, and recognised by its classes only", (error, kind, ...classes) => {
    expect(error.kind).toBe(kind);
    expect(error.name).toBe(classes[0]);
    const recognised = Object.entries(CLASSES).filter(([, { isInstance }]) => isInstance(error));
    expect(recognised.map(([name]) => name).sort()).toEqual(["GatewayError", ...classes].sort());
    // Minifiers rename classes; the mark of another copy of the package is under its name.
    const marks = classes.map((name) => Symbol.for(`@model-gateway/core.error.${name}`));
    for (const mark of marks) expect(mark in error).toBe(true);
  });

  it("that know nothing of a call show no empty fields, and are not worth repeating", () => {
    const error = new APIError("m", answered);
    expect(Object.keys(error).sort()).toEqual([
      "attempts",
      "kind",
      "maybeProcessed",
      "retryable",
      "status",
      "timeline",
    ]);
    expect(error).toMatchObject({
      attempts: 0,
      timeline: [],
      retryable: false,
      maybeProcessed: false,
      headers: {},
    });
    expect("cause" in error).toBe(false);
    expect(new PermissionDeniedError("m", answered).insufficientQuota).toBe(false);
    expect(new PermissionDeniedError("m", { ...answered, insufficientQuota: true }).insufficientQuota).toBe(
      true,
    );
  });

  it("show what is known of the call, and keep headers, bodies and what had arrived reachable but unprinted", () => {
    const secret = "a prompt";
    const timeline = [{ address: "general" as const, phase: "answered" as const, ms: 1 }];
    const known = {
      method: "POST",
      path: "/videos",
      requestId: "r1",
      retryable: true,
      maybeProcessed: true,
      timeline,
    };
    const facts = { code: "c", type: "t", retryAfterMs: 5 };
    const hidden = { headers: { "x-a": secret }, body: { echo: secret }, partial: secret };
    const cause = new Error("why");
    const error = new APIError("m", { ...answered, ...known, ...facts, ...hidden, cause });
    expect(error).toMatchObject({
      message: "m",
      attempts: 1,
      status: 418,
      cause,
      ...known,
      ...facts,
      ...hidden,
    });
    const invalid = new InvalidResponseError("m", { status: 200, body: { echo: secret } });
    expect(invalid).toMatchObject({ status: 200, body: { echo: secret } });
    const broken = new StreamInterruptedError("m", { reason: "reset", partial: secret });
    expect(broken).toMatchObject({ reason: "reset", partial: secret });
    for (const each of [error, invalid, broken]) {
      expect(inspect(each)).not.toContain(secret);
      expect(JSON.stringify(each)).not.toContain(secret);
    }
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ ...known, ...facts });
    expect(inspect(new APIConnectionError("m", { code: "ECONNRESET" }))).toContain("code: 'ECONNRESET'");
    expect(inspect(new ConfigurationError("m", { option: "apiKey" }))).toContain("option: 'apiKey'");
    expect(new APITimeoutError("m", { timeoutMs: 7 }).timeoutMs).toBe(7);
  });

  it("can be renamed and completed by those who pass them on", () => {
    const error = new APIError("m", { ...answered, code: "c", body: "b" });
    error.name = "Mine";
    expect(error.name).toBe("Mine");
    expect(new APIError("m", answered).name).toBe("APIError");
    const nameOf = (type: { prototype: object }) => Object.getOwnPropertyDescriptor(type.prototype, "name");
    expect(nameOf(APIError)).toEqual({ ...nameOf(Error), value: "APIError" });
    Object.assign(error, { code: "d" });
    expect(error.code).toBe("d");
    Object.defineProperty(error, "body", { value: "c" });
    expect(error.body).toBe("c");
    Object.defineProperty(error, "code", { enumerable: false });
    expect(Object.keys(error)).not.toContain("code");
  });

  it("of an unreadable answer keep 4 KB of its text", () => {
    expect(new InvalidResponseError("m", { body: "x".repeat(5_000) }).body).toBe("x".repeat(4_096));
  });

  it("of a request list every problem; the values are reachable, but not printed", () => {
    const error = new InvalidRequestError(
      [
        { field: "model", message: "is required", value: "a prompt" },
        { field: "n", message: "is too large" },
      ],
      { path: "/videos" },
    );
    expect(error.message).toBe("The request was not sent: model is required; n is too large.");
    expect(error.field).toBe("model");
    expect(error.path).toBe("/videos");
    expect(error.problems[0]?.value).toBe("a prompt");
    expect(error.problems[1]).not.toHaveProperty("value");
    expect(inspect(error)).not.toContain("a prompt");
    expect(new InvalidRequestError([]).field).toBeUndefined();
  });
});
