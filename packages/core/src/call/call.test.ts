import { describe, expect, it } from "vitest";
import { API_KEY } from "../../test/gateways.js";
import { parseAddress } from "../config/addresses.js";
import { type Call, checkRequestOptions, pathOn, type RequestOptions, readRequestId } from "./call.js";

describe("the path of a call", () => {
  it.each([
    ["https://g.example/v1", false, "/v1/models"],
    ["https://g.example/v1", true, "/models"],
    ["https://g.example/api/v12", true, "/api/models"],
    ["https://g.example/v1/api", true, "/v1/api/models"],
    ["https://g.example/v1x", true, "/v1x/models"],
    ["https://g.example/va", true, "/va/models"],
    ["https://g.example", true, "/models"],
  ])("on %s without version %s is %s", (base, unversioned, path) => {
    const call: Call = {
      name: "n",
      method: "GET",
      path: "/models",
      cost: "read",
      defaultTimeoutMs: 1,
      unversioned,
    };
    expect(pathOn(parseAddress("general", base), call)).toBe(path);
  });
});

describe("the id of a request", () => {
  const idOf = (fields: Record<string, string>) =>
    readRequestId({ get: (name) => fields[name], toRecord: () => fields }, API_KEY);

  it.each<[Record<string, string>, string | undefined]>([
    [{ "x-request-id": "a", "x-oneapi-request-id": "b", "request-id": "c" }, "a"],
    [{ "x-oneapi-request-id": "b", "request-id": "c" }, "b"],
    [{ "x-request-id": "", "request-id": "c" }, "c"],
    [{ "x-trace-id": "d" }, undefined],
    [{ "x-request-id": `id-${API_KEY}` }, "id-sk-***"],
  ])("in %j is %s", (fields, id) => {
    expect(idOf(fields)).toBe(id);
  });
});

describe("the options of a call", () => {
  it("are taken where they exist and can be kept", () => {
    const options: Required<RequestOptions> = {
      signal: new AbortController().signal,
      timeout: 1,
      deadline: 1,
      connectTimeout: 1,
      maxRetries: 0,
      headers: { "x-a": "b" },
      route: "cdn",
      idempotencyKey: "k",
      retryBillable: true,
      budgetTag: "t1",
    };
    expect(() => checkRequestOptions(options, "x")).not.toThrow();
  });

  it.each([
    ["timeout", { timeout: 0 }],
    ["deadline", { deadline: -1 }],
    ["connectTimeout", { connectTimeout: Number.NaN }],
    ["maxRetries", { maxRetries: 0.5 }],
    ["headers", { headers: { authorization: "x" } }],
    ["retries", { retries: 1 }],
  ])("are refused by the name %s", (option, options) => {
    expect(() => checkRequestOptions(options as RequestOptions, "models.list")).toThrow(
      expect.objectContaining({ kind: "configuration", option }),
    );
  });
});
