import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { MediaWorker } from "./media-worker.js";

const threads: Worker[] = [];
const worker = new MediaWorker(() => {
  const thread = new Worker(new URL("./unreliable-thread.fixture.mjs", import.meta.url));
  threads.push(thread);
  return thread;
});

function run(prompt: string) {
  return worker.run("video", { width: 64, height: 64, durationSeconds: 1, prompt, seed: 1, audio: false });
}

afterEach(async () => {
  await worker.close();
  threads.length = 0;
});

test("starts no thread before the first job and one for all jobs", async () => {
  expect(threads).toHaveLength(0);
  const outputs = await Promise.all(["first", "second", "third"].map(run));
  expect(outputs.map((output) => output.mediaType)).toEqual(["first", "second", "third"]);
  expect(threads).toHaveLength(1);
});

test("rejects a job that fails, and keeps the thread", async () => {
  const failed = run("fail");
  await expect(failed).rejects.toThrow("The video could not be rendered: no such codec");
  await expect(failed).rejects.toHaveProperty("cause", expect.any(RangeError));
  await run("next");
  expect(threads).toHaveLength(1);
});

test("rejects input that the thread finds invalid with its own words, as a RangeError", async () => {
  const refused = run("refuse");
  await expect(refused).rejects.toThrow(RangeError);
  await expect(refused).rejects.toThrow(/^inputs\[0\] is no image$/);
});

test.each([
  ["throws", "throw", "wasm out of memory"],
  ["exits", "exit", "the media thread ended with exit code 3"],
])(
  "rejects the job at which the thread %s, and does the others on a new thread",
  async (_, prompt, reason) => {
    const [crashed, ...others] = await Promise.allSettled([prompt, "second", "third"].map(run));
    expect(crashed).toMatchObject({
      status: "rejected",
      reason: { message: `The video could not be rendered: ${reason}` },
    });
    expect(others).toMatchObject([{ value: { mediaType: "second" } }, { value: { mediaType: "third" } }]);
    expect(threads).toHaveLength(2);
  },
);

test("replaces a thread that ended while idle", async () => {
  await run("first");
  await threads[0]?.terminate();
  expect(await run("second")).toEqual({ mediaType: "second" });
  expect(threads).toHaveLength(2);
});

test("rejects a job whose thread cannot be started", async () => {
  const broken = new MediaWorker(() => {
    throw new Error("no threads left");
  });
  const input = { width: 64, height: 64, durationSeconds: 1, prompt: "", seed: 1, audio: false };
  await expect(broken.run("video", input)).rejects.toThrow("no threads left");
});

test("closing rejects the unfinished jobs and ends the thread", async () => {
  await run("first");
  const unfinished = Promise.allSettled([run("hang"), run("queued")]);
  const ended = once(threads[0] as Worker, "exit");
  await worker.close();
  await ended;
  const closed = { reason: { message: expect.stringContaining("the media worker was closed first") } };
  expect(await unfinished).toMatchObject([closed, closed]);
});

test("works again after it was closed", async () => {
  await run("first");
  await worker.close();
  await worker.close();
  expect(await run("second")).toEqual({ mediaType: "second" });
});
