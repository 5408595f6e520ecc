import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/**
 * An origin where nobody listens, nor will: its port is the near end of a connection that stays open, so that the system
 * gives it to no other server in the meantime.
 */
export async function unusedOrigin(): Promise<string> {
  const server = createServer((socket) => socket.unref()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").unref();
  await once(socket, "connect");
  server.close();
  return `http://127.0.0.1:${socket.localPort}`;
}
