import { channel } from "node:diagnostics_channel";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createDispatchTransport } from "./dispatch-transport.js";
import type {
  ResponseHeaders,
  Transport,
  TransportFailure,
  TransportRequest,
  TransportSink,
} from "./transport.js";

/** What undici calls while a request is under way. */
interface Handler {
  onConnect(abort: () => void): void;
  onHeaders(status: number, headers: Array<Uint8Array | string>, resume: () => void): boolean;
  onData(chunk: Uint8Array): boolean;
  onComplete(): void;
  onError(error: unknown): void;
}

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const globals = globalThis as Record<symbol, unknown>;
new Headers();
const original = globals[DISPATCHER];
const sockets = channel("undici:client:sendHeaders");
const REQUEST: TransportRequest = { method: "GET", origin: "http://127.0.0.1:9", path: "/x?y", headers: {} };

afterEach(() => {
  globals[DISPATCHER] = original;
  vi.unstubAllGlobals();
});

function transportOf(): Transport {
  const transport = createDispatchTransport();
  if (transport === undefined) throw new Error("There is no dispatcher.");
  return transport;
}

/** Sends a request to a dispatcher that does what the test says, and notes what is told of it. */
function send(request: Partial<TransportRequest> = {}, takes: () => boolean = () => true) {
  let handler: Handler | undefined;
  let options: Record<string, unknown> | undefined;
  globals[DISPATCHER] = {
    dispatch(given: Record<string, unknown>, to: Handler) {
      options = given;
      handler = to;
      return true;
    },
  };
  const told: unknown[] = [];
  const chunks: Uint8Array[] = [];
  let head: ResponseHeaders | undefined;
  let failure: TransportFailure | undefined;
  const sink: TransportSink = {
    head(status, headers) {
      head = headers;
      told.push(status);
    },
    data(chunk) {
      chunks.push(chunk);
      return takes();
    },
    end() {
      told.push("end");
    },
    failed(reason) {
      failure = reason;
      told.push(reason.phase);
    },
  };
  const exchange = transportOf().send({ ...REQUEST, headers: {}, ...request }, sink);
  const abort = vi.fn();
  const resume = vi.fn();
  let connected = false;
  const connect = () => {
    connected = true;
    handler?.onConnect(abort);
  };
  return {
    exchange,
    told,
    abort,
    resume,
    handler: handler as unknown as Handler,
    options: options as unknown as Record<string, unknown>,
    text: () => Buffer.concat(chunks).toString(),
    head: () => head as ResponseHeaders,
    failure: () => failure,
    connect,
    answer: (headers: Array<Uint8Array | string> = [], status = 200) => {
      if (!connected) connect();
      return handler?.onHeaders(status, headers, resume);
    },
  };
}

describe("the dispatcher of Node", () => {
  it.each([undefined, null, {}, { dispatch: true }])("is none when it is %j", (dispatcher) => {
    const transport = transportOf();
    globals[DISPATCHER] = dispatcher;
    expect([createDispatchTransport(), transport.resolvesHere?.()]).toEqual([undefined, false]);
    expect(() => transport.send(REQUEST, {} as TransportSink)).toThrow("dispatcher has been removed");
  });

  it("is asked for what is to be sent, without limits of its own and without compression", () => {
    const { options } = send({ method: "POST", headers: { a: "b" }, body: "body" });
    expect(options).toEqual({
      origin: "http://127.0.0.1:9",
      path: "/x?y",
      method: "POST",
      headers: { a: "b", "accept-encoding": "identity" },
      body: "body",
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    expect(send().options["body"]).toBeNull();
  });

  it.each([
    ["93.184.216.34", "https://93.184.216.34:8443"],
    ["2606:2800::1", "https://[2606:2800::1]:8443"],
  ])("connects to %s where it is told to, and names the host to it", (connectTo, origin) => {
    const { options } = send({ origin: "https://files.example.com:8443", connectTo });
    expect(options).toMatchObject({ origin, headers: { host: "files.example.com:8443" } });
  });

  it("may fail at once: then nothing was sent", () => {
    globals[DISPATCHER] = {
      dispatch() {
        throw Object.assign(new Error("no such header"), { code: "UND_ERR_INVALID_ARG" });
      },
    };
    const failed = vi.fn();
    transportOf().send({ ...REQUEST, headers: {} }, { failed } as unknown as TransportSink);
    expect(failed.mock.calls).toMatchObject([[{ phase: "unsent", code: "UND_ERR_INVALID_ARG" }]]);
  });

  it("serves where Node tells nothing of its sockets", async () => {
    for (const modules of [undefined, {}]) {
      vi.resetModules();
      vi.stubGlobal("process", { ...process, getBuiltinModule: () => modules });
      const fresh = await import("./dispatch-transport.js");
      expect(fresh.createDispatchTransport()).toBeDefined();
      vi.unstubAllGlobals();
    }
  });

  it("is listened to once, however many clients there are", async () => {
    const subscribe = vi.fn();
    vi.resetModules();
    vi.stubGlobal("process", { ...process, getBuiltinModule: () => ({ subscribe }) });
    const fresh = await import("./dispatch-transport.js");
    fresh.createDispatchTransport();
    fresh.createDispatchTransport();
    expect(subscribe.mock.calls).toEqual([["undici:client:sendHeaders", expect.any(Function)]]);
  });
});

describe("an exchange", () => {
  it("is connecting until it is connected; what fails before was not sent", () => {
    const early = send();
    expect(early.exchange.isConnecting()).toBe(true);
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    early.handler.onError(cause);
    early.handler.onError(cause);
    expect(early.told).toEqual(["unsent"]);
    expect(early.failure()).toEqual({ phase: "unsent", code: "ECONNREFUSED", cause });

    const late = send();
    late.connect();
    expect(late.exchange.isConnecting()).toBe(false);
    late.handler.onError(cause);
    expect(late.told).toEqual(["no_answer"]);
  });

  it("passes an answer on as it comes, and how fast it may come", () => {
    const { answer, handler, exchange, told, text, resume } = send({}, () => false);
    expect(answer()).toBe(true);
    expect(handler.onData(Buffer.from("ab"))).toBe(false);
    exchange.resume();
    expect(resume).toHaveBeenCalledTimes(1);
    handler.onComplete();
    handler.onComplete();
    expect([told, text()]).toEqual([[200, "end"], "ab"]);
    const willing = send();
    willing.answer();
    expect(willing.handler.onData(Buffer.from("ab"))).toBe(true);
  });

  it("takes no interim answer for the answer", () => {
    const { answer, told } = send();
    for (const status of [100, 103, 199]) expect(answer([], status)).toBe(true);
    expect(told).toEqual([]);
    answer([], 200);
    expect(told).toEqual([200]);
  });

  it("may be resumed before there is anything to resume", () => {
    expect(() => send().exchange.resume()).not.toThrow();
  });

  it("reads headers as they are written, whatever their case and form", () => {
    const { answer, head } = send();
    const bytes = (text: string) => Buffer.from(text, "latin1");
    answer(["X-One", "a", bytes("x-two"), bytes("\xfc"), "x-one", "b", "x-non", "c", "x-last"]);
    const names = ["x-one", "x-two", "x-last", "x-none", "x-thr"];
    expect(names.map((name) => head().get(name))).toEqual(["a", "\xfc", "", undefined, undefined]);
    expect(head().toRecord()).toEqual({ "x-one": "a, b", "x-two": "\xfc", "x-non": "c", "x-last": "" });
  });

  it("takes no value of a header for a name", () => {
    const { answer, head } = send();
    answer(["x-one", "x-two", "x-three", "x-one"]);
    expect([head().get("x-two"), head().get("x-one")]).toEqual([undefined, "x-two"]);
  });

  it("says nothing more once it is aborted, and has its connection closed", () => {
    const { answer, handler, exchange, told, text, abort } = send();
    answer();
    exchange.abort();
    expect(abort).toHaveBeenCalledTimes(1);
    expect(handler.onData(Buffer.from("ab"))).toBe(true);
    expect(answer()).toBe(true);
    handler.onComplete();
    handler.onError(new Error("aborted"));
    expect([told, text()]).toEqual([[200], ""]);
  });

  it("that was aborted before its connection came is not sent over it", () => {
    const { connect, exchange, abort } = send();
    exchange.abort();
    connect();
    expect(abort).toHaveBeenCalledTimes(1);
    expect(exchange.isConnecting()).toBe(true);
  });
});

describe("the end of an answer in chunks", () => {
  const CHUNKED = ["Transfer-Encoding", "gzip, Chunked"];

  it("is no end when its socket has ended, which undici cannot tell from one", () => {
    const { connect, answer, handler, told, failure } = send();
    connect();
    sockets.publish({ socket: { readableEnded: true } });
    answer(CHUNKED);
    handler.onComplete();
    expect(told).toEqual([200, "no_answer"]);
    expect(String(failure()?.cause)).toContain("closed inside a chunked body");
  });

  it.each<[string, unknown, string[]]>([
    ["its socket is open", { socket: { readableEnded: false } }, CHUNKED],
    ["nobody knows its socket", {}, CHUNKED],
    ["it is in no chunks", { socket: { readableEnded: true } }, []],
    ["it is encoded otherwise", { socket: { readableEnded: true } }, ["transfer-encoding", "identity"]],
  ])("is one when %s", (_when, message, headers) => {
    const { connect, answer, handler, told } = send();
    connect();
    sockets.publish(message);
    // Somebody else's request.
    sockets.publish({ socket: { readableEnded: true } });
    answer(headers);
    handler.onComplete();
    expect(told).toEqual([200, "end"]);
  });

  it("is not of interest to requests that are not ours", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => void uncaught.push(error);
    process.on("uncaughtException", note);
    const { connect } = send();
    connect();
    sockets.publish({ socket: {} });
    sockets.publish({ socket: {} });
    await new Promise(setImmediate);
    process.off("uncaughtException", note);
    expect(uncaught).toEqual([]);
  });
});

describe("an answer that is encoded", () => {
  const GZIP = ["content-encoding", "gzip", "content-length", "9", "x-one", "a"];

  it("is decoded, and so are its headers", async () => {
    const { answer, handler, told, text, head } = send();
    expect(answer(GZIP)).toBe(true);
    expect(handler.onData(gzipSync("Hello"))).toBe(true);
    handler.onComplete();
    await vi.waitFor(() => expect(told).toEqual([200, "end"]));
    expect(text()).toBe("Hello");
    expect(head().toRecord()).toEqual({ "x-one": "a" });
  });

  it("waits for its reader, and lets the connection wait for its decoder", async () => {
    let open = false;
    const { answer, handler, exchange, told, text, resume } = send({}, () => open);
    answer(GZIP);
    expect(handler.onData(gzipSync(Buffer.alloc(200_000, "x"), { level: 0 }))).toBe(false);
    await vi.waitFor(() => expect(text()).not.toBe(""));
    expect(resume).not.toHaveBeenCalled();
    open = true;
    exchange.resume();
    await vi.waitFor(() => expect(resume).toHaveBeenCalled());
    handler.onComplete();
    await vi.waitFor(() => expect(told).toEqual([200, "end"]));
    expect(text()).toHaveLength(200_000);
  });

  it("fails once when it is broken", async () => {
    const { answer, handler, told, failure } = send();
    answer(GZIP);
    handler.onData(Buffer.from("no gzip"));
    await vi.waitFor(() => expect(told).toEqual([200, "no_answer"]));
    handler.onComplete();
    expect(failure()?.code).toBe("Z_DATA_ERROR");
  });

  it("that nobody can decode is unusable, and its connection closed", () => {
    const { answer, handler, told, failure, abort } = send();
    expect(answer(["content-encoding", "gzip, zip"])).toBe(true);
    expect(abort).toHaveBeenCalledTimes(1);
    handler.onError(new Error("aborted"));
    expect(told).toEqual(["unusable"]);
    expect(failure()?.cause).toEqual(
      new TypeError("The answer is encoded as gzip, zip, which this Node cannot read."),
    );
  });

  it.each(["aborted", "failed"])("is let go of when it is %s", async (how) => {
    const destroyed = vi.fn();
    const zlib = process.getBuiltinModule("node:zlib");
    const gunzip = zlib.createGunzip();
    gunzip.once("close", destroyed);
    vi.stubGlobal("process", { ...process, getBuiltinModule: () => ({ createGunzip: () => gunzip }) });
    const { answer, handler, exchange, told, text } = send();
    answer(GZIP);
    vi.unstubAllGlobals();
    handler.onData(gzipSync("Hello"));
    if (how === "aborted") exchange.abort();
    else handler.onError(new Error("lost"));
    await vi.waitFor(() => expect(destroyed).toHaveBeenCalled());
    expect([told, text()]).toEqual([how === "aborted" ? [200] : [200, "no_answer"], ""]);
  });
});
