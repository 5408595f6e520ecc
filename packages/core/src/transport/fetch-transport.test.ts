import { Readable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { chunk, completion } from "../../test/scripted-server.js";
import type { FetchFunction } from "../index.js";
import { createFetchTransport, isBrowserRuntime } from "./fetch-transport.js";
import type { ResponseHeaders, TransportFailure, TransportRequest } from "./transport.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const WHOLE = JSON.stringify(completion("Hello"));
const EVENTS = [chunk("Hel"), chunk("lo", "stop")].map((event) => `data: ${JSON.stringify(event)}\n\n`);

/** What older fetch functions answer with: the same head, another kind of body. */
const answering =
  (body: object, type = "application/json"): FetchFunction =>
  async () =>
    ({ status: 200, headers: new Headers({ "content-type": type }), ...body }) as unknown as Response;

describe("a fetch function of the user's", () => {
  it("may answer with a stream of Node's, as node-fetch does", async () => {
    const fetch = answering({
      body: Readable.from([Buffer.from(WHOLE.slice(0, 9)), Buffer.from(WHOLE.slice(9))]),
    });
    const { choices } = await gatewayFor("https://gateway.example/v1", { fetch }).chat.completions.create(
      CHAT,
    );
    expect(choices[0]?.message.content).toBe("Hello");
    const streaming = answering(
      { body: Readable.from(EVENTS.map((event) => Buffer.from(event))) },
      "text/event-stream",
    );
    const stream = await gatewayFor("https://gateway.example/v1", {
      fetch: streaming,
    }).chat.completions.create({
      ...CHAT,
      stream: true,
    });
    expect((await stream.finalCompletion()).choices[0]?.message.content).toBe("Hello");
  });

  it("may answer with nothing but arrayBuffer(), as React Native does", async () => {
    const fetch = answering({ arrayBuffer: async () => new TextEncoder().encode(WHOLE).buffer });
    const { choices } = await gatewayFor("https://gateway.example/v1", { fetch }).chat.completions.create(
      CHAT,
    );
    expect(choices[0]?.message.content).toBe("Hello");
  });

  it("whose body nobody can read is told once, and the call is not made again", async () => {
    let calls = 0;
    const fetch: FetchFunction = async (...args) => {
      calls++;
      return answering({ body: { pipe() {} } })(...args);
    };
    const gateway = gatewayFor("https://gateway.example/v1", { fetch });
    const error = await errorOf(
      gateway.videos.create({ model: "m", content: [{ type: "text", text: "x" }] }),
    );
    expect(error).toMatchObject({
      kind: "configuration",
      option: "fetch",
      attempts: 1,
      maybeProcessed: true,
    });
    expect((error as Error).message).toMatch(/body that nobody can read.*The request was sent.*billed/);
    expect(calls).toBe(1);
  });

  it("whose body ends before its declared length was cut off", async () => {
    const fetch: FetchFunction = async () =>
      new Response("{}", { headers: { "content-type": "application/json", "content-length": "3" } });
    const error = await errorOf(
      gatewayFor("https://gateway.example/v1", { fetch, maxRetries: 0 }).models.list(),
    );
    expect(error).toMatchObject({ kind: "connection" });
    const decoded: FetchFunction = async () =>
      new Response('{"data":[]}', { headers: { "content-encoding": "gzip", "content-length": "30" } });
    expect(await gatewayFor("https://gateway.example/v1", { fetch: decoded }).models.list()).toEqual([]);
  });

  it("that follows nothing and throws what it likes gives errors of ours", async () => {
    for (const thrown of [undefined, null, "text", { code: "ECONNREFUSED" }]) {
      const fetch: FetchFunction = () => Promise.reject(thrown);
      const error = await errorOf(
        gatewayFor("https://gateway.example/v1", { fetch, maxRetries: 0 }).models.list(),
      );
      expect(error).toMatchObject({ kind: "connection" });
    }
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Sends a request over a fetch function, and notes what is told of it. */
function send(
  fetch: FetchFunction,
  request: Partial<TransportRequest> = {},
  takes: () => boolean = () => true,
) {
  const told: unknown[] = [];
  let headers: ResponseHeaders | undefined;
  let failure: TransportFailure | undefined;
  let settle: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const exchange = createFetchTransport(fetch).send(
    { method: "GET", origin: "https://gateway.example", path: "/x?y", headers: {}, ...request },
    {
      head(status, given) {
        headers = given;
        told.push(status);
      },
      data(chunk) {
        told.push(Buffer.from(chunk).toString());
        return takes();
      },
      end() {
        told.push("end");
        settle();
      },
      failed(reason) {
        failure = reason;
        told.push(reason.phase);
        settle();
      },
    },
  );
  return { exchange, told, over, headers: () => headers, failure: () => failure };
}

/** A body that gives its pieces one by one, and stays open after them unless it is closed. */
function bodyOf(pieces: string[], { closed = false } = {}) {
  const cancelled = vi.fn();
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces.shift();
        if (piece !== undefined) controller.enqueue(Buffer.from(piece));
        else if (closed) controller.close();
        else return new Promise<void>(() => {});
        return undefined;
      },
      cancel: cancelled,
    },
    { highWaterMark: 0 },
  );
  return { body, cancelled };
}

/** Resolves when whatever is ready to happen has happened. */
const settled = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
};

describe("a request over fetch", () => {
  /** What the function is given for a request. */
  async function given(request: Partial<TransportRequest>) {
    const asked: Array<[string, Record<string, unknown>]> = [];
    const { over } = send(async (url, init) => {
      asked.push([url, init as Record<string, unknown>]);
      return new Response();
    }, request);
    await over;
    return asked;
  }

  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield Buffer.from("ab");
    yield Buffer.from("cd");
  }

  it("is what was asked for, and follows no redirect", async () => {
    const headers = { authorization: "Bearer k" };
    const init = {
      method: "POST",
      headers,
      body: "text",
      redirect: "manual",
      signal: expect.any(AbortSignal),
    };
    expect(await given({ method: "POST", headers, body: "text" })).toEqual([
      ["https://gateway.example/x?y", init],
    ]);
    const blob = new Blob(["blob"]);
    expect((await given({ body: blob }))[0]?.[1]["body"]).toBe(blob);
    expect((await given({}))[0]?.[1]["body"]).toBeUndefined();
  });

  it("streams a body that can be read once", async () => {
    const [[, init] = ["", {} as Record<string, unknown>]] = await given({ body: pieces() });
    expect(init).toMatchObject({ duplex: "half", redirect: "manual", body: expect.any(ReadableStream) });
    expect(await new Response(init["body"] as ReadableStream).text()).toBe("abcd");
  });

  it("lets go of a body that nobody wants to the end", async () => {
    const returned = vi.fn();
    const closing: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: returned }),
    };
    const plain: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    };
    for (const body of [closing, plain]) {
      const [[, init] = ["", {} as Record<string, unknown>]] = await given({ body });
      await (init["body"] as ReadableStream).cancel();
    }
    expect(returned).toHaveBeenCalledTimes(1);
  });

  it("has its body read before it is sent in a browser, which may not be able to stream it", async () => {
    vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0" });
    const [[, init] = ["", {} as Record<string, unknown>]] = await given({ body: pieces() });
    expect(init).toMatchObject({ redirect: "manual", body: expect.any(Blob) });
    expect(init).not.toHaveProperty("duplex");
    expect(await (init["body"] as Blob).text()).toBe("abcd");
  });

  it("has its text as a Blob in Deno, which sends texts and bytes again without being asked", async () => {
    const isBlob = async (body: TransportRequest["body"]) =>
      (await given({ body }))[0]?.[1]["body"] instanceof Blob;
    expect(await isBlob("text")).toBe(false);
    vi.stubGlobal("Deno", {});
    expect(await isBlob("text")).toBe(true);
    expect(await isBlob(new Uint8Array(1))).toBe(true);
    expect(await isBlob(undefined)).toBe(false);
    const body = (await given({ body: "text" }))[0]?.[1]["body"] as Blob;
    expect(await body.text()).toBe("text");
  });

  it.each<[unknown, boolean]>([
    [{ userAgent: "Mozilla/5.0 (X11; Linux)" }, true],
    [{ userAgent: "Node.js/22" }, false],
    [{ userAgent: "Bun, and not Mozilla/5.0" }, false],
    [{}, false],
    [undefined, false],
  ])("is made in a browser where navigator is %j: %j", (navigator, browser) => {
    vi.stubGlobal("navigator", navigator);
    expect(isBrowserRuntime()).toBe(browser);
  });
});

describe("an answer over fetch", () => {
  it("is passed on as it comes", async () => {
    const { body } = bodyOf(["ab", "cd"], { closed: true });
    const response = new Response(body, { status: 201, headers: { "X-One": "a", "content-length": "4" } });
    const { told, over, headers, exchange } = send(async () => response);
    expect(exchange.isConnecting()).toBe(false);
    await over;
    expect(told).toEqual([201, "ab", "cd", "end"]);
    expect([headers()?.get("x-one"), headers()?.get("x-two")]).toEqual(["a", undefined]);
    expect(headers()?.toRecord()).toEqual({ "x-one": "a", "content-length": "4" });
  });

  it("of nothing is nothing", async () => {
    const { told, over } = send(async () => new Response(null, { status: 204 }));
    await over;
    expect(told.filter((part) => part !== "")).toEqual([204, "end"]);
    const bare = { status: 204, headers: new Headers(), body: null } as unknown as Response;
    const older = send(async () => bare);
    await older.over;
    expect(older.told).toEqual([204, "end"]);
  });

  it.each<[string, Record<string, string>, string]>([
    ["as long as declared", { "content-length": "2" }, "end"],
    ["longer than declared", { "content-length": "1" }, "end"],
    ["shorter than declared", { "content-length": "12" }, "no_answer"],
    ["of a length that is not written in digits", { "content-length": "0x3" }, "end"],
    ["of a length that is not written in digits only", { "content-length": "3e1" }, "end"],
    ["of no declared length", {}, "end"],
    ["encoded, whatever its length", { "content-length": "30", "content-encoding": "gzip" }, "end"],
  ])("that is %s", async (_what, headers, end) => {
    const { told, over, failure } = send(async () => new Response("ab", { headers }));
    await over;
    expect(told).toEqual([200, "ab", end]);
    if (end !== "end") expect(String(failure()?.cause)).toContain("ended after 2 of 12 bytes");
  });

  it("may have a body that can be read by a reader only", async () => {
    const { body } = bodyOf(["ab"], { closed: true });
    const bare = { status: 200, headers: new Headers(), body: { getReader: () => body.getReader() } };
    const { told, over } = send(async () => bare as unknown as Response);
    await over;
    expect(told).toEqual([200, "ab", "end"]);
  });

  it("has ended once, also where the end is too much for somebody", async () => {
    const failed = vi.fn();
    const end = vi.fn(() => {
      throw new Error("too much");
    });
    const sink = { head() {}, data: () => true, end, failed };
    const request = { method: "GET", origin: "https://gateway.example", path: "/", headers: {} };
    createFetchTransport(async () => new Response()).send(request, sink);
    await settled();
    expect(end).toHaveBeenCalledTimes(1);
    expect(failed).not.toHaveBeenCalled();
  });

  it("waits while it is told to", async () => {
    const { body } = bodyOf(["a", "b", "c"], { closed: true });
    let open = false;
    const { told, over, exchange } = send(
      async () => new Response(body),
      {},
      () => open,
    );
    exchange.resume();
    await settled();
    expect(told).toEqual([200, "a"]);
    exchange.resume();
    await settled();
    expect(told).toEqual([200, "a", "b"]);
    open = true;
    exchange.resume();
    await over;
    expect(told).toEqual([200, "a", "b", "c", "end"]);
  });

  it.each<[string, unknown, string]>([
    ["nothing was sent", { code: "ECONNREFUSED" }, "unsent"],
    ["nobody knows", { code: "ECONNRESET" }, "no_answer"],
  ])("may never come: %s", async (_what, error, phase) => {
    const { over, told, failure } = send(() => Promise.reject(error));
    await over;
    expect([told, failure()]).toEqual([
      [phase],
      { phase, code: (error as { code: string }).code, cause: error },
    ]);
  });

  it("that breaks was asked for, whatever the system says of it", async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(Object.assign(new Error("lost"), { code: "ECONNREFUSED" })),
    });
    const { over, told } = send(async () => new Response(body));
    await over;
    expect(told).toEqual([200, "no_answer"]);
  });

  it("whose body nobody can read is unusable", async () => {
    const bare = { status: 200, headers: new Headers(), body: { pipe() {} } } as unknown as Response;
    const { over, told } = send(async () => bare);
    await over;
    expect(told).toEqual([200, "unusable"]);
  });
});

describe("an aborted exchange over fetch", () => {
  it("tells the function so", () => {
    let signal: AbortSignal | null | undefined;
    const { exchange } = send(async (_url, init) => {
      signal = init?.signal;
      return new Response();
    });
    return settled().then(() => {
      expect(signal?.aborted).toBe(false);
      exchange.abort();
      expect(signal?.aborted).toBe(true);
    });
  });

  it("says nothing of an error, nor of an answer that comes after all, and lets go of its body", async () => {
    const failed = send(async () => {
      throw new Error("aborted");
    });
    failed.exchange.abort();
    const { body, cancelled } = bodyOf(["ab"]);
    const refusing = new ReadableStream({ cancel: () => Promise.reject(new Error("no")) });
    const bare = (given: unknown) =>
      ({ status: 200, headers: new Headers(), body: given }) as unknown as Response;
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    for (const response of [
      new Response(body),
      new Response(refusing),
      bare(null),
      bare({}),
      bare(undefined),
    ]) {
      const { exchange, told } = send(async () => response);
      exchange.abort();
      await settled();
      expect(told).toEqual([]);
    }
    process.off("unhandledRejection", note);
    expect([unhandled, failed.told]).toEqual([[], []]);
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it.each(["open", "closed"])("is silent in the middle of a body that waited and is %s then", async (end) => {
    const { body, cancelled } = bodyOf(end === "open" ? ["a", "b"] : ["a"], { closed: end === "closed" });
    const { exchange, told } = send(
      async () => new Response(body),
      {},
      () => false,
    );
    await settled();
    expect(told).toEqual([200, "a"]);
    exchange.abort();
    await settled();
    expect(told).toEqual([200, "a"]);
    expect(cancelled).toHaveBeenCalledTimes(end === "open" ? 1 : 0);
  });

  it("does not wait for a reader that left over a piece", async () => {
    const { body, cancelled } = bodyOf(["a", "b"]);
    const { exchange, told } = send(
      async () => new Response(body),
      {},
      () => {
        exchange.abort();
        return false;
      },
    );
    await settled();
    expect(told).toEqual([200, "a"]);
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it("has nobody hear of a body that cannot be let go of", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => controller.enqueue(Buffer.from("a")),
        cancel: () => Promise.reject(new Error("no")),
      },
      { highWaterMark: 0 },
    );
    const { exchange } = send(
      async () => new Response(body),
      {},
      () => false,
    );
    await settled();
    exchange.abort();
    await settled();
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});
