import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer, RecordedRequest } from "./answer.js";
import { type ReplayOptions, replay } from "./replay.js";

export interface ScenarioServer {
  /** Base address of a gateway: ends in `/v1`. */
  readonly url: string;
  readonly origin: string;
  /** Requests that arrived wholly, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Requests that began; more than `requests` when a body was cut off. */
  readonly begun: number;
  /** Connections that were opened. */
  readonly connections: number;
  /** Gives this answer from now on, to every request or to those of one path (`/v1/chat/completions`). */
  answer(answer: Answer, path?: string): void;
  /** Gives each of these answers once, in order, before what `answer` says. */
  answerOnce(...answers: Answer[]): void;
  /** Replays a stream from now on: `answer(replay(options), options.path)`. */
  replay(options: ReplayOptions & { path?: string }): void;
  /** Resolves when so many requests have arrived wholly. */
  arrived(count: number): Promise<void>;
  /** Closes the server and every connection. */
  close(): Promise<void>;
}

/** Starts a server on the loopback address. Until it is told how to answer it answers 404. */
export async function startScenarioServer(): Promise<ScenarioServer> {
  const requests: RecordedRequest[] = [];
  const once: Answer[] = [];
  const answers = new Map<string | undefined, Answer>();
  const waiting = new Set<{ count: number; resolve: () => void }>();
  let begun = 0;
  let connections = 0;

  const server = createServer((message, response) => {
    begun++;
    // A client that leaves is no failure of the server.
    response.on("error", () => undefined);
    readRequest(message).then(
      (request) => {
        requests.push(request);
        for (const entry of waiting) {
          if (requests.length < entry.count) continue;
          waiting.delete(entry);
          entry.resolve();
        }
        const path = request.path.split("?", 1)[0];
        const answer = once.shift() ?? answers.get(path) ?? answers.get(undefined) ?? notFound;
        return answer(request, response);
      },
      // The client left before its request was whole.
      () => undefined,
    );
  });
  server.on("connection", (socket) => {
    connections++;
    socket.on("error", () => undefined);
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url: `${origin}/v1`,
    origin,
    requests,
    get begun() {
      return begun;
    },
    get connections() {
      return connections;
    },
    answer: (answer, path) => void answers.set(path, answer),
    answerOnce: (...next) => void once.push(...next),
    replay: ({ path, ...options }) => void answers.set(path, replay(options)),
    arrived: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.add({ count, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const notFound: Answer = (_request, response) => {
  const error = { message: "No scenario is set for this path.", type: "invalid_request_error", code: "" };
  response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
};

function readRequest(message: IncomingMessage): Promise<RecordedRequest> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => void chunks.push(chunk));
    message.on("error", reject);
    message.on("aborted", () => reject(new Error("The request was cut off.")));
    message.on("end", () => {
      const body = Buffer.concat(chunks);
      const text = body.toString("utf8");
      const { method = "", url: path = "", headers } = message;
      resolve({ method, path, headers, body, text, json: parse(text) });
    });
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
