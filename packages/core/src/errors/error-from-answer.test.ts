import { describe, expect, it } from "vitest";
import {
  APIError,
  AuthenticationError,
  BadRequestError,
  GatewayError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "../index.js";
import { judgeStatus } from "../transport/status-table.js";
import { errorFromAnswer, meaningOf } from "./error-from-answer.js";
import type { ErrorBody } from "./read-error-body.js";

const build = (status: number, body: ErrorBody) => errorFromAnswer("message", body, { status });

describe("errorFromAnswer", () => {
  it.each<[number, ErrorBody, typeof APIError, string, boolean]>([
    [400, {}, BadRequestError, "bad_request", true],
    [422, {}, BadRequestError, "bad_request", true],
    [401, {}, AuthenticationError, "authentication", true],
    [403, {}, PermissionDeniedError, "permission_denied", true],
    [404, {}, NotFoundError, "not_found", true],
    [429, {}, RateLimitError, "rate_limit", false],
    [500, {}, InternalServerError, "server", false],
    [502, {}, InternalServerError, "server", false],
    [501, { code: "api_not_implemented" }, InternalServerError, "server", true],
    [408, {}, APIError, "api", false],
    [409, {}, APIError, "api", true],
    [503, { code: "model_not_found" }, NotFoundError, "not_found", true],
    [402, {}, PermissionDeniedError, "permission_denied", true],
    [429, { code: "insufficient_quota" }, PermissionDeniedError, "permission_denied", true],
    [429, { code: "1102" }, PermissionDeniedError, "permission_denied", true],
    [401, { message: "该令牌额度已用尽" }, PermissionDeniedError, "permission_denied", true],
    [200, { code: "429" }, RateLimitError, "rate_limit", false],
    [200, { type: "upstream_error" }, InternalServerError, "server", false],
    [200, { type: "rate_limit_error" }, RateLimitError, "rate_limit", false],
    [200, { message: "who knows" }, APIError, "api", false],
  ])("%i %j", (status, body, errorClass, kind, permanent) => {
    const error = build(status, body);
    expect(error).toBeInstanceOf(errorClass);
    expect(error.name).toBe(errorClass.name);
    expect(error.kind).toBe(kind);
    expect(error.status).toBe(status);
    const meaning = meaningOf(status, body);
    expect(meaning >= 400 && judgeStatus(meaning).retry === "never").toBe(permanent);
  });

  it("tells an exhausted quota from a model that is not allowed", () => {
    expect(build(403, { code: "insufficient_user_quota" })).toMatchObject({ insufficientQuota: true });
    expect(build(403, { message: "Insufficient balance" })).toMatchObject({ insufficientQuota: true });
    expect(build(403, { message: "Model not allowed for this token" })).toMatchObject({
      insufficientQuota: false,
    });
  });

  it("is recognised across copies of the package, and by the classes above it only", () => {
    const error = build(429, {});
    expect(RateLimitError.isInstance(error)).toBe(true);
    expect(APIError.isInstance(error)).toBe(true);
    expect(GatewayError.isInstance(error)).toBe(true);
    expect(NotFoundError.isInstance(error)).toBe(false);
    const foreign = Object.create({ [Symbol.for("@model-gateway/core.error.RateLimitError")]: true });
    expect(RateLimitError.isInstance(foreign)).toBe(true);
    for (const other of [undefined, null, "x", {}, new Error("x")])
      expect(GatewayError.isInstance(other)).toBe(false);
  });
});
