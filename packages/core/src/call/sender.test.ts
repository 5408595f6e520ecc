import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { completion, errorBody, sendJSON, startServer, unusedAddress } from "../../test/scripted-server.js";
import { resolveConfig } from "../config/config.js";
import {
  APIConnectionError,
  APITimeoutError,
  APIUserAbortError,
  ConfigurationError,
  type GatewayError,
  InternalServerError,
  InvalidRequestError,
  InvalidResponseError,
  type ModelGatewayOptions,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "../index.js";
import { selectTransport } from "../transport/select-transport.js";
import { createSender } from "./sender.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const VIDEO = { model: "m", content: [{ type: "text" as const, text: "a fox" }] };

describe.each(TRANSPORTS)("calls over %s", (_name, transport) => {
  it("send the key, the body as given and nothing else", async () => {
    const server = await startServer((_request, response) => sendJSON(response, completion("hello")));
    const gateway = gatewayFor(server.url, { ...transport, headers: { "x-team": "blue" } });
    const body = { ...CHAT, temperature: 0, some_future_field: { a: 1 } };
    const { data, response, requestId, attempts } = await gateway.chat.completions
      .create(body, { headers: { "X-Trace": "t1" } })
      .withResponse();
    expect(data.choices[0]?.message.content).toBe("hello");
    expect([response.status, requestId, attempts]).toEqual([200, undefined, 1]);
    const [request] = server.requests;
    expect(request?.method).toBe("POST");
    expect(request?.path).toBe("/v1/chat/completions");
    expect(request?.json).toEqual(body);
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${API_KEY}`,
      "content-type": "application/json",
      "x-team": "blue",
      "x-trace": "t1",
    });
    expect(request?.headers["idempotency-key"]).toBeUndefined();
  });

  it("ask for the key anew at each attempt when it is a function", async () => {
    const server = await startServer((_request, response, count) =>
      count === 1 ? sendJSON(response, {}, 503, { "retry-after-ms": "0" }) : sendJSON(response, { data: [] }),
    );
    let number = 0;
    const gateway = gatewayFor(server.url, { ...transport, apiKey: async () => `sk-rotating-${++number}` });
    await gateway.models.list();
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer sk-rotating-1",
      "Bearer sk-rotating-2",
    ]);
  });

  it("fail with an error of ours when the function for the key fails: nothing was sent", async () => {
    const server = await startServer((_request, response) => sendJSON(response, {}, 502));
    const cause = new Error("The vault is sealed.");
    let left = 0;
    const apiKey = async () => {
      if (left-- > 0) return "sk-rotating";
      throw cause;
    };
    const gateway = gatewayFor(server.url, { ...transport, apiKey, retryBillable: true });
    const unsent = await errorOf(gateway.videos.create(VIDEO));
    expect(unsent).toBeInstanceOf(ConfigurationError);
    expect(unsent).toMatchObject({ cause, attempts: 0, retryable: true, maybeProcessed: false });
    expect(server.requests).toHaveLength(0);
    // What the attempt before did is not known.
    left = 1;
    const sent = await errorOf(gateway.videos.create(VIDEO));
    expect(sent).toMatchObject({ cause, attempts: 1, retryable: false, maybeProcessed: true });
    expect(server.requests).toHaveLength(1);
  });

  it.each([408, 429, 500, 502, 503])("repeat reads and chat after %i", async (status) => {
    const server = await startServer((_request, response, count) =>
      count % 2 === 1
        ? sendJSON(response, errorBody("busy"), status, { "retry-after-ms": "1" })
        : sendJSON(response, { data: [], ...(completion("ok") as object) }),
    );
    const gateway = gatewayFor(server.url, transport);
    expect((await gateway.models.list().withResponse()).attempts).toBe(2);
    expect((await gateway.chat.completions.create(CHAT).withResponse()).attempts).toBe(2);
    expect(server.requests).toHaveLength(4);
  });

  it("never repeat a paid create after an answer that leaves its outcome open", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("upstream failed"), 502, { "x-request-id": "r-1" }),
    );
    const error = await errorOf(gatewayFor(server.url, transport).videos.create(VIDEO));
    expect(server.requests).toHaveLength(1);
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error).toMatchObject({ maybeProcessed: true, retryable: false, attempts: 1, requestId: "r-1" });
    expect((error as Error).message).toMatch(/outcome is unknown.*billed.*usage records/);
  });

  it("never repeat a paid create whose connection broke, nor one that timed out", async () => {
    const breaking = await startServer(({ socket }) => socket.destroy());
    const broken = await errorOf(gatewayFor(breaking.url, transport).videos.create(VIDEO));
    expect(broken).toBeInstanceOf(APIConnectionError);
    expect(broken).toMatchObject({ maybeProcessed: true, retryable: false });
    expect(breaking.requests).toHaveLength(1);

    const silent = await startServer(() => {});
    const late = await errorOf(gatewayFor(silent.url, transport).videos.create(VIDEO, { timeout: 1_000 }));
    expect(late).toBeInstanceOf(APITimeoutError);
    expect(late).toMatchObject({ maybeProcessed: true, retryable: false, timeoutMs: 1_000 });
    expect(silent.requests).toHaveLength(1);
  });

  it("repeat a paid create on 429 with one idempotency key, and on request after anything", async () => {
    const server = await startServer((_request, response, count) =>
      count < 3 ? sendJSON(response, {}, 429, { "retry-after-ms": "1" }) : sendJSON(response, { id: "t1" }),
    );
    await gatewayFor(server.url, transport).videos.create(VIDEO);
    const keys = new Set(server.requests.map(({ headers }) => headers["idempotency-key"]));
    expect(server.requests).toHaveLength(3);
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^[0-9a-f-]{36}$/);

    const failing = await startServer((_request, response, count) =>
      count === 1 ? sendJSON(response, {}, 500, { "retry-after-ms": "1" }) : sendJSON(response, { id: "t2" }),
    );
    const task = await gatewayFor(failing.url, transport).videos.create(VIDEO, {
      retryBillable: true,
      idempotencyKey: "order-7",
    });
    expect(task.id).toBe("t2");
    expect(failing.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["order-7", "order-7"]);
  });

  it("stay in doubt about a paid create that an earlier attempt may have carried out", async () => {
    const after = async (second: (response: ServerResponse) => void, signal?: AbortSignal) => {
      const server = await startServer((_request, response, count) =>
        count === 1
          ? sendJSON(response, {}, 502, { "retry-after-ms": signal ? "60000" : "1" })
          : second(response),
      );
      const gateway = gatewayFor(server.url, { ...transport, retryBillable: true });
      return errorOf(gateway.videos.create(VIDEO, { signal }));
    };
    const refused = await after((response) => sendJSON(response, errorBody("no"), 400));
    expect(refused).toMatchObject({ kind: "bad_request", attempts: 2, maybeProcessed: true });
    expect((refused as Error).message).toMatch(/outcome is unknown.*billed.*usage records/);
    expect(await after((response) => sendJSON(response, {}, 429))).toMatchObject({ maybeProcessed: true });
    const stopped = await after(() => {}, AbortSignal.timeout(100));
    expect(stopped).toMatchObject({ kind: "aborted", attempts: 1, maybeProcessed: true });
  });

  it("repeat chat after a reset, and not after the client's own time-out", async () => {
    const server = await startServer(({ socket }, response, count) =>
      count === 1 ? socket.destroy() : sendJSON(response, completion("ok")),
    );
    expect(
      (await gatewayFor(server.url, transport).chat.completions.create(CHAT).withResponse()).attempts,
    ).toBe(2);

    const silent = await startServer(() => {});
    const error = await errorOf(
      gatewayFor(silent.url, transport).chat.completions.create(CHAT, { timeout: 30 }),
    );
    expect(error).toBeInstanceOf(APITimeoutError);
    expect(silent.requests).toHaveLength(1);
  });

  it("repeat a read after a time-out", async () => {
    const server = await startServer((_request, response, count) => {
      if (count > 1) sendJSON(response, { data: [] });
    });
    expect(
      (await gatewayFor(server.url, transport).models.list({ timeout: 100 }).withResponse()).attempts,
    ).toBe(2);
  });

  it("repeat what was never sent, whatever it costs, and say that nothing was sent", async () => {
    const error = await errorOf(
      gatewayFor(await unusedAddress(), { ...transport, maxRetries: 1 }).videos.create(VIDEO),
    );
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(error).toMatchObject({
      code: "ECONNREFUSED",
      attempts: 2,
      retryable: true,
      maybeProcessed: false,
    });
    expect((error as GatewayError).timeline.map(({ phase }) => phase)).toEqual(["unsent", "unsent"]);
    expect((error as Error).message).toContain("Nothing was sent");
  });

  it.each([
    [400, "", false],
    [401, "", false],
    [403, "", false],
    [404, "", false],
    [422, "", false],
    [503, "model_not_found", false],
    [429, "insufficient_quota", false],
  ])("do not repeat %i %s", async (status, code) => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("no", code), status),
    );
    const error = await errorOf(gatewayFor(server.url, transport).models.list());
    expect(error).toMatchObject({ status, attempts: 1, retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  it("fail at once when the server asks for a longer wait than is worth it", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("slow down"), 429, { "retry-after": "3600" }),
    );
    const error = await errorOf(gatewayFor(server.url, transport).models.list());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 3_600_000, attempts: 1, retryable: true });
  });

  it("end a wait between attempts at once when they are aborted", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, {}, 429, { "retry-after": "50" }),
    );
    const controller = new AbortController();
    const call = errorOf(gatewayFor(server.url, transport).models.list({ signal: controller.signal }));
    await server.arrived(1);
    controller.abort(new Error("user left"));
    const error = await call;
    expect(error).toBeInstanceOf(APIUserAbortError);
    expect((error as Error).cause).toMatchObject({ message: "user left" });
    expect(server.requests).toHaveLength(1);
  });

  it("close the connection on abort, and send nothing when they are aborted from the start", async () => {
    const server = await startServer(() => {});
    const gateway = gatewayFor(server.url, transport);
    const controller = new AbortController();
    const call = errorOf(gateway.videos.create(VIDEO, { signal: controller.signal }));
    await server.arrived(1);
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    controller.abort();
    expect(await call).toMatchObject({ kind: "aborted", maybeProcessed: true });
    await closed;
    const early = await errorOf(gateway.videos.create(VIDEO, { signal: controller.signal }));
    expect(early).toMatchObject({ kind: "aborted", maybeProcessed: false, attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  it("leave no listener on a long-lived signal", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { data: [] }));
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    const gateway = gatewayFor(server.url, transport);
    for (let count = 0; count < 5; count++) await gateway.models.list({ signal });
    expect(listeners).toBe(0);
  });

  it("report an error that comes with status 200", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, { code: "task_not_exist", message: "no such task", data: null }),
    );
    const error = await errorOf(gatewayFor(server.url, transport).models.list());
    expect(error).toMatchObject({ kind: "not_found", status: 200, code: "task_not_exist" });
  });

  it.each([
    ["a web page", "<html><body>Welcome</body></html>", /web page/],
    ["broken JSON", '{"data": [', /broken JSON/],
    ["an empty body", "", /empty body/],
  ])("refuse %s with status 200", async (_what, body, message) => {
    const server = await startServer((_request, response) => response.writeHead(200).end(body));
    const error = await errorOf(gatewayFor(server.url, transport).models.list());
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toMatch(message);
  });

  it("never follow a redirect with the key", async () => {
    const elsewhere = await startServer((_request, response) => sendJSON(response, { data: [] }));
    const server = await startServer((_request, response) =>
      response.writeHead(307, { location: `${elsewhere.url}/models` }).end(),
    );
    const error = await errorOf(gatewayFor(server.url, transport).models.list());
    expect(error).toMatchObject({ status: 307 });
    expect(elsewhere.requests).toHaveLength(0);
  });

  it("fail over to the accelerated address when nothing was sent, and come back after the cool-down only", async () => {
    const cdn = await startServer((_request, response) => sendJSON(response, { id: "t1", data: [] }));
    const gateway = gatewayFor(await unusedAddress(), {
      ...transport,
      route: "failover",
      endpoints: { cdn: cdn.url },
    });
    const { attempts, data } = await gateway.videos.create(VIDEO).withResponse();
    expect(attempts).toBe(2);
    expect(data.handle.address).toBe("cdn");
    expect((await gateway.models.list().withResponse()).attempts).toBe(1);
    expect(cdn.requests).toHaveLength(2);
  });

  it("fail over for a caller who makes one attempt per call and repeats by itself", async () => {
    const cdn = await startServer((_request, response) => sendJSON(response, { data: [] }));
    const gateway = gatewayFor(await unusedAddress(), {
      ...transport,
      route: "failover",
      endpoints: { cdn: cdn.url },
      maxRetries: 0,
    });
    expect(await errorOf(gateway.models.list())).toMatchObject({ kind: "connection", attempts: 1 });
    expect((await gateway.models.list().withResponse()).attempts).toBe(1);
    expect(cdn.requests).toHaveLength(1);
  });

  it("do not fail over a paid create that may have arrived", async () => {
    const general = await startServer(({ socket }) => socket.destroy());
    const cdn = await startServer((_request, response) => sendJSON(response, { id: "t1" }));
    const gateway = gatewayFor(general.url, { ...transport, route: "failover", endpoints: { cdn: cdn.url } });
    expect(await errorOf(gateway.videos.create(VIDEO))).toMatchObject({ maybeProcessed: true });
    expect(cdn.requests).toHaveLength(0);
  });

  it("hint at a base address without version when it answers 404", async () => {
    const server = await startServer((_request, response) => response.writeHead(404).end("Not Found"));
    const error = await errorOf(gatewayFor(server.origin, transport).models.list());
    expect(error).toBeInstanceOf(NotFoundError);
    expect((error as Error).message).toContain("does not end in /v1");
  });

  it("keep the key out of everything that an error shows or carries", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, { error: { message: `Bad key ${API_KEY}`, code: API_KEY, echo: [API_KEY] } }, 401, {
        "x-echo": `Bearer ${API_KEY}`,
      }),
    );
    const error = await errorOf(gatewayFor(server.url, transport).models.list());
    const everything = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
    expect(everything).not.toContain(API_KEY);
    expect((error as Error).message).toContain("sk-***");
  });
});

describe("calls", () => {
  it("refuse a body that cannot be written as JSON, before anything is sent", async () => {
    const server = await startServer((_request, response) => sendJSON(response, {}));
    const body = { ...CHAT, metadata: { big: 1n } };
    expect(await errorOf(gatewayFor(server.url).chat.completions.create(body))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(server.requests).toHaveLength(0);
  });

  it("refuse unusable options, before anything is sent", async () => {
    const server = await startServer((_request, response) => sendJSON(response, {}));
    const gateway = gatewayFor(server.url);
    expect(await errorOf(gateway.models.list({ timeout: -1 }))).toBeInstanceOf(ConfigurationError);
    expect(await errorOf(gateway.models.list({ route: "cdn" }))).toBeInstanceOf(ConfigurationError);
    expect(server.requests).toHaveLength(0);
  });

  it("use a patched global fetch, so that request mocking sees them", async () => {
    const original = globalThis.fetch;
    onTestFinished(() => {
      globalThis.fetch = original;
    });
    globalThis.fetch = async (input) => Response.json({ data: [{ id: String(input) }] });
    expect(await gatewayFor("https://gateway.example/v1").models.list()).toEqual([
      { id: "https://gateway.example/v1/models" },
    ]);
  });

  it("tell an exhausted quota from a missing permission", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("用户额度不足", "insufficient_user_quota"), 403),
    );
    const error = await errorOf(gatewayFor(server.url).videos.create(VIDEO));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error).toMatchObject({ insufficientQuota: true, maybeProcessed: false });
  });
});

describe("a failed poll and a warning", () => {
  const poll = {
    call: "videos.watch",
    method: "GET",
    path: "/videos/t1",
    address: "general" as const,
    attempt: 1,
    task: "t1",
    failedPolls: 1,
    reason: "server: down",
  };
  const LINE = "Video task t1 cannot be read (server: down). It goes on, and is polled on.";
  const options = { apiKey: API_KEY, baseURL: "https://gateway.example/v1" };
  const senderOf = (more: Partial<ModelGatewayOptions>) => {
    const send = () => {
      throw new Error("Nothing is sent here.");
    };
    return createSender(resolveConfig({ ...options, ...more }), { name: "none", send });
  };

  it("are written to the console where nobody listens, to the logger where there is one", () => {
    const onConsole = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => onConsole.mockRestore());
    const written = () => onConsole.mock.calls.splice(0).map(([line]) => line);
    const log = vi.fn();
    const logger = { debug: log, info: log, warn: log, error: log };

    const quiet = senderOf({});
    quiet.warn("careful");
    quiet.onPollFailed(poll);
    expect(written()).toEqual(["careful", LINE]);

    const logged = senderOf({ logger });
    logged.warn("careful");
    logged.onPollFailed(poll);
    expect(log.mock.calls.map(([line]) => line)).toEqual(["careful", LINE]);

    const onPollFailed = vi.fn();
    senderOf({ hooks: { onPollFailed } }).onPollFailed(poll);
    expect(onPollFailed.mock.calls).toEqual([[poll]]);
    expect(written()).toEqual([]);

    // Hooks for other things do not hear of it.
    senderOf({ hooks: { onRetry: log } }).onPollFailed(poll);
    expect(written()).toEqual([LINE]);
    const off = senderOf({ logLevel: "off" });
    off.warn("careful");
    off.onPollFailed(poll);
    expect(written()).toEqual([]);
  });

  it("of a reader turn what it crashes on into an answer of an unknown shape, and leave its own errors", async () => {
    const fetch = async () => Response.json({ a: 1 });
    const config = resolveConfig({ ...options, fetch });
    const sender = createSender(config, selectTransport(fetch));
    const call = { name: "x", method: "GET", path: "/x", cost: "read", defaultTimeoutMs: 1_000 } as const;
    const crash = sender.json(call, undefined, () => {
      throw new TypeError("undefined is not a function");
    });
    expect(await errorOf(crash)).toMatchObject({
      kind: "invalid_response",
      status: 200,
      body: { a: 1 },
      message: "The gateway answered 200 to GET https://gateway.example/v1/x with JSON of an unknown shape.",
    });
    const own = new ConfigurationError("mine");
    const refused = sender.json(call, undefined, () => {
      throw own;
    });
    expect(await errorOf(refused)).toBe(own);
    // And an answer larger than the call can hold never gets to its reader.
    const large = await errorOf(sender.json({ ...call, maxBytes: 6 }, undefined, () => "read"));
    expect((large as Error).message).toContain("is larger than 6 bytes and was dropped");
    expect(await sender.json({ ...call, maxBytes: 7 }, undefined, () => "read")).toBe("read");
    expect(await sender.asOneCall(undefined).json(call, undefined, () => "read")).toBe("read");
  });
});
