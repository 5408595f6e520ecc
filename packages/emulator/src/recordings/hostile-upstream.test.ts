import type { ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../index.js";
import { type Handler, newFolder, onlyRecording, recordFrom, serve } from "../testing/record-calls.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";
import { Upstream } from "../upstream/upstream.js";

const ASKED = { model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] };
const EVENT = 'data: {"a":1}\n\n';

/**
 * What a call brings: its text, as far as it came, and whether it ended as it should. Read from the socket itself: clients of
 * Node forget what they have not handed out when the connection breaks.
 */
function outcome(
  { url }: Emulator,
  onText: () => void = () => {},
): Promise<{ status: number; text: string; whole: boolean }> {
  const { hostname, port, pathname } = new URL(`${url}/chat/completions`);
  const body = JSON.stringify(ASKED);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    ...[
      "host: a",
      "authorization: Bearer sk-emulator",
      "content-type: application/json",
      "connection: close",
    ],
    `content-length: ${body.length}`,
  ].join("\r\n");
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
      if (received.includes("\r\n\r\n") && received.split("\r\n\r\n")[1] !== "") onText();
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve(readAnswer(received)));
    socket.write(`${head}\r\n\r\n${body}`);
  });
}

function readAnswer(received: string): { status: number; text: string; whole: boolean } {
  const end = received.indexOf("\r\n\r\n");
  const [head, rest] = [received.slice(0, end), received.slice(end + 4)];
  const status = Number(head.split(" ")[1]);
  if (status === 204 || status === 304) return { status, text: "", whole: true };
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return { status, text: utf8(rest), whole: rest.length === Number(length) };
  let text = "";
  for (let at = 0; ; ) {
    const line = rest.indexOf("\r\n", at);
    const size = line === -1 ? Number.NaN : Number.parseInt(rest.slice(at, line), 16);
    if (!(size > 0)) return { status, text: utf8(text), whole: size === 0 };
    text += rest.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}

function utf8(text: string): string {
  return Buffer.from(text, "latin1").toString();
}

/** Where nobody listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

/**
 * A call of a server that does as it likes, recorded and replayed.
 *
 * @param leave what the server does once the caller has got something
 */
async function recordThenReplay(
  handle: Handler,
  { leave, ...upstream }: { leave?: (response: ServerResponse) => unknown; idleTimeoutMs?: number } = {},
) {
  const dir = await newFolder();
  let answering: ServerResponse | undefined;
  const baseURL = await serve((request, response, body) => {
    answering = response;
    handle(request, response, body);
  });
  const { emulator } = await recordFrom(baseURL, dir, { upstream });
  const recorded = await outcome(emulator, () => answering && leave?.(answering));
  await emulator.close();
  const replayer = await startEmulator({ replay: { dir } });
  const replayed = await outcome(replayer.emulator);
  return { recorded, replayed, recording: await onlyRecording(dir), replayer };
}

describe("an upstream that is recorded", () => {
  it.each([
    ["ends too early", "cut", (response: ServerResponse) => response.socket?.end()],
    ["resets", "reset", (response: ServerResponse) => response.socket?.resetAndDestroy()],
  ])("and %s does so again", async (_what, end, leave) => {
    const { recorded, replayed, recording } = await recordThenReplay(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`${EVENT}data: {"b`);
      },
      { leave },
    );
    expect(recording.response.end).toBe(end);
    expect(recorded).toEqual({ status: 200, text: `${EVENT}data: {"b`, whole: false });
    expect(replayed).toEqual(recorded);
  });

  it("is replayed with a reset that is one", async () => {
    const { replayer } = await recordThenReplay(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(EVENT);
      },
      { leave: (response) => response.socket?.resetAndDestroy() },
    );
    const body = JSON.stringify(ASKED);
    const { hostname, port } = new URL(replayer.emulator.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const ended = new Promise((resolve) => {
      socket.once("error", () => resolve("reset"));
      // A reset that comes with the last bytes looks like an end, until one writes.
      socket.once("end", () => socket.write("x", (error) => resolve(error ? "reset" : "end")));
    });
    socket.resume();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-emulator\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(await ended).toBe("reset");
  });

  it("and stalls is given up, then and again", async () => {
    const { recorded, replayed, recording } = await recordThenReplay(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(EVENT);
      },
      { idleTimeoutMs: 50 },
    );
    expect(recording.response.end).toBe("stall");
    expect(recorded).toEqual({ status: 200, text: EVENT, whole: false });
    expect(replayed).toEqual(recorded);
  });

  it("and lies about its length is recorded as what came", async () => {
    const { recorded, replayed, recording } = await recordThenReplay(
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream", "content-length": "100" });
        response.write(EVENT);
      },
      { leave: (response) => response.socket?.end() },
    );
    expect(recording.response).toMatchObject({ events: [{ data: { a: 1 } }], end: "cut" });
    expect(recorded).toEqual({ status: 200, text: EVENT, whole: false });
    expect(replayed).toEqual(recorded);
  });

  it("and breaks off before its answer is one is not taken for whole", async () => {
    const { recorded, replayed, recording } = await recordThenReplay((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"a":1}', () => response.socket?.end());
    });
    // What came before the end is with luck all that did.
    expect(recording.response.end).toBe("cut");
    expect(recorded).toMatchObject({ status: 200, whole: false });
    expect(replayed).toEqual(recorded);
  });

  it("and compresses unasked is recorded as what it meant", async () => {
    const { recorded, replayed } = await recordThenReplay((request, response) => {
      expect(request.headers["accept-encoding"]).toBe("identity");
      const bytes = gzipSync('{"a":1}');
      response.writeHead(200, { "content-encoding": "gzip", "content-length": bytes.length });
      response.end(bytes);
    });
    expect(recorded).toEqual({ status: 200, text: '{"a":1}', whole: true });
    expect(replayed).toEqual(recorded);
  });

  it("and says 102 and 103 before it answers is recorded as what it answers", async () => {
    const { recorded, replayed } = await recordThenReplay((_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: "</a>; rel=preload" });
      response.end("done");
    });
    expect(recorded).toEqual({ status: 200, text: "done", whole: true });
    expect(replayed).toEqual(recorded);
  });

  it.each([204, 304])("and answers %i, which has no body, does so again", async (status) => {
    const { recorded, replayed } = await recordThenReplay((_request, response) =>
      response.writeHead(status).end(),
    );
    expect(recorded).toEqual({ status, text: "", whole: true });
    expect(replayed).toEqual(recorded);
  });

  it("and breaks off within a character is recorded byte for byte", async () => {
    const bytes = Buffer.from('data: {"a":"你"}\n\n').subarray(0, 14);
    const { recorded, replayed } = await recordThenReplay((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(bytes);
    });
    expect(recorded.text).toBe(bytes.toString());
    expect(replayed).toEqual(recorded);
  });

  it("and is away is recorded as that, without where it was", async () => {
    const dir = await newFolder();
    const { emulator, post } = await recordFrom(await closedAddress(), dir);
    expect(await errorOf(await post("/chat/completions", ASKED))).toMatchObject({ status: 502 });
    await emulator.close();
    const recording = await onlyRecording(dir);
    expect(recording.failure).toEqual({
      ...{ status: 502, code: "upstream_unreachable" },
      reason: "The upstream cannot be reached: ECONNREFUSED.",
    });
    const replayer = await startEmulator({ replay: { dir } });
    expect(await errorOf(await replayer.post("/chat/completions", ASKED))).toMatchObject({
      ...{ status: 502, code: "upstream_unreachable" },
      message: expect.stringMatching(
        /^The upstream cannot be reached: ECONNREFUSED\. So it was recorded in post-chat/,
      ),
    });
  });

  it("is left by callers that leave, and what they got is recorded", async () => {
    let gone: () => void = () => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const dir = await newFolder();
    const baseURL = await serve((request, response) => {
      request.socket.once("close", gone);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(EVENT);
    });
    const { emulator, post } = await recordFrom(baseURL, dir);
    const reader = (await post("/chat/completions", ASKED)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await left;
    await emulator.close();
    expect((await onlyRecording(dir)).response.end).toBe("left");
    const replayer = await startEmulator({ replay: { dir } });
    expect(await outcome(replayer.emulator)).toEqual({
      status: 200,
      text: EVENT,
      whole: false,
    });
    expect(replayer.emulator.journal.list()[0]?.why?.join()).toContain("Its caller left");
  });

  it("is written down as far as it came when the emulator closes", async () => {
    const dir = await newFolder();
    const baseURL = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(EVENT);
    });
    const { emulator, post } = await recordFrom(baseURL, dir);
    const reader = (await post("/chat/completions", ASKED)).body?.getReader();
    await reader?.read();
    await emulator.close();
    expect((await onlyRecording(dir)).response).toMatchObject({ end: "left", events: [{ data: { a: 1 } }] });
    await reader?.cancel().catch(() => {});
  });

  it("is written down as far as it came also where nobody listens, and the journal keeps nothing", async () => {
    const dir = await newFolder();
    const baseURL = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write("ID3");
    });
    const emulator = createEmulator({ upstream: { baseURL }, record: { dir }, journal: { bodies: "none" } });
    const headers = { ...bearer("sk-emulator"), "content-type": "application/json" };
    const response = await emulator.fetch(`${emulator.url}/audio/speech`, {
      method: "POST",
      headers,
      body: "{}",
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await emulator.close();
    expect((await onlyRecording(dir)).response).toMatchObject({
      end: "left",
      file: expect.stringMatching(/\.mp3$/),
    });
    await reader?.cancel().catch(() => {});
  });

  it("leads nobody into a private network that it is not in itself", async () => {
    const links = ["http://169.254.169.254/a.png", "ftp://a.test/a.png", "http://[::ffff:10.0.0.1]/a.png"];
    const upstream = new Upstream({ baseURL: "http://203.0.113.7/v1" });
    const baseURL = await serve((_request, response) => response.end("private"));
    for (const link of [...links, "http://localhost:1/a.png", baseURL]) {
      await expect(upstream.download(link, new AbortController().signal)).rejects.toMatchObject({
        ...{ status: 502, code: "link_not_followed" },
      });
    }
    const near = new Upstream({ baseURL: baseURL.replace(/:\d+/, ":1") });
    expect(await (await near.download(baseURL, new AbortController().signal)).text()).toBe("private");
  });
});
