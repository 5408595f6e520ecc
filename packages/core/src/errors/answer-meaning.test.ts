import { describe, expect, it } from "vitest";
import { judgeStatus } from "../call/status-table.js";
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
import { classOf, isQuotaExhausted, meaningOf } from "./answer-meaning.js";
import type { ErrorBody } from "./read-error-body.js";

const build = (status: number, body: ErrorBody) =>
  new (classOf(meaningOf(status, body)))("message", {
    status,
    insufficientQuota: isQuotaExhausted(status, body),
  });

describe("classOf", () => {
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

  it.each([
    "insufficient_quota",
    "insufficient_user_quota",
    "pre_consume_token_quota_failed",
    "quota_exceeded",
    "QuotaExceeded",
    "budget_exceeded",
    "AccountOverdueError",
    "Arrearage",
    "billing_hard_limit_reached",
    "1101",
    "1102",
  ])("no money is left where code or type is %s, whatever the status", (word) => {
    for (const body of [{ code: word }, { type: word }]) {
      for (const status of [200, 400, 429, 500]) {
        expect(build(status, body)).toMatchObject({ kind: "permission_denied", insufficientQuota: true });
      }
    }
  });

  it.each([
    "用户额度不足",
    "账户余额不足",
    "账号已欠费",
    "Quota is used up",
    "your balance is low",
    "Insufficient credits",
    "insufficient funds",
  ])("no money is left where 401 and 403 say so: %s", (message) => {
    for (const status of [401, 403])
      expect(build(status, { message })).toMatchObject({ insufficientQuota: true });
    expect(build(400, { message }).kind).toBe("bad_request");
    expect(build(429, { message }).kind).toBe("rate_limit");
  });

  it.each(["load balancer", "quotation marks", "insufficient rights", "unbalanced"])(
    "a permission is missing where 403 speaks of other things: %s",
    (message) => {
      expect(build(403, { message })).toMatchObject({ kind: "permission_denied", insufficientQuota: false });
    },
  );

  it.each<[ErrorBody, number]>([
    [{ code: "400" }, 400],
    [{ code: "599" }, 599],
    [{ code: "399" }, 200],
    [{ code: "600" }, 200],
    [{ code: "1200" }, 200],
    [{ code: "model_not_found", type: "invalid_request_error" }, 404],
    [{ code: "task_not_exist" }, 404],
    [{ code: "x", type: "rate_limit_error" }, 429],
    [{ type: "Throttling.User" }, 429],
    [{ type: "authentication_error" }, 401],
    [{ type: "PERMISSION_ERROR" }, 403],
    [{ type: "invalid_request_error" }, 400],
    [{ type: "server_error" }, 500],
    [{ type: "API_Error" }, 500],
    [{ type: "upstream_error" }, 500],
    [{ type: "overloaded_error" }, 500],
    [{ type: "Authentication" }, 401],
    [{ type: "Invalid_Request" }, 400],
    [{ type: "other" }, 200],
    [{}, 200],
  ])("%j inside a successful answer stands for %i", (body, meaning) => {
    expect(meaningOf(200, body)).toBe(meaning);
  });

  it("takes the status of a failed answer for what it means", () => {
    expect(meaningOf(400, { code: "500", type: "rate_limit_error" })).toBe(400);
    expect(meaningOf(402, {})).toBe(403);
    expect(build(402, {})).toMatchObject({ insufficientQuota: true });
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
