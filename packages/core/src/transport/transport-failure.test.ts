import { describe, expect, it } from "vitest";
import { findErrorCode, isUnsentError } from "./transport-failure.js";

const error = (fields: object, cause?: unknown) =>
  Object.assign(new Error("fetch failed", { cause }), fields);

describe("a failure without an answer", () => {
  it.each<[string, unknown, boolean]>([
    ["a refused connection", error({}, error({ code: "ECONNREFUSED", syscall: "connect" })), true],
    ["a refused connection that names no system call", error({ code: "ECONNREFUSED" }), true],
    ["a name that nobody knows", error({ code: "ENOTFOUND", syscall: "getaddrinfo" }), true],
    ["a resolver that is busy", error({ code: "EAI_AGAIN" }), true],
    ["a wrong certificate", error({}, error({ code: "ERR_TLS_CERT_ALTNAME_INVALID" })), true],
    ["no connection in time", error({ code: "UND_ERR_CONNECT_TIMEOUT" }), true],
    ["no way to the host while connecting", error({ code: "EHOSTUNREACH", syscall: "connect" }), true],
    ["no way to the network while connecting", error({ code: "ENETUNREACH", syscall: "connect" }), true],
    ["no address of one's own", error({ code: "EADDRNOTAVAIL", syscall: "connect" }), true],
    ["a time-out of the system while connecting", error({ code: "ETIMEDOUT", syscall: "connect" }), true],
    ["several addresses, all refused", error({ errors: [error({ code: "ECONNREFUSED" })] }), true],
    ["Bun's refused connection", error({ code: "ConnectionRefused" }), true],
    [
      "Deno's refused connection",
      new TypeError("error sending request: client error (Connect): refused"),
      true,
    ],
    ["Deno's unknown name", new TypeError("client error: dns error: failed to lookup address"), true],
    ["workerd's refused connection", new Error("connect(): Connection refused"), true],
    ["workerd's unknown name", new Error("DNS lookup failed."), true],
    ["a lost way to the host while reading", error({ code: "EHOSTUNREACH", syscall: "read" }), false],
    ["a lost way to the network while writing", error({ code: "ENETUNREACH", syscall: "write" }), false],
    ["a lost way that names no system call", error({ code: "EHOSTUNREACH" }), false],
    ["a time-out of the system while reading", error({ code: "ETIMEDOUT", syscall: "read" }), false],
    ["a reset", error({ code: "ECONNRESET", syscall: "read" }), false],
    ["a closed socket", error({}, error({ code: "UND_ERR_SOCKET" })), false],
    ["an error without any sign", new TypeError("fetch failed"), false],
    ["what is no error", "ECONNREFUSED", false],
    ["nothing", undefined, false],
  ])("that is %s", (_name, failure, unsent) => {
    expect(isUnsentError(failure)).toBe(unsent);
  });

  it.each([
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "CERT_HAS_EXPIRED",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "FailedToOpenSocket",
    "UnableToConnect",
  ])("that is %s came before the request", (code) => {
    expect(isUnsentError(error({}, error({ code })))).toBe(true);
  });

  it("may have null for a cause", () => {
    expect(isUnsentError({ cause: null })).toBe(false);
    expect(findErrorCode(null)).toBeUndefined();
  });

  it("is looked for five causes deep, and no deeper", () => {
    const nested = (depth: number): unknown =>
      depth === 0 ? error({ code: "ECONNREFUSED" }) : error({}, nested(depth - 1));
    expect([findErrorCode(nested(4)), isUnsentError(nested(4))]).toEqual(["ECONNREFUSED", true]);
    expect([findErrorCode(nested(5)), isUnsentError(nested(5))]).toEqual([undefined, false]);
  });

  it("ends for errors that are their own cause", () => {
    const circular: { cause?: unknown } = {};
    circular.cause = circular;
    expect([findErrorCode(circular), isUnsentError(circular)]).toEqual([undefined, false]);
  });

  it("has the first code that is text", () => {
    expect(findErrorCode(error({ code: 7 }, error({ code: "ECONNRESET" })))).toBe("ECONNRESET");
  });
});
