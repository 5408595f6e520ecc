import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Http2Bindings, type HttpBindings, serve } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { ConnectionDropped } from "../http/connection-dropped.js";

type Outgoing = HttpBindings["outgoing"] | Http2Bindings["outgoing"];

/** A server that has a port. */
export interface Listener {
  port: number;
  /** Ends every connection at once, open streams included. */
  close(): Promise<void>;
}

/** Serves a web-standard handler. @throws Error when the port is taken, or the address is not of this machine */
export async function listen(
  handle: (request: Request) => Response | Promise<Response>,
  port: number,
  hostname: string,
): Promise<Listener> {
  const server = serve({
    fetch: async (request: Request, { outgoing }: HttpBindings | Http2Bindings) => {
      try {
        return destroyOnError(await handle(request), outgoing);
      } catch {
        // A dropped connection, or a client that has gone: there is nobody to answer.
        outgoing.destroy();
        return RESPONSE_ALREADY_SENT;
      }
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

/** A body that fails takes its connection with it, as a server that broke down would; it is no event to log. */
function destroyOnError(response: Response, outgoing: Outgoing): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        await written(outgoing);
        if (error instanceof ConnectionDropped && error.isReset) outgoing.socket?.resetAndDestroy();
        outgoing.destroy();
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  };
  // Nothing is read ahead: what came before a reset has been written by then.
  const body = new ReadableStream(source, { highWaterMark: 0 });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** The end of a connection takes with it what the system was not given yet. */
async function written({ socket }: Outgoing): Promise<void> {
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
