import type { OutgoingHttpHeaders, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type HttpBindings, serve } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Answer } from "../http/answer.js";
import { ConnectionDropped } from "../http/connection-dropped.js";

/** A server that has a port. */
export interface Listener {
  port: number;
  /** Ends every connection at once, open streams included. */
  close(): Promise<void>;
}

/** Serves what answers requests. @throws Error when the port is taken, or the address is not of this machine */
export async function listen(
  handle: (request: Request) => Promise<Answer>,
  port: number,
  hostname: string,
): Promise<Listener> {
  const server = serve({
    fetch: async (request: Request, bindings) => {
      const { outgoing } = bindings as HttpBindings;
      try {
        await write(await handle(request), outgoing);
      } catch {
        // A dropped connection, or a client that has gone: there is nobody to answer.
        outgoing.destroy();
      }
      return RESPONSE_ALREADY_SENT;
    },
    hostname,
    port,
    // The process belongs to the application under test: its Request and Response stay as they are.
    overrideGlobalObjects: false,
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(describe(error, port, hostname));
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Hands an answer over; one whose stream fails takes its connection with it, as a server that broke down would. */
async function write({ body, status, headers }: Answer, outgoing: ServerResponse): Promise<void> {
  if (!(body instanceof ReadableStream)) {
    if (body !== null) headers.set("content-length", String(Buffer.byteLength(body)));
    outgoing.writeHead(status, headersOf(headers));
    if (body === null) outgoing.end();
    else outgoing.end(body);
    return;
  }
  const reader = body.getReader();
  // Whoever leaves while nothing comes would else be noticed at the next piece.
  outgoing.once("close", () => void reader.cancel().catch(() => undefined));
  outgoing.writeHead(status, headersOf(headers));
  outgoing.flushHeaders();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } catch (error) {
    await written(outgoing);
    if (error instanceof ConnectionDropped && error.isReset) outgoing.socket?.resetAndDestroy();
    outgoing.destroy();
  }
}

/** Each header once, but for those whose values must stay apart. */
function headersOf(headers: Headers): OutgoingHttpHeaders {
  const found: OutgoingHttpHeaders = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) found["set-cookie"] = cookies;
  return found;
}

/** Until more can be written, or nobody is there to read it. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      outgoing.off("drain", go);
      outgoing.off("close", go);
      resolve();
    };
    outgoing.on("drain", go);
    outgoing.on("close", go);
  });
}

/** The end of a connection takes with it what the system was not given yet. */
async function written({ socket }: ServerResponse): Promise<void> {
  if (socket === null || socket.destroyed) return;
  await new Promise<void>((resolve) => {
    socket.once("close", resolve);
    socket.write("", () => resolve());
  });
}

function describe(cause: NodeJS.ErrnoException, port: number, hostname: string): Error {
  const text = {
    EADDRINUSE: `Port ${port} is in use. Choose another, or 0 for any free one.`,
    EADDRNOTAVAIL: `${hostname} is no address of this machine: 127.0.0.1 is, and 0.0.0.0 stands for all that it has.`,
  }[cause.code ?? ""];
  return text === undefined ? cause : new Error(text, { cause });
}
