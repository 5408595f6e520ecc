import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What a request for a file is answered with; the bytes are sent if nothing is given. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A gateway of one family whose tasks succeed at the first poll, and the server that has their files. The emulator's own
 * files come at once and whole; these come as far as the test says.
 */
export async function useFileHost(bytes: Uint8Array, { ranges = true } = {}) {
  const asked: Array<{ path: string; range: string | undefined }> = [];
  let created = 0;
  let polled = 0;
  /** Of a file, so many bytes are sent; the rest waits for more to be allowed. */
  let allowed = bytes.length;
  let answer: Answer | undefined;
  let files = (origin: string): object => ({ video_url: `${origin}/files/0.mp4` });
  const waiting = new Set<() => void>();

  const server = createServer((request, response) => {
    const { url = "", method } = request;
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = new URL(url, origin).pathname;
    const json = (body: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (method === "POST") {
      request.resume().on("end", () => json({ id: `task-${++created}`, status: "queued" }));
    } else if (path.startsWith("/v1/videos/")) {
      polled += 1;
      json({ id: path.slice("/v1/videos/".length), status: "succeeded", ...files(origin) });
    } else {
      asked.push({ path: url, range: request.headers.range });
      if (answer) answer(request, response);
      else serve(request, response);
    }
  });

  function serve(request: IncomingMessage, response: ServerResponse) {
    const from = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0) : 0;
    const range = from > 0 && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(from > 0 ? 206 : 200, {
      "content-type": "video/mp4",
      "content-length": bytes.length - from,
      etag: '"1"',
      ...range,
    });
    let sent = from;
    const send = () => {
      if (allowed > sent) response.write(bytes.subarray(sent, allowed));
      sent = Math.max(sent, allowed);
      if (sent < bytes.length) return;
      waiting.delete(send);
      response.end();
    };
    waiting.add(send);
    response.on("close", () => waiting.delete(send));
    response.flushHeaders();
    send();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    connection: { apiKey: "key", baseURL: `${origin}/v1` },
    origin,
    asked,
    created: () => created,
    polled: () => polled,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    /** Lets so many bytes of each file out. */
    allow(count: number) {
      allowed = count;
      for (const send of [...waiting]) send();
    },
    answerWith(next: Answer | undefined) {
      answer = next;
    },
    /** What tasks hold from now on, where their files are. */
    files(next: typeof files) {
      files = next;
    },
  };
}
