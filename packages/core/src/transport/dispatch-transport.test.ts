import { mkdtemp, readdir } from "node:fs/promises";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { chunk, completion, startServer } from "../../test/scripted-server.js";
import { saveDownload } from "../download/save-download.js";
import { APIConnectionError, APITimeoutError, InvalidResponseError } from "../index.js";

const CHAT = { model: "m", messages: [{ role: "user" as const, content: "hi" }] };
const VIDEO = { model: "m", content: [{ type: "text" as const, text: "a fox" }] };
const SPEECH = { model: "m", input: "Hello" };

/** A server that reads a whole request and then does with the socket what the test says. */
async function startSocketServer(answer: (socket: Socket) => void): Promise<{ url: string; origin: string }> {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const [head, body = ""] = text.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head ?? "")?.[1] ?? 0);
      if (text.includes("\r\n\r\n") && body.length >= length) {
        text = "";
        answer(socket);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/v1`, origin };
}

/** Replaces Node's dispatcher for one test. */
function installDispatcher(dispatch: (options: object, handler: never) => boolean): void {
  const key = Symbol.for("undici.globalDispatcher.1");
  const globals = globalThis as Record<symbol, unknown>;
  new Headers();
  const original = globals[key];
  globals[key] = { dispatch };
  onTestFinished(() => {
    globals[key] = original;
  });
}

describe("what happens to an established connection", () => {
  it.each(["EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"])(
    "is no proof that nothing was sent, also when it is %s",
    async (code) => {
      let sent = 0;
      installDispatcher(
        (_options, handler: { onConnect(abort: () => void): void; onError(error: Error): void }) => {
          handler.onConnect(() => {});
          sent++;
          queueMicrotask(() =>
            handler.onError(Object.assign(new Error("lost"), { code, syscall: "connect" })),
          );
          return true;
        },
      );
      const error = await errorOf(gatewayFor("http://127.0.0.1:9/v1").videos.create(VIDEO));
      expect(error).toMatchObject({
        kind: "connection",
        attempts: 1,
        maybeProcessed: true,
        retryable: false,
      });
      expect((error as { timeline: unknown[] }).timeline).toMatchObject([{ phase: "no_answer" }]);
      expect(sent).toBe(1);
    },
  );

  it("is proof while there was none: nothing was sent, and it is sent again", async () => {
    let tries = 0;
    installDispatcher((_options, handler: { onError(error: Error): void }) => {
      tries++;
      queueMicrotask(() => handler.onError(new Error("whatever it was")));
      return true;
    });
    const error = await errorOf(gatewayFor("http://127.0.0.1:9/v1", { maxRetries: 1 }).videos.create(VIDEO));
    expect(error).toMatchObject({ kind: "connection", attempts: 2, maybeProcessed: false });
    expect(tries).toBe(2);
  });
});

describe("a dispatcher that is gone", () => {
  it("is an error of ours, and keeps no place", async () => {
    const key = Symbol.for("undici.globalDispatcher.1");
    const globals = globalThis as Record<symbol, unknown>;
    const gateway = gatewayFor("http://127.0.0.1:9/v1", { maxConcurrency: 1, maxRetries: 0 });
    installDispatcher((_options, handler: { onError(error: Error): void }) => {
      handler.onError(new Error("lost"));
      return true;
    });
    // A client takes what is there when it first sends something.
    await errorOf(gateway.videos.create(VIDEO));
    globals[key] = undefined;
    for (let call = 0; call < 3; call++) {
      const error = await errorOf(gateway.videos.create(VIDEO, { deadline: 2_000 }));
      expect(error).toMatchObject({ kind: "connection", maybeProcessed: false });
      expect((error as Error).message).toContain("dispatcher has been removed");
    }
  });
});

describe("a connection that does not come about", () => {
  it("is given up after connectTimeout: nothing was sent, and it is tried again", async () => {
    installDispatcher(() => true);
    const gateway = gatewayFor("http://127.0.0.1:9/v1", { connectTimeout: 20, maxRetries: 1 });
    const error = await errorOf(gateway.videos.create(VIDEO));
    expect(error).toBeInstanceOf(APITimeoutError);
    expect(error).toMatchObject({ timeoutMs: 20, attempts: 2, maybeProcessed: false, retryable: true });
    expect((error as Error).message).toMatch(
      /No connection within 20 ms \(connectTimeout\).*Nothing was sent/,
    );
  });

  it("is not used any more when it comes after all", async () => {
    let late: { onConnect(abort: () => void): void } | undefined;
    installDispatcher((_options, handler: { onConnect(abort: () => void): void }) => {
      late = handler;
      return true;
    });
    const gateway = gatewayFor("http://127.0.0.1:9/v1", { maxRetries: 0 });
    await errorOf(gateway.videos.create(VIDEO, { connectTimeout: 10 }));
    let aborted = 0;
    late?.onConnect(() => aborted++);
    expect(aborted).toBe(1);
  });

  it("counts as nothing sent also when the caller leaves or the time-out comes first", async () => {
    installDispatcher(() => true);
    const gateway = gatewayFor("http://127.0.0.1:9/v1", { maxRetries: 0 });
    const controller = new AbortController();
    const left = errorOf(gateway.videos.create(VIDEO, { signal: controller.signal }));
    setTimeout(() => controller.abort(), 5);
    expect(await left).toMatchObject({ kind: "aborted", maybeProcessed: false });
    const late = await errorOf(gateway.videos.create(VIDEO, { timeout: 10 }));
    expect(late).toMatchObject({ kind: "timeout", timeoutMs: 10, maybeProcessed: false, retryable: true });
  });
});

describe.each(TRANSPORTS)("answers over %s", (name, transport) => {
  const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\n";

  it.each([
    [
      "a chunked body on a connection that closes",
      `${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n`,
    ],
    ["a chunked body on a connection that is kept", `${HEAD}transfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n`],
    ["a body of a declared length", `${HEAD}connection: close\r\ncontent-length: 9\r\n\r\nabcd`],
    ["a chunk", `${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabcd`],
  ])("that end inside %s are cut off, and no file is made of them", async (what, bytes) => {
    // Node's fetch takes the end of a connection that was to be closed for the end of a chunked body.
    if (name === "fetch" && (what.endsWith("that closes") || what === "a chunk")) return;
    const server = await startSocketServer((socket) => socket.end(bytes));
    const gateway = gatewayFor(server.url, { ...transport, maxRetries: 0 });
    const speech = gateway.audio.speech.create(SPEECH).then((result) => result.bytes());
    expect(await errorOf(speech)).toMatchObject({ maybeProcessed: true });
    const folder = await mkdtemp(join(tmpdir(), "model-gateway-cut-"));
    const saved = gateway
      .download(`${server.origin}/a.mp3`)
      .then((file) => saveDownload(file, join(folder, "a.mp3")));
    expect(await errorOf(saved)).toMatchObject({ kind: "stream_interrupted" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("that are whole are whole, in whatever pieces they come", async () => {
    for (const bytes of [
      `${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n`,
      `${HEAD}connection: close\r\ncontent-length: 4\r\n\r\nabcd`,
      `${HEAD}connection: close\r\n\r\nabcd`,
    ]) {
      const server = await startSocketServer((socket) => {
        socket.write(bytes.slice(0, -3));
        setTimeout(() => socket.end(bytes.slice(-3)), 5);
      });
      const { bytes: read } = await gatewayFor(server.url, transport).audio.speech.create(SPEECH);
      expect(new TextDecoder().decode(await read())).toBe("abcd");
    }
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["gzip", (bytes) => gzipSync(bytes)],
    ["x-gzip", (bytes) => gzipSync(bytes)],
    ["deflate", (bytes) => deflateSync(bytes)],
    ["br", (bytes) => brotliCompressSync(bytes)],
    ["gzip, br", (bytes) => brotliCompressSync(gzipSync(bytes))],
    ["identity", (bytes) => bytes],
  ])("that a server encodes as %s without being asked are read", async (encoding, encode) => {
    const events = [chunk("Hel"), chunk("lo"), chunk("", "stop")];
    const picture = Buffer.alloc(300_000, "RIFF of bytes ");
    const server = await startServer(({ path, json }, response) => {
      const stream = (json as { stream?: boolean } | undefined)?.stream === true;
      const body = path.endsWith(".bin")
        ? picture
        : Buffer.from(
            stream
              ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
              : JSON.stringify(completion("Hello")),
          );
      const type = path.endsWith(".bin") ? "image/png" : stream ? "text/event-stream" : "application/json";
      const encoded = encode(body);
      response.writeHead(200, {
        "content-type": type,
        "content-encoding": encoding,
        "content-length": encoded.length,
      });
      response.end(encoded);
    });
    const gateway = gatewayFor(server.url, transport);
    const whole = await gateway.chat.completions.create(CHAT).withResponse();
    expect(whole.data.choices[0]?.message.content).toBe("Hello");
    const stream = await gateway.chat.completions.create({ ...CHAT, stream: true });
    expect((await stream.finalCompletion()).choices[0]?.message.content).toBe("Hello");
    const file = await gateway.download(`${server.origin}/a.bin`);
    expect(Buffer.compare(Buffer.from(await file.bytes()), picture)).toBe(0);
    if (encoding !== "identity") expect(file.contentLength).toBeUndefined();
  });

  it("that unfold to more than they may are stopped", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
    const server = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "image/png", "content-encoding": "gzip" });
      response.end(bomb);
    });
    const file = await gatewayFor(server.url, transport).download(`${server.origin}/a.png`, {
      maxBytes: 2 ** 20,
    });
    const error = await errorOf(file.bytes());
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect((error as Error).message).toContain("more than 1048576 bytes");
  });

  it("that are encoded and cut off, or no such encoding, are broken", async () => {
    const encoded = gzipSync(Buffer.from(JSON.stringify(completion("Hello"))));
    for (const body of [encoded.subarray(0, -12), Buffer.from("no gzip")]) {
      const server = await startServer((_request, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
        response.end(body);
      });
      const error = await errorOf(
        gatewayFor(server.url, { ...transport, maxRetries: 0 }).chat.completions.create(CHAT),
      );
      // Node's fetch hands out what it has of a body that was cut off, so that is broken JSON there.
      if (name === "dispatch") expect(error).toBeInstanceOf(APIConnectionError);
      else expect(["connection", "invalid_response"]).toContain((error as { kind: string }).kind);
    }
  });
});

it("an answer of nothing is nothing, however it is encoded", async () => {
  const server = await startServer((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end();
  });
  expect(await gatewayFor(server.url).request({ method: "DELETE", path: "/videos/t1" })).toBeUndefined();
});

it("an encoding that Node does not know is told, and the call is not made again", async () => {
  const server = await startServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "zip" }).end("x");
  });
  const error = await errorOf(gatewayFor(server.url).chat.completions.create(CHAT));
  expect(error).toMatchObject({ kind: "configuration", attempts: 1 });
  expect((error as Error).message).toContain("encoded as zip");
  expect(server.requests).toHaveLength(1);
});
