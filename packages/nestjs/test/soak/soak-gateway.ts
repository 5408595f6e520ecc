import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createEmulator, type Emulator, WELL_KNOWN_KEY } from "@model-gateway/emulator";
import { randomNumbers } from "@model-gateway/scenario-server";
import { onTestFinished } from "vitest";

/** What a film is, as far as anybody may be told. */
export interface Film {
  sha256: string;
  length: number;
}

/** The emulator behind a server that has the films, sends them badly, and counts what is paid for each question. */
export interface SoakGateway {
  emulator: Emulator;
  connection: { apiKey: string; baseURL: string };
  /** The film of a task, as this server sends it when it sends it well. */
  filmOf(taskId: string): Film;
  /** Requests that may have been paid, by the question that was asked. */
  paidQuestions: ReadonlyMap<string, number>;
  /** Called after each submission that the gateway answered, however it did. */
  onCreate(listener: () => void): void;
  /** From now on films come whole. */
  calmDown(): void;
  /** Films that were sent badly. */
  badlySent(): number;
}

/** Larger than the step in which a download outlives its process. */
const MAX_FILM_BYTES = 1_500_000;

/** What becomes of a request for a film, of four: it is refused, cut, promised and not sent whole, or sent. */
type Serving = "refused" | "cut" | "short" | "whole";

/** @param random decides which films come badly */
export async function useSoakGateway(random: () => number): Promise<SoakGateway> {
  const emulator = createEmulator({ latency: 40, videoTimings: { queuedMs: 100, runningMs: 500 } });
  const paidQuestions = new Map<string, number>();
  const films = new Map<string, Buffer>();
  let calm = false;
  let created = () => {};
  let badlySent = 0;

  const bytesOf = (path: string) => {
    const bytes = films.get(path) ?? makeFilm(path);
    films.set(path, bytes);
    return bytes;
  };

  function serveFilm(path: string, { headers }: IncomingMessage, response: ServerResponse) {
    const bytes = bytesOf(path);
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    const choices: Serving[] = ["refused", "cut", "short", "whole"];
    const serving = calm ? "whole" : (choices[Math.floor(random() * choices.length)] ?? "whole");
    if (serving !== "whole") badlySent += 1;
    if (serving === "refused") {
      response.writeHead(random() < 0.5 ? 503 : 404).end();
      return;
    }
    const end = serving === "whole" ? bytes.length : from + Math.floor(random() * (bytes.length - from));
    const range = from > 0 && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(from > 0 ? 206 : 200, {
      ...{ "content-type": "video/mp4", "content-length": bytes.length - from, etag: `"${path}"`, ...range },
    });
    const { socket } = response;
    response.write(bytes.subarray(from, end), () => {
      if (serving === "whole") response.end();
      else if (serving === "short") socket?.end();
      else response.destroy();
    });
  }

  async function passOn(url: string, request: IncomingMessage, response: ServerResponse) {
    const body = await buffer(request);
    const left = new AbortController();
    response.once("close", () => left.abort());
    const { method = "GET", headers } = request;
    const question = url.endsWith("/chat/completions") ? questionOf(body) : undefined;
    let status: number | undefined;
    try {
      const answer = await emulator.fetch(url, {
        ...{ method, headers: headers as Record<string, string>, signal: left.signal },
        ...(method !== "GET" && { body: new Uint8Array(body) }),
      });
      status = answer.status;
      response.writeHead(status, Object.fromEntries(answer.headers));
      for await (const part of answer.body ?? []) response.write(part);
      response.end();
    } catch {
      response.destroy();
    } finally {
      if (method === "POST" && question === undefined) created();
      const isRefused = status !== undefined && status >= 400 && status < 500;
      if (question !== undefined && !isRefused)
        paidQuestions.set(question, (paidQuestions.get(question) ?? 0) + 1);
    }
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", `http://${request.headers.host}`);
    if (url.pathname.startsWith("/files/")) serveFilm(url.pathname, request, response);
    else passOn(url.href, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await emulator.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    emulator,
    connection: { apiKey: WELL_KNOWN_KEY, baseURL: `${origin}/v1` },
    filmOf(taskId) {
      const bytes = bytesOf(`/files/${taskId}/video.mp4`);
      return { sha256: createHash("sha256").update(bytes).digest("hex"), length: bytes.length };
    },
    paidQuestions,
    onCreate(listener) {
      created = listener;
    },
    calmDown() {
      calm = true;
    },
    badlySent: () => badlySent,
  };
}

/** Another one for each task, and the same at each request. */
function makeFilm(path: string): Buffer {
  const seed = createHash("sha256").update(path).digest();
  const random = randomNumbers(seed.readUInt32LE());
  const block = Buffer.from(Array.from({ length: 4_093 }, () => Math.floor(random() * 256)));
  return Buffer.alloc(1 + Math.floor(random() * MAX_FILM_BYTES), block);
}

function questionOf(body: Buffer): string {
  const { messages } = JSON.parse(body.toString()) as { messages: Array<{ content: string }> };
  return messages[0]?.content ?? "";
}
