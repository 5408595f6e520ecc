import { describe, expect, it, vi } from "vitest";
import { AsyncQueue } from "./async-queue.js";
import { createByteBody } from "./byte-body.js";

function bodyOf(...chunks: string[]) {
  const queue = new AsyncQueue<Uint8Array>(100);
  const source = { resume: vi.fn(), abort: vi.fn() };
  queue.attach(source);
  for (const chunk of chunks) queue.push(new TextEncoder().encode(chunk));
  return { queue, source, ...createByteBody(queue) };
}

describe("a body of bytes", () => {
  it("is read as a stream, chunk by chunk, up to its end", async () => {
    const { queue, body } = bodyOf("one", "two");
    queue.finish();
    expect(await new Response(body).text()).toBe("onetwo");
  });

  it("is read as a whole", async () => {
    const { queue, bytes } = bodyOf("one", "", "two");
    queue.finish();
    expect(Buffer.from(await bytes()).toString()).toBe("onetwo");
  });

  it("reads nothing before its consumer does: what is full pauses the connection", async () => {
    const { queue, body } = bodyOf("one");
    await new Promise((resolve) => setImmediate(resolve));
    expect(queue.wasRead).toBe(false);
    const reader = body.getReader();
    expect((await reader.read()).value).toHaveLength(3);
    expect(queue.wasRead).toBe(true);
  });

  it("gives up the connection when its consumer leaves", async () => {
    const { source, body } = bodyOf("one", "two");
    await body.cancel();
    expect(source.abort).toHaveBeenCalledOnce();
  });

  it("passes the error of the connection on", async () => {
    const { queue, body, bytes } = bodyOf("one");
    queue.finish(new Error("broken"));
    await expect(new Response(body).text()).rejects.toThrow("broken");
    const whole = bodyOf("one");
    whole.queue.finish(new Error("broken"));
    await expect(whole.bytes()).rejects.toThrow("broken");
    expect(await bytes()).toHaveLength(0);
  });
});
