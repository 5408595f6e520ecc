import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { sendJSON, startServer } from "../../test/scripted-server.js";
import { ConfigurationError, ModelGateway } from "../index.js";
import { checkOptionNames } from "./check-option-names.js";

const KNOWN = ["baseURL", "headers", "maxRetries", "timeout", "fetch"];
const refusal = (options: object) => {
  try {
    checkOptionNames(options, KNOWN, "new Client()");
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe("names of options", () => {
  it.each([
    ["defaultHeaders", "headers"],
    ["base_url", "baseURL"],
    ["baseUrl", "baseURL"],
    ["max_retries", "maxRetries"],
    ["maxRetry", "maxRetries"],
    ["timeOut", "timeout"],
    ["timeoutMs", "timeout"],
    ["httpAgent", "fetch"],
    ["headres", "headers"],
    ["retries", "maxRetries"],
  ])("%s is refused with the nearest that exists: %s", (given, nearest) => {
    expect(refusal({ [given]: 1 })).toContain(
      `"${given}" of new Client() does not exist; did you mean ${nearest}?`,
    );
  });

  it.each([
    ["baseurl", "baseURL"],
    ["base-path", "baseURL"],
    ["baseApi", "baseURL"],
    ["default_headers", "headers"],
    ["extraHeaders", "headers"],
    ["defaultQuery", "fetch"],
    ["http_agent", "fetch"],
    ["httpClient", "fetch"],
    ["fetchOptions", "fetch"],
    ["proxy", "fetch"],
    ["apiToken", "apiKey"],
    ["token", "apiKey"],
    ["key", "apiKey"],
    ["timeoutMs", "timeout"],
    ["requestTimeout", "timeout"],
    ["streamTimeout", "streamIdleTimeout"],
    ["abortSignal", "signal"],
    ["log", "logger"],
  ])("%s, as others call it, is refused with what it is called here: %s", (given, ours) => {
    // No other name is near, so that nothing but the meaning leads to it.
    expect(() => checkOptionNames({ [given]: 1 }, [ours, "unlike"], "x")).toThrow(`did you mean ${ours}?`);
    // Where it does not exist, it is not proposed.
    expect(() => checkOptionNames({ [given]: 1 }, ["unlike"], "x")).toThrow("known are unlike");
  });

  it.each([
    ["abcdefgh", "abcdefgh__", true],
    ["abcdefgh", "abcdefghxyz", true],
    ["abcdefgh", "abcde", true],
    ["abcdefgh", "xyzdefgh", true],
    ["abcdefgh", "abcdxyzh", true],
    ["abcdefgh", "xbcxefgx", true],
    ["abcdefgh", "abxcxdefgh", true],
    ["abcdefgh", "abcdefghwxyz", false],
    ["abcdefgh", "wxyzefgh", false],
    ["abcdef", "abcxyz", false],
    ["abcdef", "abcdxy", true],
    ["ab", "ac", false],
    ["abc", "abd", true],
  ])("of %s, %s is a slip: %s (three letters at most, and fewer than half of them)", (known, given, slip) => {
    expect(() => checkOptionNames({ [given]: 1 }, [known], "x")).toThrow(
      slip ? `did you mean ${known}?` : `known are ${known}`,
    );
  });

  it("are proposed by how near they are, the first of equals", () => {
    expect(() => checkOptionNames({ maxRetrys: 1 }, ["maxTries", "maxRetry", "maxRetrxs"], "x")).toThrow(
      "did you mean maxRetry?",
    );
    expect(() => checkOptionNames({ abcdefgh: 1 }, ["abcdefxx", "abcdefgx"], "x")).toThrow("mean abcdefgx?");
  });

  it("that are near to none are refused with all that exist", () => {
    expect(refusal({ colour: "red" })).toMatch(
      /; known are baseURL, headers, maxRetries, timeout, fetch\. Nothing was sent\.$/,
    );
    expect(refusal({ ["x".repeat(100_000)]: 1 })?.length).toBeLessThan(400);
  });

  it("that others use and that are near lead to ours", () => {
    expect(() => checkOptionNames({ concurrency: 1 }, ["maxConcurrency"], "x")).toThrow(
      "mean maxConcurrency?",
    );
  });

  it("that exist, or are not set, are taken", () => {
    expect(refusal({ timeout: 1, headers: undefined, defaultHeaders: undefined })).toBeUndefined();
    expect(() => checkOptionNames(undefined, KNOWN, "x")).not.toThrow();
    expect(() => checkOptionNames("text" as unknown as object, KNOWN, "x")).toThrow(
      "The options of x must be an object.",
    );
    expect(() => checkOptionNames(null as unknown as undefined, KNOWN, "x")).not.toThrow();
  });

  it("are checked for clients, for their addresses and for calls, before anything is sent", async () => {
    const options = { apiKey: "sk-abcdefgh", baseURL: "http://127.0.0.1:9/v1" };
    expect(() => new ModelGateway({ ...options, defaultHeaders: {} } as never)).toThrow(
      /did you mean headers/,
    );
    expect(() => new ModelGateway({ ...options, endpoints: { CDN: "x" } as never })).toThrow(
      /did you mean cdn/,
    );
    const server = await startServer((_request, response) => sendJSON(response, { data: [] }));
    const gateway = gatewayFor(server.url);
    const misspelt = { maxRetry: 0 } as never;
    const calls = [
      gateway.models.list(misspelt),
      gateway.chat.completions.create({ model: "m", messages: [{ role: "user", content: "x" }] }, misspelt),
      gateway.embeddings.create({ model: "m", input: "x" }, misspelt),
      gateway.download("https://example.com/a.png", misspelt),
      gateway.request({ method: "GET", path: "/x", maxRetry: 0 } as never),
    ];
    for (const error of await Promise.all(calls.map((call) => errorOf(call as Promise<unknown>)))) {
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({ option: "maxRetry" });
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe("headers that belong to the connection", () => {
  it.each([
    "Expect",
    "content-length",
    "Transfer-Encoding",
    "connection",
    "host",
    "TE",
    "upgrade",
    "trailer",
    "keep-alive",
  ])("%s is refused: with a wrong one nobody can tell whether a request arrived", async (name) => {
    const options = { apiKey: "sk-abcdefgh", baseURL: "http://127.0.0.1:9/v1" };
    expect(() => new ModelGateway({ ...options, headers: { [name]: "1" } })).toThrow(
      /belongs to the connection/,
    );
    const error = await errorOf(new ModelGateway(options).models.list({ headers: { [name]: "1" } }));
    expect(error).toMatchObject({ kind: "configuration", option: "headers", attempts: 0 });
  });
});
