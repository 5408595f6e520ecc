import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export const BREAK_NAMES = [
  "none",
  "idle-close",
  "rst-after-post",
  "fin-after-post",
  "cut-head",
  "cut-body",
] as const;

/** What a server does to a connection that has already served a request; see `BREAKS`. */
export type Break = (typeof BREAK_NAMES)[number];

/**
 * How a warm connection breaks. Each takes the POST wholly first, so that the work is done and billed:
 * - `rst-after-post`, `fin-after-post`: closes the connection without an answer, by RST or FIN;
 * - `cut-head`: the same after half the head of an answer;
 * - `cut-body`: the same after the head and half the body.
 * These do nothing billable wrong:
 * - `idle-close`: closes each connection by FIN right after its first answer;
 * - `none`: answers.
 */
const BREAKS: Record<Break, ((response: ServerResponse) => void) | undefined> = {
  "rst-after-post": (response) => response.socket?.resetAndDestroy(),
  "fin-after-post": (response) => response.socket?.end(),
  "cut-head": (response) => response.socket?.end("HTTP/1.1 200 OK\r\ncontent-type: application/j"),
  "cut-body": (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000", ...CORS });
    response.write('{"created":1,"data":[', () => setTimeout(() => response.socket?.resetAndDestroy(), 5));
  },
  "idle-close": undefined,
  none: undefined,
};

/** Pages of a browser ask first. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "600",
};

export interface MoneyServer {
  /** Base address of a gateway: ends in `/v1`. */
  url: string;
  /** POSTs that arrived wholly. */
  readonly posts: number;
  /** POSTs that arrived wholly on a connection that had served a request before. */
  readonly warmPosts: number;
  close(): Promise<void>;
}

/** A gateway that counts the POSTs which arrive wholly, and breaks connections that have served a request before. */
export async function startMoneyServer(breaks: Break): Promise<MoneyServer> {
  const served = new WeakSet<Socket>();
  let posts = 0;
  let warmPosts = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => {
      body += data.toString("latin1");
    });
    request.on("end", () => {
      const { socket, method, url = "" } = request;
      const warm = served.has(socket);
      served.add(socket);
      // A question of the browser's own is no request of the client.
      if (method === "OPTIONS") return void response.writeHead(204, CORS).end();
      if (method === "POST") {
        posts++;
        if (warm) warmPosts++;
        const breakConnection = BREAKS[breaks];
        if (warm && breakConnection) return breakConnection(response);
      }
      answer(response, url, body);
      if (breaks === "idle-close") response.on("finish", () => socket.end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get posts() {
      return posts;
    },
    get warmPosts() {
      return warmPosts;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const PNG = "iVBORw0KGgo=";
const TEXT = { role: "assistant", content: `![x](data:image/png;base64,${PNG})` };

/** A good answer to whatever was asked. */
function answer(response: ServerResponse, url: string, asked: string): void {
  if (url.endsWith("/audio/speech")) {
    return void response.writeHead(200, { "content-type": "audio/mpeg", ...CORS }).end("mp3");
  }
  if (asked.includes('"stream":true')) {
    const event = `data: ${JSON.stringify({ type: "image_generation.completed", b64_json: PNG })}\n\n`;
    return void response.writeHead(200, { "content-type": "text/event-stream", ...CORS }).end(event);
  }
  const body = url.endsWith("/models")
    ? { object: "list", data: [] }
    : url.includes("/videos")
      ? { id: "t-1", task_id: "t-1", status: "queued" }
      : url.includes("/chat/")
        ? { id: "c", choices: [{ index: 0, message: TEXT, finish_reason: "stop" }] }
        : { created: 1, data: [{ b64_json: PNG }] };
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": String(bytes.length),
    ...CORS,
  });
  response.end(bytes);
}
