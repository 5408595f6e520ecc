import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Handlers of one path, as in the route file of a framework. */
export type RouteHandlers = Partial<Record<Method, (request: Request) => Promise<Response>>>;

type Method = "GET" | "POST" | "DELETE";

/** A server of handlers of the web. */
export interface RouteServer {
  /** Without a slash at its end. */
  origin: string;
  /** Breaks the connections that stand, and goes on serving. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * Serves handlers of the web over real HTTP, as Node's frameworks do: a client that leaves aborts the request's signal, and
 * cancels the body of the answer.
 *
 * @param routeOf the handlers of a path; undefined for 404
 */
export async function serveRoutes(
  routeOf: (path: string) => RouteHandlers | undefined,
): Promise<RouteServer> {
  const server = createServer((message, response) => {
    answer(message, response, routeOf).catch(() => {
      // What has begun is broken off, as frameworks do.
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => server.closeAllConnections(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  routeOf: (path: string) => RouteHandlers | undefined,
): Promise<void> {
  const url = new URL(message.url ?? "/", "http://localhost");
  const { method = "GET" } = message;
  const handler = routeOf(url.pathname)?.[method as Method];
  if (handler === undefined) {
    response.writeHead(404).end();
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const headers = Object.entries(message.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const body = parts.length === 0 ? null : Buffer.concat(parts);
  const answered = await handler(new Request(url, { method, headers, body, signal: gone.signal }));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) {
    response.end();
    return;
  }
  const reader = answered.body.getReader();
  response.on("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!response.write(value)) await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end();
}

function once(response: ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => {
    response.once(event, () => resolve());
  });
}
