import type { AddressInfo } from "node:net";
import { createConnection, createServer, type Socket } from "node:net";

/** The way of a browser to a server, which can be down. */
export interface NetworkLink {
  origin: string;
  /** Breaks the connections that stand, and takes no more. */
  down(): void;
  up(): void;
  close(): Promise<void>;
}

/** @param origin of the server, on the loopback address */
export async function openLink(origin: string): Promise<NetworkLink> {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<Socket>();
  let isDown = false;
  const server = createServer((near) => {
    if (isDown) {
      near.destroy();
      return;
    }
    const far = createConnection(Number(port), hostname);
    for (const [socket, peer] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        peer.destroy();
      });
      socket.pipe(peer);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    down() {
      isDown = true;
      cut();
    },
    up() {
      isDown = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
