import { APICallError, InvalidArgumentError, LoadAPIKeyError, LoadSettingError } from "@ai-sdk/provider";
import { embed, generateText, experimental_generateVideo as generateVideo } from "ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { COMPLETION, onScript, sendJSON } from "../test/servers.js";
import { createModelGateway } from "./index.js";

const FAST = { "retry-after-ms": "1" };
const ERROR = { error: { message: "busy", type: "server_error", code: "overloaded" } };

afterEach(() => {
  vi.unstubAllEnvs();
});

async function errorOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Expected a rejection.");
}

describe("retries", () => {
  it.each([0, 1, 3])("make exactly one request more than maxRetries %i", async (maxRetries) => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, ERROR, 503, FAST));
    await errorOf(generateText({ model: modelGateway("m"), prompt: "hi", maxRetries }));
    expect(requests).toHaveLength(1 + maxRetries);
  });

  it("do not repeat what stays wrong", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { error: { message: "no", code: "model_not_found" } }, 503),
    );
    await errorOf(embed({ model: modelGateway.embedding("m"), value: "x" }));
    expect(requests).toHaveLength(1);
  });

  it("never submit a video twice after an answer that leaves its outcome open", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, ERROR, 502));
    const error = await errorOf(
      generateVideo({ model: modelGateway.video("m"), prompt: "fox", maxRetries: 5 }),
    );
    expect(requests).toHaveLength(1);
    expect(error).toMatchObject({ isRetryable: false, statusCode: 502 });
    expect((error as Error).message).toContain("outcome is unknown");
  });

  it("submit a video again after 429, under one idempotency key", async () => {
    const { modelGateway, requests } = await onScript((response, count) =>
      count === 1 ? sendJSON(response, ERROR, 429, FAST) : sendJSON(response, ERROR, 400),
    );
    await errorOf(generateVideo({ model: modelGateway.video("m"), prompt: "fox" }));
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toMatch(/^aisdk_vid_/);
  });
});

describe("errors", () => {
  it("carry status, headers and body, and no prompt", async () => {
    const { modelGateway, origin } = await onScript((response) =>
      sendJSON(response, ERROR, 400, { "x-request-id": "r" }),
    );
    const error = await errorOf(generateText({ model: modelGateway("m"), prompt: "a secret prompt" }));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      statusCode: 400,
      isRetryable: false,
      url: `${origin}/v1/chat/completions`,
      responseHeaders: { "x-request-id": "r" },
      responseBody: JSON.stringify(ERROR),
      data: ERROR,
    });
    expect(JSON.stringify(error)).not.toContain("secret prompt");
  });

  it("are the SDK's own for a missing key, a missing address and a bad request", async () => {
    vi.stubEnv("MODEL_GATEWAY_API_KEY", undefined);
    vi.stubEnv("MODEL_GATEWAY_BASE_URL", undefined);
    const keyless = createModelGateway({ baseURL: "https://gateway.example/v1" });
    expect(
      LoadAPIKeyError.isInstance(await errorOf(generateText({ model: keyless("m"), prompt: "x" }))),
    ).toBe(true);
    const homeless = createModelGateway({ apiKey: "sk-x" });
    expect(
      LoadSettingError.isInstance(await errorOf(generateText({ model: homeless("m"), prompt: "x" }))),
    ).toBe(true);
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, COMPLETION));
    const error = await errorOf(generateText({ model: modelGateway("m"), prompt: "x", temperature: 9 }));
    expect(InvalidArgumentError.isInstance(error)).toBe(true);
    expect((error as Error).message).toContain("temperature");
    expect(requests).toHaveLength(0);
  });

  it("name the key only when the key is what is wrong", async () => {
    const call = (settings: object) =>
      errorOf(generateText({ model: createModelGateway(settings)("m"), prompt: "x" }));
    const baseURL = "https://gateway.example/v1";
    expect(LoadAPIKeyError.isInstance(await call({ apiKey: " ", baseURL }))).toBe(true);
    expect(LoadSettingError.isInstance(await call({ apiKey: "sk-x", baseURL: "no address" }))).toBe(true);
    // Its message speaks of the API key, too.
    vi.stubGlobal("window", { document: {} });
    vi.stubGlobal("navigator", {});
    expect(LoadSettingError.isInstance(await call({ apiKey: "sk-x", baseURL }))).toBe(true);
    vi.unstubAllGlobals();
  });

  it("pass an abort on as the caller's reason", async () => {
    const { modelGateway } = await onScript(() => {});
    const controller = new AbortController();
    const call = errorOf(
      generateText({ model: modelGateway("m"), prompt: "x", abortSignal: controller.signal }),
    );
    const reason = new DOMException("user left", "AbortError");
    controller.abort(reason);
    expect(await call).toBe(reason);
  });
});
