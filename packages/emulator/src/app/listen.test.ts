import { once } from "node:events";
import { type IncomingMessage, request as startRequest } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { Answer } from "../http/answer.js";
import { ConnectionDropped } from "../http/connection-dropped.js";
import { type Listener, listen } from "./listen.js";

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

async function serve(handle: (request: Request) => Answer): Promise<string> {
  listener = await listen(async (request) => handle(request), 0, "127.0.0.1");
  return `http://127.0.0.1:${listener.port}/`;
}

async function head(url: string): Promise<IncomingMessage> {
  const request = startRequest(url).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("an answer that is known whole", () => {
  test("has its length in bytes, not in characters", async () => {
    const response = await fetch(await serve(() => Answer.json({ said: "你好, Grüße" })));
    expect(response.headers.get("content-length")).toBe("26");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ said: "你好, Grüße" });
  });

  test("may be bytes", async () => {
    const response = await fetch(
      await serve(() => new Answer(new Uint8Array([0, 255, 10]), { status: 206 })),
    );
    expect([response.status, response.headers.get("content-length")]).toEqual([206, "3"]);
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 10]);
  });

  test("may be nothing, and the connection serves the next call", async () => {
    const url = await serve(() => new Answer(null, { status: 204, headers: { "x-one": "1" } }));
    for (let call = 0; call < 2; call++) {
      const response = await fetch(url, { method: "POST", body: "unread" });
      expect([response.status, response.headers.get("x-one"), await response.text()]).toEqual([204, "1", ""]);
    }
  });

  test("keeps cookies apart", async () => {
    const headers = new Headers([
      ["set-cookie", "a=1; expires=Thu, 01 Jan 2026"],
      ["set-cookie", "b=2"],
    ]);
    const response = await head(await serve(() => new Answer("", { headers })));
    expect(response.resume().headers["set-cookie"]).toEqual(["a=1; expires=Thu, 01 Jan 2026", "b=2"]);
  });
});

describe("a stream", () => {
  test("tells its head before its first piece", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const response = await head(await serve(() => new Answer(readable)));
    const writer = writable.getWriter();
    void writer.write(bytes("late"));
    void writer.close();
    let text = "";
    for await (const piece of response.setEncoding("utf8")) text += piece;
    expect(text).toBe("late");
  });

  test("waits for a slow reader, and comes whole", async () => {
    const pieces = 64;
    let given = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (given++ < pieces) controller.enqueue(new Uint8Array(1 << 20).fill(given));
        else controller.close();
      },
    });
    const response = await head(await serve(() => new Answer(body)));
    // Nobody reads: the sockets fill, and no more is asked for.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(given).toBeLessThan(pieces);
    let size = 0;
    for await (const piece of response) size += (piece as Buffer).length;
    expect(size).toBe(pieces << 20);
  });

  test("is let go of when its reader leaves while nothing comes", async () => {
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes("first")),
      cancel: () => leave(),
    });
    const response = await head(await serve(() => new Answer(body)));
    await once(response, "data");
    response.destroy();
    await left;
    expect(body.locked).toBe(true);
  });

  test.each([
    ["with an end", new ConnectionDropped(), /aborted|ECONNRESET/],
    ["with a reset", new ConnectionDropped({ isReset: true }), /ECONNRESET|aborted/],
    ["as anything else", new Error("of its own"), /aborted|ECONNRESET/],
  ])("that breaks %s takes its connection with it", async (_how, failure, message) => {
    let given = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (given) throw failure;
        given = true;
        controller.enqueue(bytes("first"));
      },
    });
    const response = await head(await serve(() => new Answer(body)));
    const reading = (async () => {
      for await (const _ of response);
    })();
    await expect(reading).rejects.toThrow(message);
  });
});
