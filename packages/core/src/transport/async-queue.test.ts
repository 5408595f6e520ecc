import { describe, expect, it, vi } from "vitest";
import { AsyncQueue } from "./async-queue.js";

function queueOf(items: number[], highWaterMark = 100) {
  const queue = new AsyncQueue<number>(highWaterMark);
  const source = { resume: vi.fn(), abort: vi.fn() };
  queue.attach(source);
  for (const item of items) queue.push(item);
  return { queue, source };
}

describe("AsyncQueue", () => {
  it("delivers what was pushed before and after the reader came, then ends", async () => {
    const { queue } = queueOf([1, 2]);
    const seen: number[] = [];
    const reading = (async () => {
      for await (const item of queue) seen.push(item);
    })();
    await Promise.resolve();
    queue.push(3);
    queue.flush();
    queue.finish();
    await reading;
    expect(seen).toEqual([1, 2, 3]);
  });

  it("delivers everything before the error", async () => {
    const { queue } = queueOf([1]);
    queue.finish(new Error("broken"));
    expect(await queue.next()).toEqual({ value: 1, done: false });
    await expect(queue.next()).rejects.toThrow("broken");
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it("asks for a pause at its mark and resumes once it is empty", async () => {
    const { queue, source } = queueOf([1, 2, 3], 3);
    expect(queue.flush()).toBe(false);
    await queue.next();
    await queue.next();
    expect(source.resume).not.toHaveBeenCalled();
    await queue.next();
    expect(source.resume).toHaveBeenCalledOnce();
  });

  it("closes the connection when the reader leaves", async () => {
    const { queue, source } = queueOf([1, 2]);
    for await (const _item of queue) break;
    expect(source.abort).toHaveBeenCalledOnce();
    expect((await queue.next()).done).toBe(true);
  });

  it("hands over whole batches", async () => {
    const { queue } = queueOf([1, 2, 3]);
    expect(await queue.nextBatch()).toEqual([1, 2, 3]);
    const waiting = queue.nextBatch();
    queue.push(4);
    queue.push(5);
    queue.flush();
    expect(await waiting).toEqual([4, 5]);
    queue.finish();
    expect(await queue.nextBatch()).toBeUndefined();
  });

  it("answers overlapping reads in order", async () => {
    const { queue } = queueOf([]);
    const reads = [queue.next(), queue.next(), queue.next()];
    queue.push(1);
    queue.flush();
    queue.push(2);
    queue.flush();
    queue.finish();
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([1, 2, undefined]);
  });

  it("drops unread items when it is cancelled", async () => {
    const { queue, source } = queueOf([1, 2]);
    queue.cancel(new Error("aborted"));
    expect(source.abort).toHaveBeenCalledOnce();
    await expect(queue.next()).rejects.toThrow("aborted");
  });
});
