import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor } from "../../test/gateways.js";
import { completion } from "../../test/scripted-server.js";
import type { GatewayHooks, ModelGatewayOptions } from "../index.js";
import { VERSION } from "../version.js";

const GENERAL = "https://g.example/v1";
const CDN = "https://c.example/v1";
const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const VIDEO = { model: "m", content: [{ type: "text" as const, text: "a fox" }] };
const EVENTS = { "content-type": "text/event-stream" };
const BOTH = { route: "failover" as const, endpoints: { cdn: CDN } };

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown } | Error;

const reset = () => Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
const refused = () => Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } });

/** A client whose network gives these answers, one per request; the last one again and again. */
function client(answers: Answer[], options: Partial<ModelGatewayOptions> = {}) {
  const sent: Array<{ url: string; method: string; headers: Headers; body: unknown }> = [];
  const fetch = async (input: unknown, init: RequestInit = {}) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)] as Answer;
    const { method = "", body } = init;
    sent.push({ url: String(input), method, headers: new Headers(init.headers), body });
    if (answer instanceof Error) throw answer;
    const { status = 200, headers = {}, body: given = { data: [], id: "t1" } } = answer;
    return new Response(typeof given === "string" ? given : JSON.stringify(given), { status, headers });
  };
  const told: Array<Record<string, unknown>> = [];
  const note = (event: string) => (fields: object) => void told.push({ event, ...fields });
  const names = ["onRequest", "onResponse", "onRetry", "onFailover", "onStreamEnd", "onPollFailed"];
  const hooks: GatewayHooks = Object.fromEntries(names.map((name) => [name, note(name)]));
  return {
    gateway: gatewayFor(GENERAL, { fetch: fetch as typeof globalThis.fetch, hooks, ...options }),
    sent,
    told,
  };
}

const attemptsOf = (error: unknown) => (error as { attempts: number }).attempts;
const down = { status: 503, headers: { "retry-after-ms": "0" } };

describe("what is sent", () => {
  it("says who asks for what; the caller's headers win", async () => {
    const { gateway, sent } = client([{}], { headers: { "user-agent": "mine/1", "x-a": "client" } });
    await gateway.models.list({ headers: { "X-A": "call", "x-b": undefined } });
    const { headers, url, method, body } = sent[0] as (typeof sent)[0];
    expect([method, url, body]).toEqual(["GET", `${GENERAL}/models`, undefined]);
    expect(Object.fromEntries(headers)).toMatchObject({
      accept: "application/json",
      authorization: `Bearer ${API_KEY}`,
      "user-agent": "mine/1",
      "x-a": "call",
    });
    expect(headers.has("content-type")).toBe(false);
    expect(headers.has("idempotency-key")).toBe(false);
    const plain = client([{}]);
    await plain.gateway.models.list();
    expect(plain.sent[0]?.headers.get("user-agent")).toBe(`model-gateway-core/${VERSION}`);
    await plain.gateway.videos.create(VIDEO);
    expect(plain.sent[1]?.headers.get("content-type")).toBe("application/json");
  });

  it("with a paid create has a key of its own, over all attempts; the caller's wins", async () => {
    const limited = { ...down, status: 429 };
    const { gateway, sent } = client([limited, {}, {}, {}, {}, {}]);
    await gateway.videos.create(VIDEO);
    await gateway.videos.create(VIDEO, { idempotencyKey: "order-7" });
    await gateway.videos.create(VIDEO, { headers: { "Idempotency-Key": "order-8" } });
    await gateway.videos.create(VIDEO);
    await gateway.models.list({ idempotencyKey: "read-1" });
    const [first, again, ...others] = sent.map(({ headers }) => headers.get("idempotency-key"));
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(again).toBe(first);
    expect(others).toEqual(["order-7", "order-8", expect.stringMatching(/^[0-9a-f-]{36}$/), "read-1"]);
    expect(others[2]).not.toBe(first);
  });

  it("asks for the form of the answer", async () => {
    const { gateway, sent } = client([
      { headers: EVENTS, body: "data: [DONE]\n\n" },
      { headers: { "content-type": "audio/mpeg" }, body: "ID3" },
    ]);
    await gateway.chat.completions.create({ ...CHAT, stream: true });
    await gateway.audio.speech.create({ model: "m", input: "x", voice: "v" });
    expect(sent.map(({ headers }) => headers.get("accept"))).toEqual(["text/event-stream", "*/*"]);
  });

  it("goes to a path with its query, to the address of its route", async () => {
    const { gateway, sent } = client([{}], { ...BOTH, route: "general" });
    await gateway.request({ method: "GET", path: "/x", query: { a: 1 } });
    await gateway.request({ method: "GET", path: "/x", route: "cdn" });
    const { response } = await gateway.request({ method: "GET", path: "/x", query: { b: 2 } }).withResponse();
    expect(sent.map(({ url }) => url)).toEqual([`${GENERAL}/x?a=1`, `${CDN}/x`, `${GENERAL}/x?b=2`]);
    expect(response).toMatchObject({ status: 200, url: `${GENERAL}/x?b=2` });
  });
});

describe("a function for the key", () => {
  it("is asked anew for each attempt", async () => {
    let number = 0;
    const { gateway, sent } = client([down, {}], { apiKey: async () => `sk-rotating-${++number}` });
    await gateway.models.list();
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer sk-rotating-1",
      "Bearer sk-rotating-2",
    ]);
  });

  it.each([
    [{ timeout: 500, deadline: 200 }, 200],
    [{ timeout: 100, deadline: 200 }, 100],
    [{ timeout: 0.2 }, 1],
  ])("with %j is waited for at most %i ms, and nothing is sent", async (options, waitMs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { gateway, sent } = client([{}], { apiKey: () => new Promise<string>(() => {}) });
    const failed = errorOf(gateway.models.list(options));
    await vi.advanceTimersByTimeAsync(waitMs);
    const error = await failed;
    expect(error).toMatchObject({ option: "apiKey", attempts: 0, method: "GET", path: "/models" });
    expect((error as Error).message).toContain(`gave no key within ${waitMs} ms, so models.list`);
    expect(sent).toEqual([]);
  });

  it("whose caller has left is not waited for", async () => {
    const controller = new AbortController();
    const { gateway } = client([{}], { apiKey: () => new Promise<string>(() => {}) });
    const failed = errorOf(gateway.models.list({ signal: controller.signal }));
    controller.abort("left");
    expect(await failed).toMatchObject({ kind: "aborted", cause: "left", attempts: 0 });
  });
});

describe("a call that fails", () => {
  it.each<[string, Answer, number, boolean]>([
    ["read", down, 3, false],
    ["read", reset(), 3, false],
    ["chat", down, 3, false],
    ["chat", reset(), 3, false],
    ["video", down, 1, true],
    ["video", reset(), 1, true],
    ["video", refused(), 3, false],
    ["video", { ...down, status: 400 }, 1, false],
    ["video", { ...down, status: 429 }, 3, false],
  ])("%s after %j is attempted %i times, and paid in doubt: %s", async (what, answer, attempts, doubt) => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    const { gateway, sent } = client([answer]);
    const call =
      what === "read"
        ? gateway.models.list()
        : what === "chat"
          ? gateway.chat.completions.create(CHAT)
          : gateway.videos.create(VIDEO);
    const error = await errorOf(call);
    random.mockRestore();
    expect(error).toMatchObject({ attempts, maybeProcessed: doubt });
    expect(sent).toHaveLength(attempts);
  });

  it("is repeated as often as the call says, or else the client", async () => {
    const { gateway } = client([down], { maxRetries: 1 });
    expect(attemptsOf(await errorOf(gateway.models.list()))).toBe(2);
    expect(attemptsOf(await errorOf(gateway.models.list({ maxRetries: 0 })))).toBe(1);
    expect(attemptsOf(await errorOf(gateway.videos.create(VIDEO, { retryBillable: true })))).toBe(2);
    const willing = client([down], { maxRetries: 1, retryBillable: true });
    expect(attemptsOf(await errorOf(willing.gateway.videos.create(VIDEO)))).toBe(2);
    expect(attemptsOf(await errorOf(willing.gateway.videos.create(VIDEO, { retryBillable: false })))).toBe(1);
  });

  it("stays in doubt for what an attempt before the last one may have done", async () => {
    const { gateway } = client([down, { status: 400, body: { error: "no" } }], { retryBillable: true });
    expect(await errorOf(gateway.videos.create(VIDEO))).toMatchObject({
      kind: "bad_request",
      attempts: 2,
      maybeProcessed: true,
    });
  });

  it("stays in doubt whichever attempt before the last one it was", async () => {
    const limited = { ...down, status: 429 };
    const { gateway } = client([limited, down, { status: 400, body: { error: "no" } }], {
      retryBillable: true,
    });
    expect(await errorOf(gateway.videos.create(VIDEO))).toMatchObject({ attempts: 3, maybeProcessed: true });
  });

  it("with a stream among its parts is not repeated: it has been read; and is let go of", async () => {
    const cancelled = vi.fn();
    const image = () =>
      new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(9)), cancel: cancelled });
    const { gateway, sent } = client([refused(), {}]);
    const error = await errorOf(gateway.images.edit({ prompt: "x", images: [image()] }));
    expect(error).toMatchObject({ kind: "connection", attempts: 1, retryable: true });
    expect(sent).toHaveLength(1);
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(1));
  });

  it("tells of each attempt: its request, its answer, its retry", async () => {
    const id = { "x-request-id": "r1" };
    const { gateway, told } = client([
      { ...down, headers: { ...down.headers, ...id } },
      { headers: id, body: { ...(completion("ok") as object), usage: { total_tokens: 3 } } },
    ]);
    await gateway.chat.completions.create(CHAT);
    const call = {
      call: "chat.completions.create",
      method: "POST",
      path: "/chat/completions",
      address: "general",
      model: "m",
    };
    const ms = expect.any(Number);
    expect(told).toEqual([
      { event: "onRequest", ...call, attempt: 1 },
      { event: "onResponse", ...call, attempt: 1, status: 503, ms, requestId: "r1" },
      { event: "onRetry", ...call, attempt: 1, reason: "answered 503", delayMs: 0 },
      { event: "onRequest", ...call, attempt: 2 },
      {
        event: "onResponse",
        ...call,
        attempt: 2,
        status: 200,
        ms,
        requestId: "r1",
        usage: { total_tokens: 3 },
      },
    ]);
  });

  it("is told by the model that it asks for, whatever that field is called", async () => {
    const { gateway, told } = client([{}]);
    await gateway.request({ method: "POST", path: "/a", body: { model: "a" } });
    await gateway.request({ method: "POST", path: "/b", body: { model_name: "b", model: "x" } });
    await gateway.request({ method: "POST", path: "/c", body: { model: 7 } });
    await gateway.models.list();
    expect(told.filter(({ event }) => event === "onRequest").map(({ model }) => model)).toEqual([
      "a",
      "b",
      undefined,
      undefined,
    ]);
    expect(told.every((event) => !("model" in event) || event["model"] !== undefined)).toBe(true);
  });

  it("is not repeated while its caller has left: what was done stays in doubt", async () => {
    const controller = new AbortController();
    const { gateway, sent } = client([{ status: 503, headers: { "retry-after-ms": "50000" } }], {
      retryBillable: true,
      hooks: { onRetry: () => setImmediate(() => controller.abort("left")) },
    });
    const error = await errorOf(gateway.videos.create(VIDEO, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: "aborted", cause: "left", attempts: 1, maybeProcessed: true });
    expect(sent).toHaveLength(1);
  });
});

describe("failover", () => {
  const hosts = (sent: Array<{ url: string }>) => sent.map(({ url }) => new URL(url).host[0]);

  it.each<[string, Answer, string]>([
    ["read", refused(), "gc"],
    ["read", reset(), "gc"],
    ["read", down, "gc"],
    ["read", { ...down, status: 429 }, "gg"],
    ["read", { ...down, status: 408 }, "gg"],
    ["chat", refused(), "gc"],
    ["chat", reset(), "gg"],
    ["chat", down, "gg"],
    ["video", refused(), "gc"],
    ["video", reset(), "g"],
    ["video", down, "g"],
  ])("of a %s after %j goes %s", async (what, answer, way) => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    const { gateway, sent, told } = client([answer, { body: { data: [], id: "t1", choices: [] } }], BOTH);
    const call =
      what === "read"
        ? gateway.models.list()
        : what === "chat"
          ? gateway.chat.completions.create(CHAT)
          : gateway.videos.create(VIDEO);
    await Promise.resolve(call).catch(() => {});
    random.mockRestore();
    expect(hosts(sent).join("")).toBe(way);
    const events = told.map(({ event }) => event);
    expect(events.includes("onFailover")).toBe(way === "gc");
    expect(events.includes("onRetry")).toBe(way === "gg");
    if (way === "gc") {
      expect(told.find(({ event }) => event === "onFailover")).toMatchObject({
        address: "general",
        to: "cdn",
        attempt: 1,
      });
      // Also for the next call.
      await gateway.models.list();
      expect(hosts(sent).join("")).toBe("gcc");
    }
  });

  it("is no way out where there is one address: it is tried again after a wait", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    const { gateway, sent, told } = client([refused(), {}]);
    await gateway.models.list();
    random.mockRestore();
    expect(hosts(sent)).toEqual(["g", "g"]);
    expect(told[1]).toMatchObject({ event: "onRetry", reason: "unsent" });
  });

  it("goes on as quietly where nobody listens", async () => {
    const { gateway, sent } = client([refused(), {}], { ...BOTH, hooks: undefined });
    await gateway.models.list();
    expect(hosts(sent)).toEqual(["g", "c"]);
  });

  it("is not decided by calls that have one address: each route keeps its own way", async () => {
    const { gateway, sent } = client([refused(), {}], { ...BOTH, route: "general", maxRetries: 0 });
    await errorOf(gateway.models.list());
    await gateway.models.list({ route: "failover" });
    expect(hosts(sent)).toEqual(["g", "g"]);
  });

  it("marks an address for callers who repeat by themselves", async () => {
    const { gateway, sent } = client([refused(), {}], { ...BOTH, maxRetries: 0 });
    await errorOf(gateway.models.list());
    await gateway.models.list();
    expect(hosts(sent)).toEqual(["g", "c"]);
  });
});

describe("an answer", () => {
  it.each<[string, Answer, object]>([
    ["a web page", { body: "\n <html>" }, { kind: "invalid_response", message: /with a web page\./ }],
    ["broken JSON", { body: "{" }, { kind: "invalid_response", message: /with broken JSON\./ }],
    [
      "text with markup inside",
      { body: "x <b>" },
      { kind: "invalid_response", message: /with broken JSON\./ },
    ],
    ["nothing", { body: " " }, { kind: "invalid_response", message: /with an empty body\./ }],
    ["another shape", { body: { data: 1 } }, { kind: "invalid_response", message: /data is not an array/ }],
    ["an error", { body: { error: { message: "no", code: 400 } } }, { kind: "bad_request", status: 200 }],
    ["a redirect", { status: 307, headers: { location: CDN } }, { kind: "api", status: 307 }],
    ["an error page", { status: 404, body: "<h1>Gone</h1>" }, { kind: "not_found", message: /Gone/ }],
  ])(
    "that is %s is an error of ours",
    async (_what, answer, { message = /./, ...facts }: { message?: RegExp }) => {
      const { gateway, sent } = client([answer]);
      const error = await errorOf(gateway.models.list());
      expect(error).toMatchObject({ ...facts, attempts: 1 });
      expect((error as Error).message).toMatch(message);
      expect(sent).toHaveLength(1);
    },
  );

  it("may be empty where the call says so", async () => {
    const { gateway } = client([{ body: "" }, { body: " " }, { body: "null" }, { body: "text" }]);
    const ask = () => gateway.request({ method: "GET", path: "/x" });
    expect([await ask(), await ask(), await ask()]).toEqual([undefined, undefined, null]);
    expect(await errorOf(ask())).toMatchObject({ kind: "invalid_response" });
  });

  it.each([200, 201, 299])("with status %i is a success, told with its head", async (status) => {
    const { gateway } = client([{ status, headers: { "x-request-id": "r1", "x-a": "b" } }]);
    const { data, response, requestId, attempts } = await gateway.models.list().withResponse();
    expect([data, requestId, attempts, response.status, response.headers.get("x-a")]).toEqual([
      [],
      "r1",
      1,
      status,
      "b",
    ]);
  });

  it("loses the key, and nothing else that has the form of one", async () => {
    const { gateway } = client([{ body: { mine: `a ${API_KEY}`, written: "sk-a-model-wrote-this" } }]);
    expect(await gateway.request({ method: "GET", path: "/x" })).toEqual({
      mine: "a sk-***",
      written: "sk-a-model-wrote-this",
    });
  });

  it("that is an error has the id of its head, or else that of its body, without the key", async () => {
    const body = { error: { message: "no", request_id: `b-${API_KEY}` } };
    for (const [headers, requestId] of [
      [{ "x-request-id": "h-1" }, "h-1"],
      [{}, "b-sk-***"],
    ] as const) {
      const { gateway } = client([{ status: 400, headers, body }]);
      expect(await errorOf(gateway.models.list())).toMatchObject({
        requestId,
        timeline: [{ requestId, status: 400 }],
      });
    }
  });

  it("that stands for another status is judged by that, and says so", async () => {
    const { gateway } = client([
      { body: { error: { message: "busy", code: 500 } }, headers: down.headers },
      {},
    ]);
    expect((await gateway.models.list().withResponse()).attempts).toBe(2);
    const failing = client([{ status: 500, body: { error: { code: "model_not_found" } } }, down]);
    const known = await errorOf(failing.gateway.models.list());
    expect(known).toMatchObject({
      kind: "not_found",
      attempts: 1,
      timeline: [{ status: 500, meaning: 404 }],
    });
    const same = await errorOf(failing.gateway.models.list({ maxRetries: 0 }));
    expect((same as { timeline: object[] }).timeline[0]).not.toHaveProperty("meaning");
  });

  it("that is whole where a stream was asked for is refused", async () => {
    const { gateway } = client([{ body: { data: [] } }]);
    const error = await errorOf(gateway.images.stream({ model: "m", prompt: "x" }));
    expect(error).toMatchObject({ kind: "invalid_response", maybeProcessed: true, body: { data: [] } });
    expect((error as Error).message).toContain("with a whole answer where a stream was asked for.");
  });

  it("that crashes its reader is one of an unknown shape", async () => {
    const { gateway } = client([{ body: { data: [null, { id: "a" }, 7] } }, { body: { data: 7 } }]);
    expect(await gateway.models.list()).toEqual([{ id: "a" }]);
    expect(await errorOf(gateway.models.list())).toMatchObject({ kind: "invalid_response" });
  });
});

describe("the end of a stream", () => {
  const line = (fields: object) => `data: ${JSON.stringify({ id: "c", ...fields })}\n\n`;
  const whole =
    line({ choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }] }) +
    line({ choices: [], usage: { total_tokens: 9 } });
  const ask = (body: string, headers = {}) => {
    const { gateway, told } = client([{ headers: { ...EVENTS, ...headers }, body }]);
    const stream = gateway.chat.completions.create({ ...CHAT, stream: true });
    return { stream, ends: () => told.filter(({ event }) => event === "onStreamEnd"), told };
  };

  it("is told once, with usage and id", async () => {
    const { stream, ends, told } = ask(`${whole}data: [DONE]\n\n`, { "x-request-id": "r1" });
    await (await stream).finalCompletion();
    expect(told.map(({ event }) => event)).toEqual(["onRequest", "onResponse", "onStreamEnd"]);
    expect(told[1]).not.toHaveProperty("usage");
    expect(ends()).toMatchObject([
      { outcome: "complete", requestId: "r1", usage: { total_tokens: 9 }, attempt: 1, model: "m" },
    ]);
    expect((await stream.withResponse()).requestId).toBe("r1");
  });

  it("is told as an interruption where it broke", async () => {
    const { stream, ends } = ask(line({ choices: [{ index: 0, delta: { content: "a" } }] }));
    expect(await errorOf((await stream).finalCompletion())).toMatchObject({
      kind: "stream_interrupted",
      attempts: 1,
      timeline: [{ address: "general", phase: "answered", status: 200 }],
    });
    expect(ends()).toMatchObject([{ outcome: "interrupted" }]);
    expect(ends()[0]).not.toHaveProperty("usage");
    expect(ends()[0]).not.toHaveProperty("requestId");
  });

  it("is told as an abort where the caller's signal ended it", async () => {
    const told: string[] = [];
    const endless = () =>
      new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(": x\n\n")) }), {
        headers: EVENTS,
      });
    const controller = new AbortController();
    const gateway = gatewayFor(GENERAL, {
      fetch: async () => endless(),
      hooks: { onStreamEnd: ({ outcome }) => void told.push(outcome) },
    });
    const options = { signal: controller.signal };
    const stream = await gateway.chat.completions.create({ ...CHAT, stream: true }, options);
    const failed = errorOf(stream.finalCompletion());
    controller.abort("left");
    expect(await failed).toMatchObject({ kind: "aborted", cause: "left" });
    expect(told).toEqual(["aborted"]);
    const own = await gateway.chat.completions.create({ ...CHAT, stream: true });
    const left = errorOf(own.finalCompletion());
    own.abort("enough");
    expect(await left).toMatchObject({ kind: "aborted", cause: "enough" });
    expect(told).toEqual(["aborted", "left"]);
  });
});

describe("the time of a call", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const silent = () => new Promise<Response>(() => {});

  it.each([
    [{}, {}, 60_000],
    [{ timeout: 500 }, {}, 500],
    [{ timeout: 500 }, { timeout: 200 }, 200],
    [{ deadline: 300 }, {}, 300],
    [{ deadline: 300 }, { deadline: 100 }, 100],
  ])("is that of the client %j, of the call %j, or else its own: %i ms", async (options, call, timeoutMs) => {
    const gateway = gatewayFor(GENERAL, { fetch: silent, maxRetries: 0, ...options });
    const failed = errorOf(gateway.models.list(call));
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await failed).toMatchObject({
      kind: "timeout",
      timeoutMs,
      attempts: 1,
      timeline: [{ phase: "no_answer" }],
    });
  });

  it.each([
    ["read", 3, false],
    ["chat", 1, false],
    ["video", 1, true],
  ])("that is over is no end for a %s: %i attempts, in doubt: %s", async (what, attempts, maybeProcessed) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const gateway = gatewayFor(GENERAL, { fetch: silent, timeout: 100 });
    const call =
      what === "read"
        ? gateway.models.list()
        : what === "chat"
          ? gateway.chat.completions.create(CHAT)
          : gateway.videos.create(VIDEO);
    const failed = errorOf(call);
    await vi.advanceTimersByTimeAsync(400);
    const error = await failed;
    expect(error).toMatchObject({ kind: "timeout", attempts, maybeProcessed });
    const { timeline } = error as { timeline: object[] };
    expect(timeline).toEqual(Array(attempts).fill({ address: "general", phase: "no_answer", ms: 100 }));
  });

  it("is told in milliseconds: of an answer since it was asked for, of a stream since its head", async () => {
    const told: Array<{ ms: number }> = [];
    const note = ({ ms }: { ms: number }) => void told.push({ ms });
    const fetch = async () => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      const start = (to: ReadableStreamDefaultController) => {
        setTimeout(() => {
          to.enqueue(new Uint8Array([0xff, 0xfb]));
          to.close();
        }, 70);
      };
      return new Response(new ReadableStream({ start }), { headers: { "content-type": "audio/mpeg" } });
    };
    vi.advanceTimersByTime(1_000);
    const gateway = gatewayFor(GENERAL, { fetch, hooks: { onResponse: note, onStreamEnd: note } });
    const speech = gateway.audio.speech.create({ model: "m", input: "x", voice: "v" });
    await vi.advanceTimersByTimeAsync(110);
    expect(await (await speech).bytes()).toEqual(new Uint8Array([0xff, 0xfb]));
    expect(told).toEqual([{ ms: 40 }, { ms: 70 }]);
  });
});
