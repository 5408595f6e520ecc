import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import {
  APIUserAbortError,
  AuthenticationError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  type VideoTask,
  VideoTaskFailedError,
  type VideoTaskHandle,
  VideoTaskTimeoutError,
} from "../index.js";

const VIDEO = { model: "m", content: [{ type: "text" as const, text: "a fox" }] };
const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };
const FAST = { intervalMs: 1 };

/** A gateway whose task goes through the given answers, the last one for ever. */
async function gatewayWith(answers: Array<(response: ServerResponse) => void>, options = {}) {
  const server = await startServer((_request, response, count) => {
    (answers[Math.min(count, answers.length) - 1] as (response: ServerResponse) => void)(response);
  });
  return { server, gateway: gatewayFor(server.url, { maxPollsPerSecond: 10_000, ...options }) };
}

const status =
  (word: string, more: object = {}) =>
  (response: ServerResponse) =>
    sendJSON(response, { id: "t1", status: word, ...more });
const failure =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    sendJSON(response, errorBody("no"), code, headers);

async function collect(watch: AsyncIterable<VideoTask>): Promise<string[]> {
  const seen: string[] = [];
  for await (const task of watch)
    seen.push(`${task.rawStatus}${task.progress === undefined ? "" : ` ${task.progress}`}`);
  return seen;
}

describe.each(TRANSPORTS)("videos over %s", (_name, transport) => {
  it("are created with a handle that survives JSON and leads back to the task", async () => {
    const server = await startServer(({ method }, response) =>
      method === "POST"
        ? sendJSON(response, { id: "cgt-1/2", task_id: "other" })
        : sendJSON(response, { status: "running", progress: 10 }),
    );
    const task = await gatewayFor(server.url, transport).videos.create(VIDEO);
    expect(task).toMatchObject({ id: "cgt-1/2", family: "content", status: "queued", videos: [] });
    expect(task.handle).toMatchObject({ v: 1, family: "content", id: "cgt-1/2", address: "general" });
    const handle = JSON.parse(JSON.stringify(task.handle)) as VideoTaskHandle;
    expect(await gatewayFor(server.url, transport).videos.retrieve(handle)).toMatchObject({ progress: 10 });
    expect(server.requests[0]?.json).toEqual(VIDEO);
    expect(server.requests[1]?.path).toBe("/v1/videos/cgt-1%2F2");
  });

  it("that name no task are reported as perhaps created", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { ok: true }));
    const error = await errorOf(gatewayFor(server.url, transport).videos.create(VIDEO));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ maybeProcessed: true, body: { ok: true } });
  });

  it("are watched: one item per change, the end after a terminal status", async () => {
    const { gateway } = await gatewayWith(
      [
        status("queued"),
        status("queued"),
        status("running", { progress: 10 }),
        status("running", { progress: 10 }),
        status("running", { progress: 60 }),
        status("succeeded", { output: { video_url: "https://x.example/1.mp4" } }),
      ],
      transport,
    );
    expect(await collect(gateway.videos.watch(HANDLE, FAST))).toEqual([
      "queued",
      "running 10",
      "running 60",
      "succeeded",
    ]);
  });

  it("are waited for", async () => {
    const { gateway } = await gatewayWith(
      [status("queued"), status("succeeded", { metadata: { url: "https://x.example/1.mp4" } })],
      transport,
    );
    expect((await gateway.videos.wait(HANDLE, FAST)).videos).toEqual([{ url: "https://x.example/1.mp4" }]);
  });

  it.each(["failed", "cancelled", "expired"])("that end as %s throw with the task", async (word) => {
    const { gateway } = await gatewayWith(
      [status(word, { error: { code: "C", message: "because" } })],
      transport,
    );
    const error = await errorOf(gateway.videos.wait(HANDLE, FAST));
    expect(error).toBeInstanceOf(VideoTaskFailedError);
    expect(error).toMatchObject({
      handle: HANDLE,
      task: { status: word, error: { code: "C", message: "because" } },
    });
  });

  it("time out with the handle, also while a poll hangs", async () => {
    const hanging = await gatewayWith([status("running"), () => {}], transport);
    const error = await errorOf(hanging.gateway.videos.wait(HANDLE, { ...FAST, timeoutMs: 100 }));
    expect(error).toBeInstanceOf(VideoTaskTimeoutError);
    expect(error).toMatchObject({ handle: HANDLE, timeoutMs: 100, task: { status: "running" } });
    expect((error as Error).message).toContain("goes on and is billed");
  });

  it("end at once on abort, without another poll", async () => {
    const { gateway, server } = await gatewayWith([status("running")], transport);
    const controller = new AbortController();
    const watch = gateway.videos.watch(HANDLE, { intervalMs: 60_000, signal: controller.signal });
    expect((await watch.next()).value).toMatchObject({ status: "running" });
    const next = errorOf(watch.next());
    controller.abort();
    expect(await next).toBeInstanceOf(APIUserAbortError);
    expect(server.requests).toHaveLength(1);
    expect(await errorOf(gateway.videos.wait(HANDLE, { signal: controller.signal }))).toBeInstanceOf(
      APIUserAbortError,
    );
    expect(server.requests).toHaveLength(1);
  });

  it("ride out failing polls and young 404s", async () => {
    const { gateway } = await gatewayWith(
      [
        failure(404),
        failure(500),
        ({ socket }) => socket?.destroy(),
        failure(429, { "retry-after-ms": "1" }),
        (response) => response.end("<html>"),
        status("succeeded"),
      ],
      transport,
    );
    expect(await collect(gateway.videos.watch({ ...HANDLE, createdAt: Date.now() }, FAST))).toEqual([
      "succeeded",
    ]);
  });

  it("give up after ten failed polls in a row, with the last error and the handle", async () => {
    const { gateway, server } = await gatewayWith([failure(502)], transport);
    const error = await errorOf(gateway.videos.wait(HANDLE, FAST));
    expect(error).toMatchObject({ status: 502, handle: HANDLE });
    expect(server.requests).toHaveLength(10);
  });

  it("give up at once on what no poll can mend", async () => {
    const unknown = await gatewayWith([failure(404)], transport);
    const old = { ...HANDLE, createdAt: Date.now() - 31_000 };
    expect(await errorOf(unknown.gateway.videos.wait(old, FAST))).toBeInstanceOf(NotFoundError);
    const locked = await gatewayWith([failure(401)], transport);
    const error = await errorOf(locked.gateway.videos.wait(HANDLE, FAST));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ handle: HANDLE });
    expect(locked.server.requests).toHaveLength(1);
  });

  it("stop polling when the reader leaves the loop", async () => {
    const { gateway, server } = await gatewayWith([status("running")], transport);
    for await (const _task of gateway.videos.watch(HANDLE, { intervalMs: 60_000 })) break;
    expect(server.requests).toHaveLength(1);
  });

  it("are read where they were created", async () => {
    const cdn = await startServer((_request, response) => sendJSON(response, { status: "running" }));
    const { gateway, server } = await gatewayWith([status("queued")], {
      ...transport,
      endpoints: { cdn: cdn.url },
    });
    await gateway.videos.retrieve({ ...HANDLE, address: "cdn" });
    expect([server.requests.length, cdn.requests.length]).toEqual([0, 1]);
  });
});

describe("handles", () => {
  it.each<[string, unknown]>([
    ["handle.v", undefined],
    ["handle.v", { family: "content", id: "t" }],
    ["handle.family", { v: 1, family: "dance", id: "t" }],
    ["handle.id", { v: 1, family: "content", id: "" }],
    ["handle.id", { v: 1, family: "content", id: ".." }],
  ])("are checked: %s of %j", async (field, handle) => {
    const { videos } = gatewayFor("http://127.0.0.1:9/v1");
    const error = await errorOf(videos.retrieve(handle as VideoTaskHandle));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).field).toBe(field);
    expect(() => videos.watch(handle as VideoTaskHandle)).toThrow(InvalidRequestError);
  });
});
