// A server of the emulator's bench, in a process of its own: the emulator as it is published, or a bare `node:http`
// server that parses what comes and answers bytes that it was given. Tells over IPC what it has cost.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

/** What the bare server answers: a whole answer, and the events of a stream. */
export interface BareAnswers {
  whole: string;
  events: string[];
}

/** A path that only tools look for: the bundle, not the sources that the workspace resolves the name to. */
const BUILT = fileURLToPath(new URL("../../packages/emulator/dist/index.js", import.meta.url));

process.on("message", async (message: "cpu" | "emulator" | BareAnswers) => {
  if (message === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  } else if (message === "emulator") {
    const { createEmulator } = (await import(BUILT)) as typeof import("@model-gateway/emulator");
    const emulator = await createEmulator({ seed: 1 }).listen();
    process.send?.(Number(new URL(emulator.url).port));
  } else {
    const server = bareServer(message).listen(0, "127.0.0.1", () =>
      process.send?.((server.address() as AddressInfo).port),
    );
  }
});
process.on("disconnect", () => process.exit());

function bareServer({ whole, events }: BareAnswers): Server {
  const answer = Buffer.from(whole);
  return createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const { stream } = JSON.parse(text) as { stream?: boolean };
      if (!stream) {
        const headers = { "content-type": "application/json", "content-length": answer.length };
        response.writeHead(200, headers).end(answer);
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      let sent = 0;
      const next = () => {
        const event = events[sent++];
        if (event === undefined) {
          response.end();
          return;
        }
        response.write(event);
        // One event per write, as a real route does, and the emulator.
        setImmediate(next);
      };
      next();
    });
  });
}
