import dns from "node:dns";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { API_KEY, errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import {
  type DownloadOptions,
  type FetchFunction,
  InvalidRequestError,
  InvalidResponseError,
  ModelGateway,
  StreamInterruptedError,
} from "../index.js";

interface DispatchHandler {
  onConnect(abort: () => void): void;
  onHeaders(status: number, headers: string[], resume: () => void): boolean;
  onComplete(): void;
}

const BYTES = new Uint8Array(300_000).map((_, index) => index % 251);

/** `toEqual` takes seconds for as many bytes. */
const isWhole = (bytes: Uint8Array | ArrayBuffer) => Buffer.from(bytes as Uint8Array).equals(BYTES);

describe.each(TRANSPORTS)("download over %s", (_name, transport) => {
  it("streams a file of the gateway with the key", async () => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { "content-type": "video/mp4", "content-length": BYTES.length }).end(BYTES),
    );
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/files/1.mp4?sig=s`);
    expect([file.contentType, file.contentLength]).toEqual(["video/mp4", BYTES.length]);
    expect(isWhole(await new Response(file.body).arrayBuffer())).toBe(true);
    expect(server.requests[0]).toMatchObject({
      path: "/files/1.mp4?sig=s",
      headers: { authorization: `Bearer ${API_KEY}` },
    });
  });

  it("takes results, and paths on the gateway's own host", async () => {
    const server = await startServer((_request, response) => response.end(BYTES));
    const gateway = gatewayFor(server.url, transport);
    expect(isWhole(await (await gateway.download({ url: "/files/1.mp4" })).bytes())).toBe(true);
    const file = await gateway.download(new URL(`${server.origin}/files/2.mp4`));
    expect(file.contentType).toBe("application/octet-stream");
    expect(isWhole(await file.bytes())).toBe(true);
  });

  it("follows redirects of its own host and no more than five", async () => {
    const server = await startServer(({ path }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end("done");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const gateway = gatewayFor(server.url, transport);
    expect(new TextDecoder().decode(await (await gateway.download(`${server.origin}/5`)).bytes())).toBe(
      "done",
    );
    const error = await errorOf(gateway.download(`${server.origin}/6`));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toContain("redirects");
  });

  it("does not follow a redirect into a private network, and never shows the key elsewhere", async () => {
    const secret = await startServer((_request, response) => response.end("secret"));
    const server = await startServer((_request, response) =>
      response.writeHead(302, { location: secret.origin }).end(),
    );
    const error = await errorOf(gatewayFor(server.url, transport).download(`${server.origin}/1`));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toContain("private network");
    expect(secret.requests).toHaveLength(0);
  });

  it("refuses files above maxBytes, declared or not", async () => {
    const server = await startServer(({ path }, response) => {
      if (path === "/declared") response.writeHead(200, { "content-length": BYTES.length });
      else response.writeHead(200);
      response.end(BYTES);
    });
    const gateway = gatewayFor(server.url, transport);
    const options = { maxBytes: 1_000 };
    expect(await errorOf(gateway.download(`${server.origin}/declared`, options))).toBeInstanceOf(
      InvalidResponseError,
    );
    const file = await gateway.download(`${server.origin}/chunked`, options);
    expect(await errorOf(file.bytes())).toBeInstanceOf(InvalidResponseError);
  });

  it("reports the server's error, without the query that may be a signature", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, errorBody("link expired"), 403),
    );
    const error = await errorOf(
      gatewayFor(server.url, transport).download(`${server.origin}/1.mp4?signature=xyz`),
    );
    expect(error).toMatchObject({ status: 403, path: "/1.mp4" });
    expect((error as Error).message).not.toContain("xyz");
  });

  it("reports a file that breaks off", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-length": 1_000_000 });
      response.write(BYTES, () => response.destroy());
    });
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`);
    expect(await errorOf(file.bytes())).toBeInstanceOf(StreamInterruptedError);
  });

  it("closes the connection when the body is cancelled", async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200);
      response.write(BYTES);
    });
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`);
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    await file.body.cancel();
    await closed;
  });
});

describe.each(TRANSPORTS)("a download that is gone on with, over %s", (_name, transport) => {
  const VERSION = '"v1"';

  /** Serves ranges as RFC 9110 says, of one version. */
  async function serveRanges(headers: Record<string, string | number> = { etag: VERSION }) {
    const server = await startServer(({ headers: asked }, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(asked.range ?? "")?.[1] ?? 0);
      const condition = asked["if-range"];
      if (from === 0 || (condition !== undefined && condition !== VERSION)) {
        response.writeHead(200, { "content-length": BYTES.length, ...headers }).end(BYTES);
        return;
      }
      const range = { "content-range": `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` };
      const length = BYTES.length - from;
      response.writeHead(206, { "content-length": length, ...range, ...headers }).end(BYTES.subarray(from));
    });
    const download = (resume?: DownloadOptions["resume"], maxBytes = BYTES.length) =>
      gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`, {
        maxBytes,
        ...(resume && { resume }),
      });
    return { download, server };
  }

  it("begins where it broke off", async () => {
    const { download, server } = await serveRanges();
    const whole = await download();
    expect(whole).toMatchObject({ contentLength: BYTES.length, version: VERSION });
    expect("offset" in whole).toBe(false);
    await whole.body.cancel();
    const rest = await download({ from: 100_000, version: VERSION });
    expect(rest).toMatchObject({ contentLength: BYTES.length - 100_000, offset: 100_000, version: VERSION });
    expect(Buffer.from(await rest.bytes()).equals(BYTES.subarray(100_000))).toBe(true);
    expect(server.requests.map(({ headers }) => [headers.range, headers["if-range"]])).toEqual([
      [undefined, undefined],
      ["bytes=100000-", VERSION],
    ]);
  });

  it("begins anew when the file is another one by now", async () => {
    const { download } = await serveRanges();
    const file = await download({ from: 100_000, version: '"v0"' });
    expect("offset" in file).toBe(false);
    expect(isWhole(await file.bytes())).toBe(true);
  });

  it("asks without a condition where the version is a weak one, or none", async () => {
    const { download, server } = await serveRanges({ "last-modified": "Sun, 22 Nov 2026 08:00:00 GMT" });
    for (const resume of [{ from: 7, version: 'W/"v1"' }, { from: 7 }]) {
      const file = await download(resume);
      expect(file).toMatchObject({ offset: 7, version: "Sun, 22 Nov 2026 08:00:00 GMT" });
      await file.body.cancel();
    }
    expect(server.requests.map(({ headers }) => headers["if-range"])).toEqual([undefined, undefined]);
  });

  it.each([
    [{ "content-range": "bytes 99-299999/300000" }],
    [{ "content-range": "bytes 1000-299999/300000" }],
    [{ "content-encoding": "gzip" }],
  ])("refuses a part that it did not ask for: %j", async (headers) => {
    const { download } = await serveRanges(headers);
    const error = await errorOf(download({ from: 100 }));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toContain("another part of the file");
  });

  it("begins anew when the file ends before that by now", async () => {
    const server = await startServer(({ headers }, response) =>
      headers.range === undefined
        ? response.writeHead(200, { etag: VERSION }).end(BYTES)
        : response.writeHead(416, { "content-range": `bytes */${BYTES.length}` }).end(),
    );
    const gateway = gatewayFor(server.url, transport);
    const file = await gateway.download(`${server.origin}/1.mp4`, { resume: { from: 400_000 } });
    expect("offset" in file).toBe(false);
    expect(isWhole(await file.bytes())).toBe(true);
    expect(server.requests.map(({ headers }) => headers.range)).toEqual(["bytes=400000-", undefined]);
  });

  it("is as large as the whole file", async () => {
    const { download } = await serveRanges();
    const error = await errorOf(download({ from: 100_000 }, BYTES.length - 1));
    expect((error as Error).message).toContain("with 300000 bytes, more than the 299999");
  });

  it("has no version when its bytes were encoded on the way", async () => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { etag: VERSION, "content-encoding": "gzip" }).end(gzipSync(BYTES)),
    );
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/1.mp4`);
    expect(file).not.toHaveProperty("version");
    expect(isWhole(await file.bytes())).toBe(true);
  });
});

describe("download", () => {
  const gateway = gatewayFor("https://gateway.example/v1");

  it.each<[source: unknown, message: string]>([
    ["http://127.0.0.1/x", "must not lead into a private network (127.0.0.1)"],
    ["http://localhost:8080/x", "must not lead into a private network (localhost)"],
    ["file:///etc/passwd", "must start with https: or http:, and not file:"],
    ["ftp://files.example.com/x", "must start with https: or http:, and not ftp:"],
    ["http://[::1]/", "must not lead into a private network ([::1])"],
    ["https://[", "must be a URL"],
    [{ url: "https://[" }, "must be a URL"],
    [{ url: undefined }, "must be a URL"],
    [{ url: null }, "must be a URL"],
    [undefined, "must be a URL"],
    ["data:nothing", "is not a data URL"],
    ["data:image/png;base64,A", "is a data URL that cannot be decoded"],
    ["data:,%", "is a data URL that cannot be decoded"],
  ])("refuses %j before anything is sent", async (source, message) => {
    const error = (await errorOf(gateway.download(source as string))) as InvalidRequestError;
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error.problems).toEqual([{ field: "url", message }]);
  });

  it("keeps the value and the reason of what is no URL at hand", async () => {
    for (const source of ["https://[", { url: "https://[" }]) {
      const error = (await errorOf(gateway.download(source))) as InvalidRequestError;
      expect(error.problems[0]?.value).toBe("https://[");
      expect(error.cause).toBeInstanceOf(TypeError);
    }
    expect(await errorOf(gateway.download({ url: undefined as never }))).toMatchObject({
      cause: new TypeError("There is no URL."),
    });
  });

  it("decodes data URLs", async () => {
    const file = await gateway.download("data:image/png;base64,AQID", { maxBytes: 3 });
    expect([file.contentType, file.contentLength]).toEqual(["image/png", 3]);
    expect(await file.bytes()).toEqual(Uint8Array.of(1, 2, 3));
    const text = await gateway.download("data:,a%20b,c%0Ad");
    expect([text.contentType, await new Response(text.body).text()]).toEqual(["text/plain", "a b,c\nd"]);
    const error = await errorOf(gateway.download("data:image/png;base64,AQID", { maxBytes: 2 }));
    expect((error as InvalidRequestError).problems).toEqual([
      { field: "url", message: "holds 3 bytes, more than the 2 of maxBytes" },
    ]);
  });

  it.each<[options: object, message: string]>([
    [{ timeout: 0 }, "Option timeout must be"],
    [{ maxBytes: -1 }, "Option maxBytes must be"],
    [{ resume: { from: -1 } }, "Option resume.from must be"],
    [{ maxSize: 1 }, "download"],
  ])("refuses the options %j", async (options, message) => {
    const error = await errorOf(gateway.download("https://files.example.com/x", options));
    expect(error).toMatchObject({ kind: "configuration", message: expect.stringContaining(message) });
  });
});

describe("what is asked and answered", () => {
  const FILE = "https://files.example.com/1.mp4?signature=xyz";

  /** Downloads over a fetch function that answers as the test says. */
  const downloadFrom = (fetch: FetchFunction, options?: DownloadOptions, source: unknown = FILE) =>
    gatewayFor("https://gateway.example/v1", { fetch }).download(source as string, options);

  const failing = (error: unknown, options?: DownloadOptions, source?: unknown) =>
    errorOf(downloadFrom(() => Promise.reject(error), options, source));

  it("is any kind of file, with every option that there is", async () => {
    const asked: unknown[] = [];
    const { signal } = new AbortController();
    const options = { signal, timeout: 1_000, maxBytes: 5, sendKey: true };
    await downloadFrom(async (...request) => {
      asked.push(request);
      return new Response("bytes");
    }, options);
    expect(asked).toMatchObject([[FILE, { method: "GET", headers: { accept: "*/*" } }]]);
  });

  it("is what a result leads to: its own URL, or a path on the gateway's host", async () => {
    const asked: string[] = [];
    const fetch: FetchFunction = async (url) => {
      asked.push(url);
      return new Response("bytes");
    };
    await downloadFrom(fetch, {}, { url: FILE });
    await downloadFrom(fetch, {}, { url: "/files/1.mp4" });
    const endpoints = { cdn: "https://cdn.gateway.example/v1" };
    await new ModelGateway({ apiKey: API_KEY, endpoints, route: "cdn", fetch }).download(FILE);
    expect(asked).toEqual([FILE, "https://gateway.example/files/1.mp4", FILE]);
  });

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["abc", undefined],
    ["1.5", undefined],
    ["5", 5],
  ])("has the length that it declares (%j), if that is one", async (length, contentLength) => {
    const headers = new Headers(length === undefined ? {} : { "content-length": length });
    const file = await downloadFrom(async () => new Response("bytes", { headers }), { maxBytes: 5 });
    expect(file.contentLength).toBe(contentLength);
    expect("contentLength" in file).toBe(contentLength !== undefined);
  });

  it("has no length that was declared of its encoding", async () => {
    const headers = { "content-encoding": "gzip", "content-length": "30" };
    const file = await downloadFrom(async () => new Response("bytes", { headers }), { maxBytes: 20 });
    expect("contentLength" in file).toBe(false);
  });

  it("says how much larger a file is than it may be", async () => {
    const headers = { "content-length": "6" };
    const error = await errorOf(
      downloadFrom(async () => new Response("bytes!", { headers }), { maxBytes: 5 }),
    );
    expect((error as Error).message).toContain("with 6 bytes, more than the 5 of maxBytes");
  });

  it.each([201, 204, 299, 400, 404])(
    "is no redirect when its status is %d, whatever it says",
    async (status) => {
      let asked = 0;
      const outcome = downloadFrom(async () => {
        asked++;
        return new Response(null, { status, headers: { location: "/elsewhere" } });
      });
      if (status < 300) await outcome;
      else expect(await errorOf(outcome)).toMatchObject({ status });
      expect(asked).toBe(1);
    },
  );

  it.each([300, 308, 399])("is a redirect when its status is %d", async (status) => {
    const asked: string[] = [];
    const file = await downloadFrom(async (url) => {
      asked.push(url);
      return url === FILE
        ? new Response(null, { status, headers: { location: "2.mp4" } })
        : new Response("bytes");
    });
    expect(new TextDecoder().decode(await file.bytes())).toBe("bytes");
    expect(asked).toEqual([FILE, "https://files.example.com/2.mp4"]);
  });

  it("is an error of ours when a redirect leads to no URL", async () => {
    const location = "https://[";
    const error = await errorOf(
      downloadFrom(async () => new Response(null, { status: 302, headers: { location } })),
    );
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ status: 302, path: "/1.mp4", attempts: 1 });
    expect((error as Error).message).toContain("with a redirect to no URL");
  });

  it("is told of an error: what the server says, its id, and the way there", async () => {
    const refusals = [
      { body: JSON.stringify(errorBody("link expired", "old")), message: "link expired (code old, request" },
      { body: "gone", message: "gone" },
    ];
    for (const { body, message } of refusals) {
      const error = await errorOf(
        downloadFrom(async (url) =>
          url === FILE
            ? new Response(null, { status: 302, headers: { location: "/2.mp4" } })
            : new Response(body, { status: 404, headers: { "x-request-id": "r1" } }),
        ),
      );
      expect(error).toMatchObject({ kind: "not_found", method: "GET", path: "/2.mp4", requestId: "r1" });
      expect((error as Error).message).toContain(message);
      expect((error as Error).message).not.toContain("does not end in /v1");
      expect((error as { timeline: unknown[] }).timeline).toEqual([
        { address: "general", phase: "answered", status: 302, ms: expect.any(Number) },
        { address: "general", phase: "answered", status: 404, ms: expect.any(Number) },
      ]);
    }
    const plain = await errorOf(downloadFrom(async () => new Response("gone", { status: 404 })));
    expect(plain).toMatchObject({ body: "gone" });
  });

  it("is told of a failure, which costs nothing and may be tried again", async () => {
    for (const [code, phase] of [
      ["ECONNREFUSED", "unsent"],
      ["ECONNRESET", "no_answer"],
    ]) {
      const error = await failing(Object.assign(new Error("failed"), { code }));
      expect(error).toMatchObject({
        kind: "connection",
        code,
        retryable: true,
        maybeProcessed: false,
        timeline: [{ address: "general", phase, ms: expect.any(Number) }],
      });
      expect((error as Error).message).toContain("GET https://files.example.com/1.mp4.");
    }
  });

  it("is told of an abort, which nobody should repeat", async () => {
    const controller = new AbortController();
    const left = errorOf(downloadFrom(() => new Promise(() => {}), { signal: controller.signal }));
    controller.abort("left");
    const error = await left;
    expect(error).toMatchObject({ kind: "aborted", cause: "left", retryable: false, maybeProcessed: false });
    expect((error as Error).message).toContain("download was aborted");
  });

  it.each<[string, DownloadOptions, { timeout?: number }, number]>([
    ["its own time-out", { timeout: 30 }, { timeout: 20 }, 30],
    ["that of the client", {}, { timeout: 20 }, 20],
    ["ten minutes", {}, {}, 600_000],
  ])("is waited for as long as %s", async (_which, options, gatewayOptions, timeoutMs) => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    vi.advanceTimersByTime(1_000);
    const fetch: FetchFunction = () => new Promise(() => {});
    const late = errorOf(
      gatewayFor("https://gateway.example/v1", { ...gatewayOptions, fetch }).download(FILE, options),
    );
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(await late).toMatchObject({
      kind: "timeout",
      timeoutMs,
      retryable: true,
      timeline: [{ phase: "no_answer", ms: timeoutMs }],
    });
  });
});

describe("the key", () => {
  const BASES = {
    endpoints: {
      cdn: "https://cdn.gateway.example/v1",
      specialized: "https://special.gateway.example:8443/v1",
    },
  };

  const KEY = `Bearer ${API_KEY}`;

  /** Downloads over a fetch function that notes what each host is told; redirects as the test says. */
  async function keysSent(url: string, options?: DownloadOptions, redirects: Record<string, string> = {}) {
    const sent: Array<[url: string, authorization: string | undefined]> = [];
    const fetch: FetchFunction = async (input, init) => {
      const { authorization } = (init?.headers ?? {}) as Record<string, string | undefined>;
      sent.push([input, authorization]);
      const location = redirects[input];
      return location === undefined
        ? new Response("bytes")
        : new Response(null, { status: 302, headers: { location } });
    };
    await gatewayFor("https://gateway.example/v1", { ...BASES, fetch }).download(url, options);
    return sent.map(([, authorization]) => authorization);
  }

  it.each<[string, boolean]>([
    ["https://gateway.example/files/1.png", true],
    ["https://cdn.gateway.example/1.png", true],
    ["https://special.gateway.example:8443/1.png", true],
    ["https://files.example.com/1.png", false],
    ["https://gateway.example.evil.com/1.png", false],
    ["https://evil.com/?https://gateway.example/", false],
    ["https://gateway.example@evil.com/1.png", false],
    ["http://gateway.example/1.png", false],
    ["https://gateway.example:444/1.png", false],
    ["https://special.gateway.example/1.png", false],
  ])("to %s: %j", async (url, own) => {
    expect(await keysSent(url)).toEqual([own ? KEY : undefined]);
    expect(await keysSent(url, { sendKey: false })).toEqual([undefined]);
  });

  it("does not follow a redirect to a foreign host, and is not taken up there for the way back", async () => {
    const own = "https://gateway.example/1";
    expect(await keysSent(own, {}, { [own]: "https://files.example.com/1" })).toEqual([KEY, undefined]);
    const foreign = "https://files.example.com/1";
    expect(await keysSent(foreign, {}, { [foreign]: own })).toEqual([undefined, KEY]);
  });

  it("is never sent where a redirect leads from https to http", async () => {
    const own = "https://gateway.example/1";
    for (const target of ["http://gateway.example/1", "http://files.example.com/1"]) {
      const error = await errorOf(keysSent(own, {}, { [own]: target }));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect((error as Error).message).toContain("from https to http");
    }
  });
});

describe("a key that is asked for", () => {
  const OWN = "https://gateway.example/1.png";

  it("is asked for where it is sent, for each request anew, and nowhere else", async () => {
    let asked = 0;
    const sent: unknown[] = [];
    const fetch: FetchFunction = async (input, init) => {
      const { authorization } = (init?.headers ?? {}) as Record<string, string | undefined>;
      sent.push(authorization);
      return input === OWN
        ? new Response(null, { status: 302, headers: { location: "/2.png" } })
        : new Response("bytes");
    };
    const gateway = gatewayFor("https://gateway.example/v1", { apiKey: async () => `key-${++asked}`, fetch });
    await gateway.download(OWN);
    await gateway.download("https://files.example.com/1.png");
    await gateway.download(OWN, { sendKey: false });
    expect(sent).toEqual(["Bearer key-1", "Bearer key-2", undefined, undefined, undefined]);
    expect(asked).toBe(2);
  });

  it("is waited for no longer than the time-out and the caller say", async () => {
    const gateway = gatewayFor("https://gateway.example/v1", { apiKey: () => new Promise(() => {}) });
    const late = await errorOf(gateway.download(OWN, { timeout: 5 }));
    expect(late).toMatchObject({ kind: "configuration", option: "apiKey", attempts: 0 });
    expect((late as Error).message).toContain("no key within 5 ms, so download could not be sent");
    const controller = new AbortController();
    const left = errorOf(gateway.download(OWN, { signal: controller.signal }));
    controller.abort("left");
    expect(await left).toMatchObject({ kind: "aborted", cause: "left" });
  });
});

describe("names of foreign hosts", () => {
  /** Lets names resolve as the test says, and notes where Node connects to. */
  function resolving(addresses: Record<string, string[]>, agent = "Agent") {
    const connected: Array<{ origin: string; host: string | undefined }> = [];
    const lookup = vi.spyOn(dns, "lookup").mockImplementation(((
      host: string,
      _options: object,
      done: (error: unknown, found?: unknown) => void,
    ) => {
      const found = addresses[host];
      if (found === undefined) done(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }));
      else
        done(
          null,
          found.map((address) => ({ address })),
        );
    }) as never);
    const key = Symbol.for("undici.globalDispatcher.1");
    const globals = globalThis as Record<symbol, unknown>;
    new Headers();
    const original = globals[key];
    const Dispatcher = { [agent]: class {} }[agent] as new () => object;
    globals[key] = Object.assign(new Dispatcher(), {
      dispatch: (options: { origin: string; headers: Record<string, string> }, handler: DispatchHandler) => {
        connected.push({ origin: options.origin, host: options.headers["host"] });
        handler.onConnect(() => {});
        handler.onHeaders(200, [], () => {});
        handler.onComplete();
        return true;
      },
    });
    onTestFinished(() => {
      globals[key] = original;
      lookup.mockRestore();
    });
    return connected;
  }

  const gateway = gatewayFor("https://gateway.example/v1");

  it.each(["127.0.0.1", "10.1.2.3", "::1", "fd00::1", "169.254.169.254", "::ffff:10.0.0.1"])(
    "that lead into a private network (%s) are refused before anything is sent",
    async (address) => {
      const connected = resolving({ "files.example.com": ["93.184.216.34", address] });
      const error = await errorOf(gateway.download("https://files.example.com/1.png"));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).problems).toEqual([
        { field: "url", message: "must not lead into a private network (files.example.com)" },
      ]);
      expect(connected).toEqual([]);
    },
  );

  it("cannot lead elsewhere after they were judged", async () => {
    const connected = resolving({
      "files.example.com": ["93.184.216.34"],
      "six.example.com": ["2606:2800::1"],
      "mapped.example.com": ["::ffff:93.184.216.34"],
    });
    await gateway.download("https://files.example.com:8443/1.png");
    await gateway.download("https://six.example.com/1.png");
    await gateway.download("https://mapped.example.com/1.png");
    expect(connected).toEqual([
      { origin: "https://93.184.216.34:8443", host: "files.example.com:8443" },
      { origin: "https://[2606:2800::1]", host: "six.example.com" },
      { origin: "https://[::ffff:5db8:d822]", host: "mapped.example.com" },
    ]);
  });

  it("that nobody knows fail without a request; those of the gateway's own are not looked up", async () => {
    const connected = resolving({});
    const error = await errorOf(gateway.download("https://files.example.com/1.png"));
    expect(error).toMatchObject({ kind: "connection", code: "ENOTFOUND", attempts: 0 });
    await gateway.download("https://gateway.example/1.png");
    expect(connected).toEqual([{ origin: "https://gateway.example", host: undefined }]);
  });

  it("are looked up no longer than the caller waits", async () => {
    const connected = resolving({});
    vi.spyOn(dns, "lookup").mockImplementation((() => {}) as never);
    const controller = new AbortController();
    const left = errorOf(gateway.download("https://files.example.com/1.png", { signal: controller.signal }));
    controller.abort("left");
    expect(await left).toMatchObject({ kind: "aborted", cause: "left", attempts: 0 });
    expect(connected).toEqual([]);
  });

  it("are left to a proxy where there is one", async () => {
    const connected = resolving({}, "ProxyAgent");
    await gateway.download("https://files.example.com/1.png");
    expect(connected).toEqual([{ origin: "https://files.example.com", host: undefined }]);
  });
});

describe("downloads that nobody reads", () => {
  it("give their connection back once they are dropped", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const open = new Set<object>();
    const server = await startServer(({ socket }, response) => {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      response.writeHead(200);
      const fill = () => {
        while (response.write(BYTES));
        response.once("drain", fill);
      };
      fill();
    });
    const gateway = gatewayFor(server.url);
    const drop = async () => {
      await gateway.download(`${server.origin}/1.mp4`);
    };
    for (let count = 0; count < 10; count++) await drop();
    expect(open.size).toBe(10);
    await expect
      .poll(() => {
        collect();
        return open.size;
      })
      .toBe(0);
  });

  it("give their connection and their place back after streamIdleTimeout, and say so", async () => {
    const server = await startServer(({ path }, response) => {
      response.writeHead(200);
      if (path.endsWith("models")) return response.end('{"data":[]}');
      const fill = () => {
        while (response.write(BYTES));
        response.once("drain", fill);
      };
      fill();
      return undefined;
    });
    const gateway = gatewayFor(server.url, { streamIdleTimeout: 50, maxConcurrency: 1 });
    const file = await gateway.download(`${server.origin}/1.mp4`);
    await new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    const error = await errorOf(file.bytes());
    expect(error).toMatchObject({ kind: "stream_interrupted", reason: "unread" });
    const speech = await gateway.audio.speech.create({ model: "m", input: "x" });
    await gateway.models.list();
    expect(await errorOf(speech.bytes())).toMatchObject({ reason: "unread" });
  });

  it("may be read as slowly as one likes", async () => {
    const server = await startServer((_request, response) => response.end(new Uint8Array(3_000_000)));
    const gateway = gatewayFor(server.url, { streamIdleTimeout: 50 });
    const { body } = await gateway.download(`${server.origin}/1.mp4`);
    const reader = body.getReader();
    let size = (await reader.read()).value?.length ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.length;
    expect(size).toBe(3_000_000);
  });
});
