import {
  CHAT_STREAMS,
  type ChatStream,
  dataOf,
  ENDINGS,
  PACES,
  type ScenarioServer,
  startScenarioServer,
} from "@model-gateway/scenario-server";
import { type RouteServer, serveRoutes } from "@model-gateway/test-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { API_KEY, gatewayFor } from "../../test/gateways.js";
import { allEvents, readEvents, type ServerSentEvent } from "../../test/read-events.js";
import { BudgetExceededError, BudgetUnavailableError, RateLimitError } from "../index.js";
import {
  createStreamHandlers,
  MemoryStreamStore,
  type StreamHandlers,
  type StreamHandlersOptions,
} from "../resumable.js";

/** A paid call whose events the test decides. */
class Call {
  readonly #waiting: Array<() => void> = [];
  readonly #events: unknown[] = [];
  #end: { error?: unknown } | undefined;

  constructor(
    readonly signal: AbortSignal,
    readonly question: string,
  ) {
    signal.addEventListener("abort", () => this.fail(signal.reason));
  }

  push(...events: unknown[]): void {
    this.#events.push(...events);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  end(): void {
    this.#end ??= {};
    this.push();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.push();
  }

  async *read(): AsyncGenerator<unknown> {
    for (let index = 0; ; index++) {
      while (index >= this.#events.length) {
        if (this.#end !== undefined && "error" in this.#end) throw this.#end.error;
        if (this.#end !== undefined) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      yield this.#events[index];
    }
  }
}

type Asked = { method?: string; user?: string; body?: string; lastEventId?: string; signal?: AbortSignal };

async function serve(options: Partial<StreamHandlersOptions> = {}) {
  const calls: Call[] = [];
  const handlers = createStreamHandlers({
    store: new MemoryStreamStore(),
    owner: (request) => request.headers.get("x-user") ?? undefined,
    async open(request, { signal }) {
      const call = new Call(signal, await request.text());
      calls.push(call);
      return call.read();
    },
    ...options,
  });
  const server = await serveRoutes(() => handlers);
  onTestFinished(async () => {
    await server.close();
    await handlers.close();
  });
  return { calls, handlers, server, ask: (path: string, asked: Asked = {}) => ask(server, path, asked) };
}

function ask({ origin }: RouteServer, path: string, { user = "ann", lastEventId, ...init }: Asked) {
  const headers = { "x-user": user, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
  return fetch(`${origin}${path}`, { ...init, headers });
}

const typesOf = (events: readonly ServerSentEvent[]) => events.map(({ type }) => type);
const valuesOf = (events: readonly ServerSentEvent[]) =>
  events.filter(({ type }) => type === "message").map(({ data }) => JSON.parse(data));

/** Reads so many events, and leaves. */
async function take(response: Response, count: number): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

describe("a stream over handlers of the web", () => {
  it("is the same for whoever starts it, comes while it runs, or comes too late", async () => {
    const { calls, ask } = await serve();
    const started = ask("/?key=k", { method: "POST", body: "q" });
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push({ n: 1 }, "two\nlines\r\n", null);
    const joined = allEvents(await ask("/?key=k"));
    calls[0]?.push([4]);
    calls[0]?.end();
    const response = await started;
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const whole = await allEvents(response);
    expect(valuesOf(whole)).toEqual([{ n: 1 }, "two\nlines\r\n", null, [4]]);
    expect(typesOf(whole)).toEqual(["message", "message", "message", "message", "done"]);
    expect(await joined).toEqual(whole);
    expect(await allEvents(await ask("/?key=k"))).toEqual(whole);
    expect(calls).toHaveLength(1);
    for (const [index, { id }] of whole.entries()) {
      const response = await ask("/?key=k", { lastEventId: id ?? "" });
      const isLast = index === whole.length - 1;
      expect(response.status).toBe(isLast ? 204 : 200);
      if (!isLast) expect(await allEvents(response)).toEqual(whole.slice(index + 1));
      const byAddress = await ask(`/?key=k&from=${id}`);
      expect(await byAddress.text()).toBe(
        isLast ? "" : await (await ask("/?key=k", { lastEventId: id ?? "" })).text(),
      );
    }
    expect(await allEvents(await ask("/?key=k", { lastEventId: "0" }))).toEqual(whole);
  });

  it("goes on without readers, and gives one that was cut at any event exactly the rest", async () => {
    const { calls, ask } = await serve();
    const events = Array.from({ length: 6 }, (_, index) => ({ index }));
    for (let cut = 1; cut <= events.length; cut++) {
      const key = `/?key=cut-${cut}`;
      const started = ask(key, { method: "POST" });
      await expect.poll(() => calls).toHaveLength(cut);
      calls.at(-1)?.push(...events.slice(0, cut));
      const had = await take(await started, cut);
      calls.at(-1)?.push(...events.slice(cut));
      calls.at(-1)?.end();
      const rest = await allEvents(await ask(key, { lastEventId: had.at(-1)?.id ?? "" }));
      expect(valuesOf([...had, ...rest])).toEqual(events);
      expect(rest.at(-1)?.type).toBe("done");
      expect(calls.at(-1)?.signal.aborted).toBe(false);
    }
  });

  it("is paid for once, however often the same is asked, and never while it runs", async () => {
    const { calls, ask } = await serve();
    const post = (body: string, path = "/?key=k") => ask(path, { method: "POST", body });
    const first = [post("one"), post("one"), post("one")];
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push(1);
    await Promise.all(first.map((response) => response.then(({ status }) => expect(status).toBe(200))));
    const busy = await post("another");
    expect(busy.status).toBe(409);
    expect(await busy.json()).toMatchObject({ reason: "busy", maybeProcessed: false });
    expect((await post("one", "/?key=k&other=1")).status).toBe(409);
    calls[0]?.end();
    const texts = await Promise.all(first.map(async (response) => (await response).text()));
    expect(new Set(texts).size).toBe(1);
    expect(await (await post("one")).text()).toBe(texts[0]);
    expect(calls).toHaveLength(1);
    const next = [post("another"), post("another")];
    await expect.poll(() => calls).toHaveLength(2);
    calls[1]?.push(2);
    calls[1]?.end();
    for (const response of next) expect(valuesOf(await allEvents(await response))).toEqual([2]);
    expect(valuesOf(await allEvents(await ask("/?key=k")))).toEqual([2]);
    expect(calls.map(({ question }) => question)).toEqual(["one", "another"]);
  });

  it("that did not come to its end is asked for anew", async () => {
    const { calls, ask } = await serve();
    const post = () => ask("/?key=k", { method: "POST", body: "q" });
    const broken = post();
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push(1);
    calls[0]?.fail(new Error(`Connection to ${API_KEY} lost`));
    const events = await allEvents(await broken);
    expect(typesOf(events)).toEqual(["message", "error"]);
    expect(JSON.stringify(events)).not.toContain(API_KEY);
    expect(await allEvents(await ask("/?key=k"))).toEqual(events);
    const stopped = post();
    await expect.poll(() => calls).toHaveLength(2);
    calls[1]?.push(2);
    expect(await (await ask("/?key=k", { method: "DELETE" })).json()).toEqual({ stopped: true });
    expect(typesOf(await allEvents(await stopped)).at(-1)).toBe("stopped");
    expect(calls[1]?.signal.aborted).toBe(true);
    expect(await (await ask("/?key=k", { method: "DELETE" })).json()).toEqual({ stopped: false });
    expect(typesOf(await allEvents(await ask("/?key=k"))).at(-1)).toBe("stopped");
    const again = post();
    await expect.poll(() => calls).toHaveLength(3);
    calls[2]?.end();
    expect(typesOf(await allEvents(await again))).toEqual(["done"]);
    expect((await ask("/?key=k", { lastEventId: events[0]?.id ?? "" })).status).toBe(204);
  });

  it("is answered anew where the application says so, and not while it runs", async () => {
    const { calls, ask } = await serve({ anew: async (request) => (await request.text()) === "again" });
    const post = (body: string) => ask("/?key=k", { method: "POST", body });
    for (const [index, body] of ["again", "again", "once"].entries()) {
      const first = post(body);
      await expect.poll(() => calls).toHaveLength(index + 1);
      calls[index]?.push(index);
      const second = await post(body);
      calls[index]?.end();
      expect(valuesOf(await allEvents(second))).toEqual([index]);
      expect(valuesOf(await allEvents(await first))).toEqual([index]);
    }
    expect(valuesOf(await allEvents(await post("once")))).toEqual([2]);
    expect(calls).toHaveLength(3);
  });

  it("ends at once also where the call does not mind its signal", async () => {
    let left = 0;
    const { ask, handlers } = await serve({
      open: async () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise<never>(() => {}),
          return: async () => ({ done: true, value: left++ }),
        }),
      }),
    });
    const stopped = ask("/?key=k", { method: "POST" });
    await expect
      .poll(async () => (await (await ask("/?key=k", { method: "DELETE" })).json()).stopped)
      .toBe(true);
    expect(typesOf(await allEvents(await stopped))).toEqual(["stopped"]);
    await expect.poll(() => left).toBe(1);
    const cut = ask("/?key=l", { method: "POST", body: "l" });
    await expect.poll(async () => (await ask("/?key=l", { method: "POST" })).status).toBe(409);
    await handlers.close();
    expect(left).toBe(2);
    expect((await cut).status).toBe(502);
  });

  it("that is opened when nobody wants it any more is closed", async () => {
    let release = () => {};
    const opened = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isLeft = false;
    const { ask } = await serve({
      async open() {
        await opened;
        return new ReadableStream({
          cancel() {
            isLeft = true;
          },
        });
      },
    });
    const stopped = ask("/?key=k", { method: "POST" });
    await expect
      .poll(async () => (await (await ask("/?key=k", { method: "DELETE" })).json()).stopped)
      .toBe(true);
    expect(typesOf(await allEvents(await stopped))).toEqual(["stopped"]);
    release();
    await expect.poll(() => isLeft).toBe(true);
  });

  it("that is stopped before its first event says so", async () => {
    const { calls, ask } = await serve();
    const started = ask("/?key=k", { method: "POST" });
    await expect.poll(() => calls).toHaveLength(1);
    await ask("/?key=k", { method: "DELETE" });
    expect(typesOf(await allEvents(await started))).toEqual(["stopped"]);
    await expect.poll(() => calls[0]?.signal.aborted).toBe(true);
  });

  it("is aborted when nobody reads it for the grace time", async () => {
    const { calls, ask } = await serve({ graceMs: 60 });
    const started = ask("/?key=k", { method: "POST" });
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push(1);
    await take(await started, 1);
    await expect.poll(() => calls[0]?.signal.aborted).toBe(true);
    const late = await allEvents(await ask("/?key=k"));
    expect(late.at(-1)).toMatchObject({ type: "error", data: expect.stringContaining("graceMs") });
  });

  it("is not aborted while its only reader takes nothing", async () => {
    const { calls, handlers } = await serve({ graceMs: 60 });
    const started = handlers.POST(
      new Request("http://localhost/?key=k", { method: "POST", headers: { "x-user": "ann" } }),
    );
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push(1);
    const { body } = await started;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(calls[0]?.signal.aborted).toBe(false);
    await body?.cancel();
    await expect.poll(() => calls[0]?.signal.aborted).toBe(true);
  });

  it("is forgotten some time after its end", async () => {
    const { calls, ask } = await serve({ keepMs: 30 });
    const started = ask("/?key=k", { method: "POST" });
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.end();
    await (await started).text();
    await expect.poll(async () => (await ask("/?key=k")).status).toBe(204);
  });

  it("is never told to be whole to a request that was given up", async () => {
    const { calls, handlers } = await serve();
    const controller = new AbortController();
    const request = new Request("http://localhost/?key=k", {
      ...{ method: "POST", headers: { "x-user": "ann" }, signal: controller.signal },
    });
    const started = handlers.POST(request);
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push(1);
    const reader = (await started).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("data: 1");
    const next = reader?.read();
    controller.abort();
    await expect(next).rejects.toThrow("left");
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  it("is cut when the handlers close, and told so; nothing begins any more", async () => {
    const { calls, handlers, ask } = await serve();
    const started = ask("/?key=k", { method: "POST" });
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push(1);
    const events = allEvents(await started);
    await handlers.close();
    expect(typesOf(await events)).toEqual(["message", "error"]);
    expect((await events)[1]?.data).toContain("cut");
    expect(calls[0]?.signal.aborted).toBe(true);
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await ask("/?key=l", { method });
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ reason: "closing" });
    }
    expect(calls).toHaveLength(1);
  });

  it("is handed to the platform as work to wait for", async () => {
    const works: Promise<void>[] = [];
    const { calls, ask } = await serve({ waitUntil: (work) => void works.push(work) });
    const started = ask("/?key=k", { method: "POST" });
    await expect.poll(() => works).toHaveLength(1);
    let isOver = false;
    void works[0]?.then(() => {
      isOver = true;
    });
    calls[0]?.push(1);
    await take(await started, 1);
    expect(isOver).toBe(false);
    calls[0]?.end();
    await works[0];
    expect(typesOf(await allEvents(await ask("/?key=k")))).toEqual(["message", "done"]);
    expect(works).toHaveLength(1);
  });

  it("is one for all handlers of a process that are given no store, and another under another name", async () => {
    const calls: Call[] = [];
    const make = (name: string) =>
      createStreamHandlers({
        name,
        owner: () => "ann",
        async open(request, { signal }) {
          const call = new Call(signal, await request.text());
          calls.push(call);
          return call.read();
        },
      });
    const name = crypto.randomUUID();
    const [one, other, foreign] = [make(name), make(name), make(`${name}-2`)];
    const request = (method: string) => new Request("http://localhost/?key=k", { method });
    const started = one.POST(request("POST"));
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push(1);
    expect((await foreign.GET(request("GET"))).status).toBe(204);
    const joined = await other.GET(request("GET"));
    expect(await (await other.DELETE(request("DELETE"))).json()).toEqual({ stopped: true });
    expect(typesOf(await allEvents(joined))).toEqual(["message", "stopped"]);
    expect(await allEvents(await started)).toHaveLength(2);
    await other.close();
    // The store is not the other's alone.
    expect(typesOf(await allEvents(await one.GET(request("GET"))))).toEqual(["message", "stopped"]);
  });
});

describe("who asks for a stream", () => {
  it("reads and stops no other's, whatever the names", async () => {
    const { calls, ask } = await serve();
    const started = ask("/?key=k", { method: "POST", user: "ann" });
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.push("secret");
    for (const [user, key] of [
      ["bob", "k"],
      ["an", "nk"],
      ['ann","k', ""],
      ["ann", "k2"],
    ] as const) {
      const path = `/?key=${key || "k"}`;
      expect((await ask(path, { user })).status).toBe(204);
      expect(await (await ask(path, { user, method: "DELETE" })).json()).toEqual({ stopped: false });
    }
    const own = ask("/?key=k", { method: "POST", user: "bob" });
    await expect.poll(() => calls).toHaveLength(2);
    calls[1]?.end();
    expect(valuesOf(await allEvents(await own))).toEqual([]);
    calls[0]?.end();
    expect(valuesOf(await allEvents(await started))).toEqual(["secret"]);
  });

  it("is asked for before anything else, and answered as the application says", async () => {
    const actions: string[] = [];
    const { calls, ask } = await serve({
      owner(request, { key, action }) {
        actions.push(`${action} ${key}`);
        if (request.headers.get("x-user") === "nobody") return undefined;
        return new Response("Log in.", { status: 401 });
      },
    });
    for (const method of ["POST", "GET", "DELETE"]) {
      expect((await ask("/?key=k", { method, user: "nobody" })).status).toBe(403);
      const response = await ask("/?key=k", { method });
      expect([response.status, await response.text()]).toEqual([401, "Log in."]);
      expect((await ask("/", { method })).status).toBe(400);
    }
    expect(actions).toEqual(["start k", "start k", "resume k", "resume k", "stop k", "stop k"]);
    expect(calls).toHaveLength(0);
  });

  it("is refused by the application before anything is paid, and may ask again", async () => {
    let refuses = true;
    const { ask } = await serve({
      async open(request) {
        if ((await request.text()) === "" || refuses) return Response.json({ why: "empty" }, { status: 422 });
        return new ReadableStream({
          start(controller) {
            controller.enqueue("answer");
            controller.close();
          },
        });
      },
    });
    const refused = await ask("/?key=k", { method: "POST", body: "q" });
    expect([refused.status, await refused.json()]).toEqual([422, { why: "empty" }]);
    expect((await ask("/?key=k")).status).toBe(204);
    refuses = false;
    const answered = await ask("/?key=k", { method: "POST", body: "q" });
    expect(valuesOf(await allEvents(answered))).toEqual(["answer"]);
  });

  it("is told what may be known of an error, and nothing of the server's secrets", async () => {
    const secret = `${API_KEY} at 10.0.0.7`;
    const errors = [
      [new RateLimitError(secret, { status: 429, headers: new Headers(), body: {} } as never), 429],
      [
        new BudgetExceededError(secret, {
          ...{ limit: 1, spent: 1, reserved: 0 },
          needed: 1,
          currency: "USD",
          renewsAt: 0,
        }),
        429,
      ],
      [new BudgetUnavailableError(secret), 503],
      [new Error(secret), 500],
    ] as const;
    for (const [error, status] of errors) {
      const { ask } = await serve({ open: () => Promise.reject(error) });
      const response = await ask("/?key=k", { method: "POST" });
      expect(response.status).toBe(status);
      const text = await response.text();
      expect(text).not.toContain(API_KEY);
      expect(text.includes("What may be spent")).toBe(BudgetExceededError.isInstance(error));
    }
  });

  it("can read bodies to name the stream, and leaves them to the call", async () => {
    const { calls, ask } = await serve({ key: async (request) => (await request.text()).slice(0, 3) });
    const started = ask("/", { method: "POST", body: "abc def" });
    await expect.poll(() => calls).toHaveLength(1);
    calls[0]?.end();
    expect(typesOf(await allEvents(await started))).toEqual(["done"]);
    expect(calls[0]?.question).toBe("abc def");
  });
});

describe("options of handlers", () => {
  const make = (options: object) => () =>
    createStreamHandlers({ open: async () => new ReadableStream(), owner: () => "ann", ...options });

  it("that make no sense are refused", () => {
    expect(make({ graceMS: 1 })).toThrow(/graceMS.*did you mean graceMs/);
    for (const value of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "5s"])
      expect(make({ keepMs: value })).toThrow(/keepMs must be a number above 0/);
    expect(make({ keepMs: 1, graceMs: undefined })).not.toThrow();
  });
});

describe("chats of the gateway, read through handlers", () => {
  let upstream: ScenarioServer;
  let server: RouteServer;
  let handlers: StreamHandlers;
  beforeAll(async () => {
    upstream = await startScenarioServer();
    handlers = createStreamHandlers({
      store: new MemoryStreamStore(),
      owner: () => "ann",
      async open(request, { signal }) {
        const gateway = gatewayFor(`${upstream.origin}/${new URL(request.url).pathname.slice(1)}/v1`, {
          maxRetries: 0,
        });
        const messages = [{ role: "user" as const, content: "x" }];
        return gateway.chat.completions.create({ model: "m", messages, stream: true }, { signal });
      },
    });
    server = await serveRoutes(() => handlers);
  });
  afterAll(async () => {
    await server.close();
    await handlers.close();
    await upstream.close();
  });

  const cases = CHAT_STREAMS.map((stream) => [stream.name, stream] as const);
  describe.each(cases)("%s", (_name, { events, means }: ChatStream) => {
    it.each(ENDINGS)("ending %s is the same at every pace, for early and late readers", async (ending) => {
      const sent = dataOf(events, ending);
      const isWhole = (ending === "proper" || ending === "no-marker") && means.error === undefined;
      const outcomes = await Promise.all(
        PACES.map(async (pace) => {
          upstream.replay({ events, ending, pace, seed: 3, path: `/${pace}/v1/chat/completions` });
          const path = `/${pace}?key=${crypto.randomUUID()}`;
          const before = upstream.requests.filter((request) => request.path.startsWith(`/${pace}/`)).length;
          const response = await ask(server, path, { method: "POST" });
          const text = await response.text();
          const late = await ask(server, path, {});
          expect([late.status, await late.text()]).toEqual([response.status, text]);
          const paid = upstream.requests.filter((request) => request.path.startsWith(`/${pace}/`));
          expect(paid).toHaveLength(before + 1);
          return response.ok ? allEvents(new Response(text)) : [];
        }),
      );
      for (const read of outcomes) {
        expect(valuesOf(read)).toEqual(sent);
        if (isWhole) expect(read.at(-1)?.type).toBe("done");
        // A stream that fails before its first event is answered with a status.
        else if (sent.length > 0) expect(read.at(-1)?.type).toBe("error");
        expect(typesOf(read).filter((type) => type !== "message").length).toBeLessThanOrEqual(1);
      }
    });
  });
});
