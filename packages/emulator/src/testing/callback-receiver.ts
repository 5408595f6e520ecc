import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A receiver of callbacks: what they said, and what it does before it acknowledges each; a number is its status. */
export async function callbackReceiver(acknowledge: (body: unknown) => unknown = () => undefined) {
  const bodies: unknown[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await json(request);
    bodies.push(body);
    const status = await acknowledge(body);
    response.writeHead(typeof status === "number" ? status : 200).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}
