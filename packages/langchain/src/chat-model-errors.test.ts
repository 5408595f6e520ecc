import { ContextOverflowError, getRetryable } from "@langchain/core/errors";
import {
  AuthenticationError,
  type GatewayError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  StreamInterruptedError,
} from "@model-gateway/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect } from "../test/read-every-way.js";
import {
  completion,
  ending,
  event,
  type ScriptedGateway,
  startScriptedGateway,
} from "../test/scripted-gateway.js";
import { ChatModelGateway } from "./index.js";

let gateway: ScriptedGateway;
let model: ChatModelGateway;
beforeAll(async () => {
  gateway = await startScriptedGateway();
  model = new ChatModelGateway("m", { ...gateway.connection, maxRetries: 0 });
});
afterAll(() => gateway.close());

function failure(status: number, code: string, message: string, headers?: Record<string, string>) {
  return { status, headers, json: { error: { message, type: "t", code } } };
}

/** Every call a user makes, for failures that must look alike in all of them. */
const CALLS: Record<string, () => Promise<unknown>> = {
  invoke: () => model.invoke("Hi"),
  stream: async () => collect(await model.stream("Hi")),
  streamEvents: async () => model.streamEvents("Hi"),
  batch: () => model.batch(["Hi"]),
};

async function caught(call: () => Promise<unknown>): Promise<GatewayError & { lc_error_code?: string }> {
  const error = await call().then(
    () => new Error("The call succeeded."),
    (thrown: unknown) => thrown,
  );
  return error as GatewayError & { lc_error_code?: string };
}

describe.each(Object.entries(CALLS))("errors of %s", (_name, call) => {
  it("keep the gateway's class and carry LangChain's code", async () => {
    gateway.script(failure(401, "invalid_key", "No such key", { "x-request-id": "r-1" }));
    const unauthorised = await caught(call);
    expect(AuthenticationError.isInstance(unauthorised)).toBe(true);
    expect(unauthorised).toMatchObject({
      lc_error_code: "MODEL_AUTHENTICATION",
      kind: "authentication",
      requestId: "r-1",
    });
    expect(getRetryable(unauthorised)).toBe(false);

    gateway.script(failure(404, "model_not_found", "No such model"));
    const missing = await caught(call);
    expect(NotFoundError.isInstance(missing)).toBe(true);
    expect(missing.lc_error_code).toBe("MODEL_NOT_FOUND");

    gateway.script(failure(403, "insufficient_quota", "Balance is used up"));
    const poor = await caught(call);
    expect(PermissionDeniedError.isInstance(poor)).toBe(true);
    expect(getRetryable(poor)).toBe(false);
  });

  it("are marked as worth a retry where they are, without LangChain's own loop stepping in", async () => {
    gateway.script(failure(429, "busy", "Slow down"));
    const before = gateway.received.length;
    const limited = await caught(call);
    expect(RateLimitError.isInstance(limited)).toBe(true);
    expect(limited.lc_error_code).toBe("MODEL_RATE_LIMIT");
    expect(getRetryable(limited)).toBe(true);
    expect(gateway.received).toHaveLength(before + 1);
  });

  it("become ContextOverflowError, with the status, when the input is too long", async () => {
    gateway.script(failure(400, "context_length_exceeded", "Too many tokens"));
    const error = await caught(call);
    expect(ContextOverflowError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ lc_error_code: "CONTEXT_OVERFLOW", status: 400, kind: "bad_request" });
    expect(getRetryable(error)).toBe(false);
  });

  it("never hold the key", async () => {
    gateway.script(failure(401, "invalid_key", "The key sk-scripted-secret is unknown"));
    const error = await caught(call);
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain("sk-scripted-secret");
  });
});

describe("retries", () => {
  const retrying = () => new ChatModelGateway("m", gateway.connection);
  const busy = () => failure(429, "busy", "Slow down", { "retry-after-ms": "1" });

  it("are the client's, two by default", async () => {
    gateway.script(busy(), busy(), completion({ content: "ok" }));
    expect((await retrying().invoke("Hi")).text).toBe("ok");
    gateway.script(busy());
    const before = gateway.received.length;
    await expect(retrying().invoke("Hi")).rejects.toMatchObject({ attempts: 3 });
    expect(gateway.received).toHaveLength(before + 3);
  });

  it("follow a call's own maxRetries, in streams too", async () => {
    gateway.script(busy());
    await expect(retrying().invoke("Hi", { maxRetries: 0 })).rejects.toMatchObject({ attempts: 1 });
    await expect(retrying().stream("Hi", { maxRetries: 1 })).rejects.toMatchObject({ attempts: 2 });
    await expect(retrying().streamEvents("Hi", { maxRetries: 1 })).rejects.toMatchObject({ attempts: 2 });
  });

  it("stay in the client with maxConcurrency, whose queue would rewrite errors", async () => {
    gateway.script(failure(429, "busy", "Slow down"));
    const error = await caught(() =>
      new ChatModelGateway("m", { ...gateway.connection, maxRetries: 0, maxConcurrency: 1 }).invoke("Hi"),
    );
    expect(error.name).toBe("RateLimitError");
    expect(error.attempts).toBe(1);
  });
});

describe("a stream that breaks", () => {
  it.each(["close", "destroy"] as const)("is an error with what had arrived (%s)", async (end) => {
    gateway.script({ events: [event({ content: "Half an ans" })], end });
    const texts: string[] = [];
    const error = await caught(async () => {
      for await (const chunk of await model.stream("Hi")) texts.push(chunk.text);
    });
    expect(StreamInterruptedError.isInstance(error)).toBe(true);
    expect(texts).toEqual(["Half an ans"]);
    await expect(model.streamEvents("Hi")).rejects.toSatisfy(StreamInterruptedError.isInstance);
  });

  it("is none when only the end marker is missing", async () => {
    gateway.script({ events: [event({ content: "Whole" }), ...ending()], end: "close" });
    expect((await collect(await model.stream("Hi"))).text).toBe("Whole");
  });

  it("is the gateway's error when the gateway reports one inside it", async () => {
    gateway.script({
      events: [event({ content: "Half" }), { error: { message: "Overloaded", code: "overloaded" } }],
    });
    await expect(collect(await model.stream("Hi"))).rejects.toThrow("Overloaded");
  });
});

describe("aborting", () => {
  it("sends nothing when the signal is aborted already", async () => {
    const before = gateway.received.length;
    const signal = AbortSignal.abort();
    await expect(model.invoke("Hi", { signal })).rejects.toMatchObject({ name: "AbortError" });
    await expect(async () => collect(await model.stream("Hi", { signal }))).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(gateway.received).toHaveLength(before);
  });

  it("closes the connection of a call that is under way", async () => {
    gateway.script({ silent: true });
    const controller = new AbortController();
    const arrived = gateway.nextRequest();
    const call = model.invoke("Hi", { signal: controller.signal });
    const rejected = expect(call).rejects.toMatchObject({ name: "AbortError" });
    await arrived;
    controller.abort();
    await rejected;
    await gateway.disconnected();
  });

  it("ends a stream with the signal's reason", async () => {
    gateway.script({ events: [event({ content: "One" }), event({ content: "Two" }), ...ending()] });
    const controller = new AbortController();
    await expect(async () => {
      for await (const _chunk of await model.stream("Hi", { signal: controller.signal })) controller.abort();
    }).rejects.toMatchObject({ name: "AbortError" });
  });

  it("happens by itself after a call's timeout", async () => {
    gateway.script({ silent: true });
    const error = await caught(() => model.invoke("Hi", { timeout: 20 }));
    expect(error.name).toBe("TimeoutError");
    expect(getRetryable(error)).toBe(false);
  });
});
