import { describe, expect, it, vi } from "vitest";
import { AsyncQueue, QueueReader } from "./async-queue.js";

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

  it("keeps a reader waiting while nothing arrives, and lets it go at the end", async () => {
    const { queue } = queueOf([]);
    const first = queue.next();
    expect(queue.flush()).toBe(true);
    queue.push(1);
    queue.flush();
    expect(await first).toEqual({ value: 1, done: false });
    const last = queue.next();
    queue.finish();
    expect(await last).toEqual({ value: undefined, done: true });
  });

  it("drops unread items when it is cancelled", async () => {
    const { queue, source } = queueOf([1, 2]);
    queue.cancel(new Error("aborted"));
    expect(source.abort).toHaveBeenCalledOnce();
    await expect(queue.next()).rejects.toThrow("aborted");
  });

  it("counts only what nobody has read yet against its mark, and resumes once", async () => {
    const { queue, source } = queueOf([1, 2, 3], 3);
    expect(queue.isPaused).toBe(false);
    await queue.next();
    await queue.next();
    expect(queue.flush()).toBe(true);
    expect(queue.isPaused).toBe(false);
    queue.push(4);
    queue.push(5);
    expect(queue.flush()).toBe(false);
    expect(queue.isPaused).toBe(true);
    expect(await queue.nextBatch()).toEqual([3, 4, 5]);
    expect(queue.isPaused).toBe(false);
    queue.push(6);
    await queue.nextBatch();
    expect(source.resume).toHaveBeenCalledOnce();
  });

  it("reads what was put back next, as if nobody had asked yet", async () => {
    const { queue } = queueOf([1, 2]);
    expect(queue.wasRead).toBe(false);
    const first = await queue.next();
    expect(queue.wasRead).toBe(true);
    queue.putBack(first.value);
    expect(queue.wasRead).toBe(false);
    expect(await queue.nextBatch()).toEqual([1, 2]);
    expect(queue.wasRead).toBe(true);
    queue.putBack(2);
    queue.putBack(1);
    queue.push(3);
    expect(await queue.nextBatch()).toEqual([1, 2, 3]);
  });

  it("ends once: neither the second end nor a cancellation after it changes anything", async () => {
    const { queue, source } = queueOf([1]);
    queue.finish();
    queue.finish(new Error("late"));
    queue.cancel(new Error("later"));
    expect(source.abort).not.toHaveBeenCalled();
    expect(await queue.next()).toEqual({ value: 1, done: false });
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it("tells a waiting reader of the error once", async () => {
    const { queue } = queueOf([]);
    const waiting = queue.next();
    const after = queue.next();
    queue.finish(new Error("broken"));
    await expect(waiting).rejects.toThrow("broken");
    await expect(after).rejects.toThrow("broken");
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it("lets a waiting reader go when it is left, whatever had arrived or broken", async () => {
    const { queue, source } = queueOf([]);
    const waiting = queue.next();
    expect(await queue.return()).toEqual({ value: undefined, done: true });
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(source.abort).toHaveBeenCalledOnce();

    const { queue: broken } = queueOf([1, 2]);
    broken.finish(new Error("broken"));
    await broken.return();
    expect(await broken.next()).toEqual({ value: undefined, done: true });
  });

  it("is empty after its items were discarded, and takes new ones", async () => {
    const { queue } = queueOf([1, 2, 3]);
    await queue.next();
    queue.discard();
    queue.push(4);
    expect(await queue.next()).toEqual({ value: 4, done: false });
    queue.push(5);
    expect(queue.flush()).toBe(true);
    expect(await queue.nextBatch()).toEqual([5]);
  });

  it("hands the rest of a batch over that one item was taken from", async () => {
    const { queue } = queueOf([1, 2, 3]);
    await queue.next();
    expect(await queue.nextBatch()).toEqual([2, 3]);
    queue.finish(new Error("broken"));
    await expect(queue.nextBatch()).rejects.toThrow("broken");
  });

  it("needs no connection", async () => {
    const left = new AsyncQueue<number>(1);
    left.push(1);
    expect(left.flush()).toBe(false);
    expect(await left.next()).toEqual({ value: 1, done: false });
    expect((await left.return()).done).toBe(true);
    const cancelled = new AsyncQueue<number>(1);
    cancelled.cancel(new Error("aborted"));
    await expect(cancelled.next()).rejects.toThrow("aborted");
  });
});

describe("QueueReader", () => {
  it("reads its queue by item and by batch, and gives up the connection when its reader leaves", async () => {
    const { queue, source } = queueOf([1, 2, 3]);
    const reader = new QueueReader(queue);
    expect(await reader.next()).toEqual({ value: 1, done: false });
    expect(await reader.nextBatch()).toEqual([2, 3]);
    queue.push(4);
    for await (const item of reader) {
      expect(item).toBe(4);
      break;
    }
    expect(source.abort).toHaveBeenCalledOnce();
    expect(await reader.next()).toEqual({ value: undefined, done: true });
    expect(await reader.return()).toEqual({ value: undefined, done: true });
  });
});
