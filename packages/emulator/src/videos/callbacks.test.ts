import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../testing/start-emulator.js";

/** A receiver that answers each callback with the next of the statuses, then with 200. */
async function receiver(...statuses: number[]) {
  const bodies: { id: string; status: string }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    bodies.push(JSON.parse(await text(request)));
    response.writeHead(statuses.shift() ?? 200).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.close();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function taskWith(callbackURL: string, prompt = "a cat") {
  const started = await startEmulator({ videoTimings: { queuedMs: 60_000, runningMs: 60_000 } });
  const response = await started.post("/videos", {
    model: "local-video-2.0",
    content: [{ type: "text", text: prompt }],
    callback_url: callbackURL,
  });
  return { ...started, id: ((await response.json()) as { id: string }).id };
}

describe("callbacks", () => {
  it("carry what GET answers, on every change, before advance resolves", async () => {
    const { bodies, url } = await receiver();
    const { emulator, get, id } = await taskWith(url);
    await emulator.clock.advance(120_000);
    expect(bodies.map(({ status }) => status)).toEqual(["running", "succeeded"]);
    expect(bodies[1]).toEqual(await (await get(`/videos/${id}`)).json());
  });

  it("are tried three times, and logged", async () => {
    const { bodies, url } = await receiver(500, 502, 503, 500);
    const { emulator } = await taskWith(url, "[[stuck]]");
    await emulator.clock.advance(600_000);
    expect(bodies).toHaveLength(3);
    expect(emulator.callbacks.list()).toMatchObject([
      { url, delivered: false, attempts: [{ status: 500 }, { status: 502 }, { status: 503 }] },
    ]);
  });

  it("are not repeated once acknowledged", async () => {
    const { bodies, url } = await receiver(500);
    const { emulator } = await taskWith(url, "[[stuck]]");
    await emulator.clock.advance(600_000);
    expect(bodies).toHaveLength(2);
    expect(emulator.callbacks.list()[0]?.delivered).toBe(true);
  });

  it("can be sent again", async () => {
    const { bodies, url } = await receiver();
    const { emulator } = await taskWith(url, "[[stuck]]");
    await emulator.clock.advance(60_000);
    const [delivery] = emulator.callbacks.list();
    const again = await emulator.callbacks.resend(delivery?.id ?? "");
    expect(again.attempts).toHaveLength(2);
    expect(bodies[1]).toEqual(bodies[0]);
    await expect(emulator.callbacks.resend("none")).rejects.toThrow('no callback "none"');
  });

  it("that reach nobody say why", async () => {
    const { emulator } = await taskWith("http://127.0.0.1:1/hook", "[[stuck]]");
    await emulator.clock.advance(60_000);
    expect(emulator.callbacks.list()[0]?.attempts[0]).toMatchObject({
      status: null,
      error: expect.any(String),
    });
  });
});
