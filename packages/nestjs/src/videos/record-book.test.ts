import type { VideoTask } from "@model-gateway/core";
import { expect, it } from "vitest";
import { RecordBook } from "./record-book.js";
import type { VideoTaskRecord } from "./video-task-record.js";

const submission = { family: "content" as const, body: { model: "m", content: [] } };

function record(key: string, updatedAt: number, more: Partial<VideoTaskRecord> = {}): VideoTaskRecord {
  return { key, submission, status: "rejected", version: 1, createdAt: 0, updatedAt, ...more };
}

function running(key: string, more: Partial<VideoTaskRecord> = {}): VideoTaskRecord {
  const handle = { v: 1 as const, family: "content" as const, id: key };
  const task: VideoTask = { handle, id: key, family: "content", status: "running", videos: [], raw: {} };
  return record(key, 1, { status: "running", handle, task, ...more });
}

const bookOf = (maxFinished: number) => new RecordBook({ maxFinished, finishedForMs: undefined });
const keysOf = (book: RecordBook) => [...book.values()].map(({ key }) => key);

it("keeps the last to finish of what is restored, in whatever order that comes", () => {
  const book = bookOf(2);
  for (const [index, at] of [5, 1, 4, 2, 3].entries()) book.restore(record(`${index}`, at));
  book.endRestore();
  expect(keysOf(book)).toEqual(["0", "2"]);
});

it("holds few of very many finished ones while they are restored", () => {
  const book = bookOf(10);
  let most = 0;
  for (let index = 0; index < 10_000; index++) {
    book.restore(record(`${index}`, index));
    if (index % 100 === 0) most = Math.max(most, keysOf(book).length);
  }
  expect(most).toBeLessThan(2_000);
  book.endRestore();
  expect(keysOf(book)).toEqual(Array.from({ length: 10 }, (_, index) => `${9_990 + index}`));
});

it("keeps in its place what was given up, finished by many others, and taken up again", () => {
  const book = bookOf(10);
  book.restore(running("first", { watchCancelledAt: 1 }));
  for (let index = 0; index < 5_000; index++) book.restore(record(`${index}`, 2 + index));
  book.restore(running("first"));
  book.endRestore();
  expect(keysOf(book)[0]).toBe("first");
  expect(keysOf(book)).toHaveLength(11);
});

it("forgets what has been finished for too long, and nothing that goes on", () => {
  const book = new RecordBook({ maxFinished: 10, finishedForMs: 100 });
  book.put(record("old", 900));
  book.put(record("new", 901));
  book.put(running("open"));
  expect(book.forgetExpired(1_000)).toBe(1);
  expect(keysOf(book)).toEqual(["new", "open"]);
  expect(book.forgetExpired(1_000)).toBe(0);
});
