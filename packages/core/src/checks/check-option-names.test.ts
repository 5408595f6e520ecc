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
  ])("%s is refused with the nearest that exists: %s", (given, nearest) => {
    expect(refusal({ [given]: 1 })).toContain(
      `"${given}" of new Client() does not exist; did you mean ${nearest}?`,
    );
  });

  it("that are near to none are refused with all that exist", () => {
    expect(refusal({ colour: "red" })).toContain("known are baseURL, headers, maxRetries, timeout, fetch");
    expect(refusal({ ["x".repeat(100_000)]: 1 })?.length).toBeLessThan(400);
  });

  it("that exist, or are not set, are taken", () => {
    expect(refusal({ timeout: 1, headers: undefined, defaultHeaders: undefined })).toBeUndefined();
    expect(() => checkOptionNames(undefined, KNOWN, "x")).not.toThrow();
    expect(() => checkOptionNames("text" as unknown as object, KNOWN, "x")).toThrow("must be an object");
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
