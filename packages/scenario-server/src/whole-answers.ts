import type { ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Answer } from "./answer.js";

/** A whole answer that is no stream. */
export interface WholeAnswer {
  /** Text as it stands, anything else as JSON. */
  body?: unknown;
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
}

const COMPRESSIONS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
} as const;

/** A proper answer. */
export function answerWith(answer: WholeAnswer): Answer {
  return (_request, response) => {
    const bytes = bytesOf(answer);
    writeHead(response, answer, { "content-length": String(bytes.length) });
    response.end(bytes);
  };
}

/** Takes the request wholly, then breaks the connection without a word: by RST, or by FIN. */
export function breakAfterRequest(how: "rst" | "fin" = "rst"): Answer {
  return (_request, response) => {
    if (how === "rst") response.socket?.resetAndDestroy();
    else response.socket?.end();
  };
}

/** Claims a `content-length` that is `by` bytes longer (or shorter, when negative) than what it sends, then closes. */
export function lieAboutLength(answer: WholeAnswer, by: number): Answer {
  return (_request, response) => {
    const bytes = bytesOf(answer);
    const head = [
      `HTTP/1.1 ${answer.status ?? 200} Scenario`,
      `content-type: ${contentTypeOf(answer)}`,
      `content-length: ${bytes.length + by}`,
      ...Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ];
    // Node's own writer would not tell this lie.
    response.socket?.write(`${head.join("\r\n")}\r\n\r\n`);
    response.socket?.end(bytes);
  };
}

/** Compresses, whatever the request accepts, and says so. */
export function compress(answer: WholeAnswer, encoding: keyof typeof COMPRESSIONS): Answer {
  return (_request, response) => {
    const bytes = COMPRESSIONS[encoding](bytesOf(answer));
    writeHead(response, answer, { "content-encoding": encoding, "content-length": String(bytes.length) });
    response.end(bytes);
  };
}

/** Sends the head, and as many bytes of the body as given, then nothing more; the connection stays open. */
export function stall(answer: WholeAnswer, afterBytes = 0): Answer {
  return (_request, response) => {
    const bytes = bytesOf(answer);
    writeHead(response, answer, { "content-length": String(bytes.length) });
    response.flushHeaders();
    if (afterBytes > 0) response.write(bytes.subarray(0, afterBytes));
  };
}

/** Sends head and body several times, one after the other, on the same connection. */
export function repeat(answer: WholeAnswer, times = 2): Answer {
  return (_request, response) => {
    const bytes = bytesOf(answer);
    const head = [
      `HTTP/1.1 ${answer.status ?? 200} Scenario`,
      `content-type: ${contentTypeOf(answer)}`,
      `content-length: ${bytes.length}`,
    ].join("\r\n");
    const once = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
    response.socket?.end(Buffer.concat(Array.from({ length: times }, () => once)));
  };
}

/** Sends the body byte by byte, a turn of the event loop apart. */
export function dribble(answer: WholeAnswer): Answer {
  return async (_request, response) => {
    const bytes = bytesOf(answer);
    writeHead(response, answer, { "content-length": String(bytes.length) });
    response.flushHeaders();
    for (let at = 0; at < bytes.length && !response.destroyed; at++) {
      await new Promise((resolve) => setImmediate(resolve));
      response.write(bytes.subarray(at, at + 1));
    }
    response.end();
  };
}

/** Sends a part of the body under a true `content-length`, then breaks the connection by RST or FIN. */
export function cutShort(answer: WholeAnswer, afterBytes: number, how: "rst" | "fin" = "fin"): Answer {
  return async (_request, response) => {
    const bytes = bytesOf(answer);
    writeHead(response, answer, { "content-length": String(bytes.length) });
    await new Promise<void>((resolve) =>
      response.write(bytes.subarray(0, afterBytes), () => setTimeout(resolve, 1)),
    );
    if (how === "rst") response.socket?.resetAndDestroy();
    else response.socket?.end();
  };
}

function writeHead(response: ServerResponse, answer: WholeAnswer, headers: Record<string, string>): void {
  const type = { "content-type": contentTypeOf(answer) };
  response.writeHead(answer.status ?? 200, { ...type, ...answer.headers, ...headers });
}

function contentTypeOf({ body }: WholeAnswer): string {
  return typeof body === "string" ? "text/plain" : "application/json";
}

function bytesOf({ body }: WholeAnswer): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body ?? {}));
}
