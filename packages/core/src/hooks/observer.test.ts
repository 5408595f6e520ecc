import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor } from "../../test/gateways.js";
import {
  chunk,
  completion,
  errorBody,
  sendEvents,
  sendJSON,
  startServer,
  unusedAddress,
} from "../../test/scripted-server.js";
import { ConfigurationError, type GatewayHooks, type GatewayLogger } from "../index.js";
import { createObserver, createWarner, type LogLevel } from "./observer.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "my secret prompt" }] };
const HERE = {
  call: "chat.completions.create",
  method: "POST",
  path: "/chat/completions",
  address: "general",
  model: CHAT.model,
};

/** Hooks that note everything they are told. */
function recorder(): { told: Array<[string, Record<string, unknown>]>; hooks: GatewayHooks } {
  const told: Array<[string, Record<string, unknown>]> = [];
  const note = (name: string) => (event: object) => void told.push([name, { ...event }]);
  return {
    told,
    hooks: {
      onRequest: note("request"),
      onResponse: note("response"),
      onRetry: note("retry"),
      onFailover: note("failover"),
      onFailure: note("failure"),
      onStreamEnd: note("streamEnd"),
    },
  };
}

function lines(): { written: string[]; logger: GatewayLogger } {
  const written: string[] = [];
  const write = (level: string) => (message: string) => void written.push(`${level}: ${message}`);
  return {
    written,
    logger: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
  };
}

describe("hooks", () => {
  it("are told of requests, retries and responses with usage, durations and request ids", async () => {
    const server = await startServer((_request, response, count) =>
      count === 1
        ? sendJSON(response, errorBody(`busy ${API_KEY}`), 503, {
            "retry-after-ms": "1",
            "x-request-id": "r-1",
          })
        : sendJSON(response, completion("ok"), 200, { "x-request-id": "r-2" }),
    );
    const { told, hooks } = recorder();
    await gatewayFor(server.url, { hooks }).chat.completions.create(CHAT);
    expect(told).toMatchObject([
      ["request", { ...HERE, attempt: 1 }],
      ["response", { ...HERE, attempt: 1, status: 503, requestId: "r-1", ms: expect.any(Number) }],
      ["retry", { ...HERE, attempt: 1, reason: "answered 503", delayMs: 1 }],
      ["request", { ...HERE, attempt: 2 }],
      ["response", { ...HERE, attempt: 2, status: 200, requestId: "r-2", usage: { total_tokens: 3 } }],
    ]);
    const everything = inspect(told, { depth: Number.POSITIVE_INFINITY });
    expect(everything).not.toContain(API_KEY);
    expect(everything).not.toContain("secret prompt");
  });

  it("are told how each stream ended", async () => {
    const server = await startServer((_request, response, count) => {
      sendEvents(response, [chunk("a")]);
      if (count === 1) {
        response.write(
          `data: ${JSON.stringify({ ...(chunk("", "stop") as object), usage: { total_tokens: 9 } })}\n\n`,
        );
        response.end("data: [DONE]\n\n");
      }
      if (count === 2) response.end();
    });
    const { told, hooks } = recorder();
    const gateway = gatewayFor(server.url, { hooks });
    const open = () => gateway.chat.completions.create({ ...CHAT, stream: true });
    await (await open()).finalCompletion();
    await errorOf((await open()).finalCompletion());
    for await (const _chunk of await open()) break;
    const aborted = await open();
    const reading = errorOf(aborted.finalCompletion());
    aborted.abort();
    await reading;
    const ends = told.filter(([name]) => name === "streamEnd").map(([, event]) => event);
    expect(ends.map(({ outcome }) => outcome)).toEqual(["complete", "interrupted", "left", "left"]);
    expect(ends[0]).toMatchObject({
      ...HERE,
      attempt: 1,
      usage: { total_tokens: 9 },
      ms: expect.any(Number),
    });
  });

  it("are told of a failover", async () => {
    const cdn = await startServer((_request, response) => sendJSON(response, completion("ok")));
    const { told, hooks } = recorder();
    const gateway = gatewayFor(await unusedAddress(), {
      hooks,
      route: "failover",
      endpoints: { cdn: cdn.url },
    });
    await gateway.chat.completions.create(CHAT);
    expect(told.map(([name]) => name)).toEqual(["request", "failover", "request", "response"]);
    expect(told[1]?.[1]).toMatchObject({ address: "general", to: "cdn" });
  });

  it("are told once of a call that failed for good, and whether it may have been paid", async () => {
    const server = await startServer(({ path }, response) => {
      if (path.endsWith("/models")) sendJSON(response, { list: [] }, 200, { "x-request-id": "r-1" });
      else if (path.endsWith("/images/generations")) response.destroy();
      else sendJSON(response, errorBody(`not you, ${API_KEY}`), 403);
    });
    const { told, hooks } = recorder();
    const gateway = gatewayFor(server.url, { hooks, maxRetries: 1 });
    await errorOf(gateway.chat.completions.create(CHAT));
    await errorOf(gateway.images.generate({ model: "m", prompt: "x" }));
    await errorOf(gateway.models.list());
    await errorOf(gateway.chat.completions.create({ ...CHAT, messages: [] }));
    const failures = told.filter(([name]) => name === "failure").map(([, event]) => event);
    expect(failures).toEqual([
      { ...HERE, attempt: 1, kind: "permission_denied", status: 403, maybeProcessed: false },
      {
        ...{ call: "images.generate", method: "POST", path: "/images/generations", address: "general" },
        ...{ model: "m", attempt: 1, kind: "connection", maybeProcessed: true },
      },
      {
        ...{ call: "models.list", method: "GET", path: "/models", address: "general", attempt: 1 },
        ...{ kind: "invalid_response", status: 200, maybeProcessed: false, requestId: "r-1" },
      },
    ]);
    expect(told.at(-1)?.[0]).toBe("failure");
  });

  it("are told, too, of an answer that is there and not what was asked for", async () => {
    const server = await startServer(({ path }, response) =>
      path.endsWith("/speech")
        ? sendJSON(response, errorBody("no such voice"), 200)
        : sendJSON(response, completion("whole")),
    );
    const { told, hooks } = recorder();
    const gateway = gatewayFor(server.url, { hooks });
    await errorOf(gateway.audio.speech.create({ model: "m", input: "x", voice: "v" }));
    await errorOf(gateway.chat.completions.create({ ...CHAT, stream: true }));
    const failures = told.filter(([name]) => name === "failure").map(([, event]) => event);
    expect(failures).toMatchObject([
      { call: "audio.speech.create", kind: "bad_request" },
      { call: "chat.completions.create", kind: "invalid_response", status: 200 },
    ]);
  });

  it("that throw disturb no call", async () => {
    const server = await startServer((_request, response) => sendJSON(response, completion("ok")));
    const { written, logger } = lines();
    const onRequest = () => {
      throw new Error("broken hook");
    };
    await gatewayFor(server.url, { hooks: { onRequest }, logger }).chat.completions.create(CHAT);
    expect(written).toEqual(["error: Model Gateway: the hook onRequest failed: Error: broken hook"]);
  });

  it.each<[string, () => unknown]>([
    [
      "throw",
      () => {
        throw new Error("broken");
      },
    ],
    ["reject", () => Promise.reject(new Error("broken"))],
    [
      "throw what cannot be printed",
      () => {
        throw Object.create(null);
      },
    ],
  ])("and loggers that %s hurt no call, keep no place, and are reported once", async (_how, broken) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => {
      process.off("unhandledRejection", note);
      reported.mockRestore();
    });
    const server = await startServer(({ json }, response, count) => {
      if (count === 1) return sendJSON(response, {}, 503, { "retry-after-ms": "0" });
      if ((json as { stream?: boolean }).stream !== true) return sendJSON(response, completion("ok"));
      sendEvents(response, [chunk("o"), chunk("k", "stop")]);
      response.end();
      return undefined;
    });
    const hook = broken as () => void;
    const gateway = gatewayFor(server.url, {
      maxConcurrency: 1,
      hooks: { onRequest: hook, onResponse: hook, onRetry: hook, onFailover: hook, onStreamEnd: hook },
      logger: { debug: hook, info: hook, warn: hook, error: hook },
      logLevel: "debug",
    });
    for (let call = 0; call < 3; call++) {
      const answer = await gateway.chat.completions.create(CHAT);
      expect(answer.choices[0]?.message.content).toBe("ok");
      const stream = await gateway.chat.completions.create({ ...CHAT, stream: true });
      expect((await stream.finalCompletion()).choices[0]?.message.content).toBe("ok");
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    const lines = reported.mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes("the logger failed"))).toHaveLength(1);
    expect(new Set(lines).size).toBe(lines.length);
  });
});

describe("the logger", () => {
  it.each([
    ["debug", ["debug", "info", "warn", "debug", "info"]],
    ["info", ["info", "warn", "info"]],
    ["warn", ["warn"]],
    ["error", []],
    ["off", []],
  ] as const)("writes from level %s on", async (logLevel, levels) => {
    const server = await startServer((_request, response, count) =>
      count === 1
        ? sendJSON(response, {}, 503, { "retry-after-ms": "1" })
        : sendJSON(response, completion("ok")),
    );
    const { written, logger } = lines();
    await gatewayFor(server.url, { logger, logLevel }).chat.completions.create(CHAT);
    expect(written.map((line) => line.split(":")[0])).toEqual(levels);
    for (const line of written) expect(line).toContain("POST /chat/completions (general, attempt ");
  });

  it("refuses a level that is none", () => {
    expect(() => gatewayFor("https://gateway.example/v1", { logLevel: "loud" as "warn" })).toThrow(
      ConfigurationError,
    );
  });
});

describe("what is written", () => {
  const event = { ...HERE, address: "cdn" as const, attempt: 2 };
  const where = "POST /chat/completions (cdn, attempt 2)";
  const poll = { ...event, task: "t1", reason: "server: down" };

  it("is a line for each event, with the event beside it", () => {
    const fields: unknown[] = [];
    const { written, logger } = lines();
    const note = (name: keyof GatewayLogger) => (text: string, beside?: object) => {
      logger[name](text);
      fields.push(beside);
    };
    const all = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
    const observer = createObserver(undefined, all, "debug");
    const response = { ...event, status: 200, ms: 5 };
    observer?.onRequest(event);
    observer?.onResponse(response);
    observer?.onRetry({ ...event, reason: "answered 503", delayMs: 1.6 });
    observer?.onFailover({ ...event, to: "general" });
    observer?.onFailure({ ...event, kind: "timeout", maybeProcessed: true });
    observer?.onFailure({ ...event, kind: "server", maybeProcessed: false });
    observer?.onStreamEnd({ ...event, ms: 7, outcome: "left" });
    observer?.onPollFailed({ ...poll, failedPolls: 1 });
    observer?.onPollFailed({ ...poll, failedPolls: 2 });
    expect(written).toEqual([
      `debug: → ${where}`,
      `info: ← 200 in 5 ms from ${where}`,
      `warn: answered 503, again in 2 ms: ${where}`,
      `warn: Failing over to the general address: ${where}`,
      `info: Failed (timeout, may have been paid): ${where}`,
      `info: Failed (server): ${where}`,
      `info: Stream left after 7 ms: ${where}`,
      "warn: Video task t1 cannot be read (server: down). It goes on, and is polled on.",
    ]);
    expect(fields[1]).toBe(response);
  });

  it("of failed polls is one line; hooks are told of each", () => {
    const onPollFailed = vi.fn();
    const { written, logger } = lines();
    const observer = createObserver({ onPollFailed }, logger, "warn");
    for (const failedPolls of [1, 2, 3]) observer?.onPollFailed({ ...poll, failedPolls });
    expect(onPollFailed.mock.calls.map(([{ failedPolls }]) => failedPolls)).toEqual([1, 2, 3]);
    expect(written).toHaveLength(1);
  });

  it("costs nothing where nobody listens", () => {
    const { logger } = lines();
    expect(createObserver(undefined, undefined, "debug")).toBeUndefined();
    expect(createObserver(undefined, logger, "off")).toBeUndefined();
    expect(createObserver(undefined, logger, "error")).toBeDefined();
    expect(createObserver({}, undefined, "off")).toBeDefined();
  });

  it("of a hook that fails goes to the console where no logger takes it, once per hook", () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => reported.mockRestore());
    const fail = () => {
      throw new Error("broken");
    };
    const { written, logger } = lines();
    for (const given of [undefined, logger]) {
      const observer = createObserver({ onRequest: fail, onFailover: fail }, given, "off");
      observer?.onRequest(event);
      observer?.onRequest(event);
      observer?.onFailover({ ...event, to: "cdn" });
    }
    const once = ["onRequest", "onFailover"].map(
      (name) => `Model Gateway: the hook ${name} failed: Error: broken`,
    );
    expect(reported.mock.calls.map(([line]) => line)).toEqual([...once, ...once]);
    expect(written).toEqual([]);
    createObserver({ onRequest: fail }, logger, "error")?.onRequest(event);
    expect(reported).toHaveBeenCalledTimes(4);
    expect(written).toEqual([`error: ${once[0]}`]);
  });

  it("says so where an error cannot be printed, and leaves a broken logger alone", () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => reported.mockRestore());
    const log = vi.fn(() => {
      throw Object.create(null);
    });
    const observer = createObserver(undefined, { debug: log, info: log, warn: log, error: log }, "debug");
    observer?.onRequest(event);
    observer?.onRequest(event);
    expect(log).toHaveBeenCalledTimes(1);
    expect(reported.mock.calls).toEqual([
      ["Model Gateway: the logger failed: it threw something that cannot be printed"],
    ]);
  });

  it.each<[LogLevel, number]>([
    ["debug", 1],
    ["info", 1],
    ["warn", 1],
    ["error", 0],
    ["off", 0],
  ])("as a warning at level %s: %i lines, and a logger that fails hurts nobody", (level, count) => {
    const warn = vi.fn((_text: string) => {
      throw new Error("broken");
    });
    createWarner({ warn }, level)("careful");
    expect(warn.mock.calls).toEqual(Array(count).fill(["careful"]));
  });
});

describe("concurrency", () => {
  it("is limited per client, streams included, and waiting calls can be aborted", async () => {
    let most = 0;
    const held: ServerResponse[] = [];
    const server = await startServer((_request, response) => {
      most = Math.max(most, held.push(response));
      // Nobody is answered before the limit is reached.
      if (held.length < 3) return;
      setImmediate(() => {
        for (const waiting of held.splice(0)) sendJSON(waiting, completion("ok"));
      });
    });
    const gateway = gatewayFor(server.url, { maxConcurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => gateway.chat.completions.create(CHAT)));
    expect([server.requests.length, most]).toEqual([30, 3]);

    const streaming = await startServer((_request, response) => sendEvents(response, [chunk("a")]));
    const single = gatewayFor(streaming.url, { maxConcurrency: 1 });
    const stream = await single.chat.completions.create({ ...CHAT, stream: true });
    const controller = new AbortController();
    const waiting = errorOf(
      single.chat.completions.create({ ...CHAT, stream: true }, { signal: controller.signal }),
    );
    controller.abort();
    expect(await waiting).toMatchObject({ kind: "aborted", attempts: 0 });
    const next = single.chat.completions.create({ ...CHAT, stream: true });
    stream.abort();
    (await next).abort();
    expect(streaming.requests).toHaveLength(2);
  });

  it.each([0, -1, 1.5])("refuses %d", (maxConcurrency) => {
    expect(() => gatewayFor("https://gateway.example/v1", { maxConcurrency })).toThrow(/maxConcurrency/);
  });
});
