import { createServer } from "node:net";

const [LOWEST, PORTS] = [20_000, 10_000];

/**
 * For servers that must be told their port before they start. It lies below those that systems hand out, one of which
 * another server could be given before this one starts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
