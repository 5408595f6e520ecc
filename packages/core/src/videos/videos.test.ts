import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { errorOf, gatewayFor, TRANSPORTS } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer, unusedAddress } from "../../test/scripted-server.js";
import {
  APIUserAbortError,
  InvalidRequestError,
  InvalidResponseError,
  type PollFailedEvent,
  type VideoSubmission,
  type VideoTask,
  VideoTaskFailedError,
  type VideoTaskHandle,
  VideoTaskTimeoutError,
} from "../index.js";
import { VIDEO_FAMILIES } from "./video-families.js";

const VIDEO = { model: "m", content: [{ type: "text" as const, text: "a fox" }] };
const SUBMISSIONS: VideoSubmission[] = [
  { family: "content", body: VIDEO },
  { family: "image2video", body: { model_name: "m", prompt: "a fox", image: "https://x.example/1.png" } },
  {
    family: "omni-video",
    body: { model_name: "m", prompt: "<<<image_1>>>", image_list: [{ image_url: "u" }] },
  },
];
const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };
const FAST = { intervalMs: 1 };

/** A gateway whose task goes through the given answers, the last one for ever. */
async function gatewayWith(answers: Array<(response: ServerResponse) => void>, options = {}) {
  const server = await startServer((_request, response, count) => {
    (answers[Math.min(count, answers.length) - 1] as (response: ServerResponse) => void)(response);
  });
  return {
    server,
    gateway: gatewayFor(server.url, { maxPollsPerSecond: 10_000, logLevel: "off", ...options }),
  };
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

  it.each([
    ["imageToVideo", "image2video", { model_name: "m", prompt: "a fox", image: "https://x.example/1.png" }],
    [
      "omniVideo",
      "omni-video",
      { model_name: "m", prompt: "<<<image_1>>>", image_list: [{ image_url: "u" }] },
    ],
  ] as const)(
    "of the wrapped families are created by %s and read where they were",
    async (name, family, body) => {
      const created = { code: 0, message: "SUCCEED", data: { task_id: "86728", task_status: "submitted" } };
      const done = {
        data: { task_status: "succeed", task_result: { videos: [{ url: "https://x.example/1.mp4" }] } },
      };
      const server = await startServer(({ method }, response) =>
        sendJSON(response, method === "POST" ? created : done),
      );
      const { videos } = gatewayFor(server.url, transport);
      const task = await videos[name](body as never);
      expect(task).toMatchObject({ id: "86728", family, status: "queued", rawStatus: "submitted" });
      expect(task.handle).toMatchObject({ v: 1, family, id: "86728", address: "general" });
      expect(await videos.retrieve(task.handle)).toMatchObject({ status: "succeeded" });
      expect((await videos.wait(task.handle, FAST)).videos).toEqual([{ url: "https://x.example/1.mp4" }]);
      expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        `POST /v1/videos/${family}`,
        `GET /v1/videos/${family}/86728`,
        `GET /v1/videos/${family}/86728`,
      ]);
      expect(server.requests[0]?.json).toEqual(body);
    },
  );

  it.each(SUBMISSIONS)(
    "of a family that is only known as a value are created in $family",
    async ({ family, body }) => {
      const server = await startServer((_request, response) => sendJSON(response, { id: "t", task_id: "t" }));
      const { videos } = gatewayFor(server.url, transport);
      expect((await videos.createIn(family, body)).handle.family).toBe(family);
      expect(server.requests[0]).toMatchObject({ path: `/v1${VIDEO_FAMILIES[family].path}`, json: body });
      const wrong = videos.createIn(family, {} as typeof body);
      await expect(wrong).rejects.toMatchObject({ kind: "invalid_request" });
      await expect(videos.createIn("film" as typeof family, body)).rejects.toThrow(/family must be one of/);
      expect(server.requests).toHaveLength(1);
    },
  );

  it("of the wrapped families take the idempotency key as the caller's own id, once", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { task_id: "t" }));
    const { videos } = gatewayFor(server.url, transport);
    const body = { model_name: "m", prompt: "p", image: "i" };
    await videos.imageToVideo(body, { idempotencyKey: "order-7" });
    await videos.imageToVideo({ ...body, external_task_id: "mine" }, { idempotencyKey: "order-8" });
    await videos.omniVideo({ model_name: "m", prompt: "p" }, { idempotencyKey: "order-9" });
    await videos.create(VIDEO, { idempotencyKey: "order-10" });
    expect(server.requests.map(({ json }) => (json as Record<string, unknown>)["external_task_id"])).toEqual([
      "order-7",
      "mine",
      "order-9",
      undefined,
    ]);
    expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual([
      "order-7",
      "order-8",
      "order-9",
      "order-10",
    ]);
    expect(body).not.toHaveProperty("external_task_id");
    await videos.omniVideo({ model_name: "m", prompt: "p" }, { headers: { "Idempotency-KEY": "order-11" } });
    await videos.omniVideo({ model_name: "m", prompt: "p" }, { headers: { "x-other": "1" } });
    await videos.omniVideo({ model_name: "m", prompt: "p" });
    await videos.omniVideo(
      { model_name: "m", prompt: "p" },
      { idempotencyKey: "order-12", headers: { "idempotency-key": "other" } },
    );
    expect(
      server.requests.slice(4).map(({ json }) => (json as Record<string, unknown>)["external_task_id"]),
    ).toEqual(["order-11", undefined, undefined, "order-12"]);
  });

  it("of every family are paid once, whatever happens", async () => {
    const server = await startServer(({ socket }) => socket.destroy());
    const { videos } = gatewayFor(server.url, transport);
    for (const [name, create] of [
      ["create", () => videos.create(VIDEO)],
      ["imageToVideo", () => videos.imageToVideo({ model_name: "m", prompt: "p", image: "i" })],
      ["omniVideo", () => videos.omniVideo({ model_name: "m", prompt: "p" })],
    ] as const) {
      const error = await errorOf(create());
      expect(error).toMatchObject({ maybeProcessed: true, attempts: 1 });
      expect((error as Error).message).toContain(`Before you repeat videos.${name}, check the usage records`);
    }
    expect(server.requests).toHaveLength(3);
  });

  it("that name no task are reported as perhaps created", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { ok: true }));
    const error = await errorOf(gatewayFor(server.url, transport).videos.create(VIDEO));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ maybeProcessed: true, body: { ok: true } });
    expect((error as Error).message).toContain("JSON that names no task: it has neither id nor task_id");
  });

  it("keep the state that their creation tells of, and know when that was", async () => {
    const server = await startServer((_request, response) =>
      sendJSON(response, { id: "t1", status: "running", created_at: 1_700_000_000 }),
    );
    const before = Date.now();
    const task = await gatewayFor(server.url, transport).videos.create(VIDEO);
    expect(task).toMatchObject({ status: "running", createdAt: 1_700_000_000_000 });
    expect(task.handle.createdAt).toBeGreaterThanOrEqual(before);
    expect(task.handle.createdAt).toBeLessThanOrEqual(Date.now());
  });

  it("are not created from a body that breaks a limit, whatever its family", async () => {
    const server = await startServer((_request, response) => sendJSON(response, { id: "t1" }));
    const { videos } = gatewayFor(server.url, transport);
    for (const create of [
      () => videos.create({} as never),
      () => videos.imageToVideo({} as never),
      () => videos.imageToVideo(null as never, { idempotencyKey: "k" }),
      () => videos.omniVideo({} as never, { idempotencyKey: "k" }),
    ]) {
      expect(await errorOf(create())).toBeInstanceOf(InvalidRequestError);
    }
    expect(server.requests).toHaveLength(0);
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

  it("are seen to change by their results too", async () => {
    const frame = (n: number) => status("running", { last_frame_url: `https://x.example/${n}.png` });
    const video = (n: number) => status("running", { output: { video_url: `https://x.example/${n}.mp4` } });
    const { gateway } = await gatewayWith(
      [frame(1), frame(1), frame(2), video(1), video(1), video(2), status("failed", { error: "too dark" })],
      transport,
    );
    const seen: unknown[] = [];
    for await (const task of gateway.videos.watch(HANDLE, FAST))
      seen.push(task.error?.message ?? task.lastFrameURL ?? task.videos[0]?.url);
    expect(seen).toEqual([
      "https://x.example/1.png",
      "https://x.example/2.png",
      "https://x.example/1.mp4",
      "https://x.example/2.mp4",
      "too dark",
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

  it.each([400, 401, 403, 404, 302, 500])(
    "go on when polls are answered %i: that says nothing about a task that was paid for",
    async (code) => {
      const told: PollFailedEvent[] = [];
      const lines: string[] = [];
      const warn = (line: string) => lines.push(line);
      let mended = false;
      const answer = (response: ServerResponse) => (mended ? status("succeeded") : failure(code))(response);
      const { gateway, server } = await gatewayWith([answer], {
        ...transport,
        hooks: { onPollFailed: (event: PollFailedEvent) => told.push(event) },
        logger: { debug() {}, info() {}, warn, error: warn },
        logLevel: "warn",
      });
      const old = { ...HANDLE, createdAt: Date.now() - 31_000 };
      const backoff = { firstMs: 1, maxMs: 1, refusedMs: 1 };
      const watch = gateway.videos.watch(old, { ...FAST, backoff });
      const first = watch.next();
      await expect.poll(() => watch.trouble?.failedPolls ?? 0).toBeGreaterThan(11);
      expect(watch.trouble).toMatchObject({
        error: { status: code, handle: old },
        since: expect.any(Number),
      });
      mended = true;
      expect((await first).value).toMatchObject({ status: "succeeded" });
      expect(watch.trouble).toBeUndefined();
      expect(told.map(({ failedPolls }) => failedPolls)).toEqual(told.map((_event, index) => index + 1));
      expect(told[0]).toEqual({
        call: "videos.retrieve",
        method: "GET",
        path: "/videos/t1",
        address: "general",
        attempt: 1,
        task: HANDLE.id,
        failedPolls: 1,
        nextPollMs: expect.any(Number),
        reason: expect.stringMatching(/^\w+: \d+ from GET \/videos\/t1/),
      });
      expect(lines.filter((line) => line.includes("cannot be read"))).toHaveLength(1);
      // The watch alone repeats polls: none is repeated inside a call.
      expect(server.requests).toHaveLength(told.length + 1);
    },
  );

  it("tell the console that they cannot be read where nobody listens", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const { gateway } = await gatewayWith([failure(401)], { ...transport, logLevel: "warn" });
    const options = { ...FAST, timeoutMs: 200, backoff: { refusedMs: 1 } };
    expect(await errorOf(gateway.videos.wait(HANDLE, options))).toBeInstanceOf(VideoTaskTimeoutError);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining("task t1 cannot be read (authentication"), expect.anything()],
    ]);
  });

  it("stop polling when the reader leaves the loop", async () => {
    const { gateway, server } = await gatewayWith([status("running")], transport);
    for await (const _task of gateway.videos.watch(HANDLE, { intervalMs: 60_000 })) break;
    expect(server.requests).toHaveLength(1);
  });

  it("are read again when the connection breaks: reading costs nothing", async () => {
    const { gateway, server } = await gatewayWith(
      [({ socket }) => socket?.destroy(), status("running")],
      transport,
    );
    expect(await gateway.videos.retrieve(HANDLE)).toMatchObject({ status: "running" });
    expect(server.requests).toHaveLength(2);
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
  it.each<[string, unknown, string]>([
    ["handle.v", undefined, "must be 1: pass task.handle as it was, or as it was stored"],
    ["handle.v", { family: "content", id: "t" }, "must be 1"],
    ["handle.family", { v: 1, family: "dance", id: "t" }, "must be one of content, image2video, omni-video"],
    ["handle.id", { v: 1, family: "content", id: "" }, "must be a task id"],
    ["handle.id", { v: 1, family: "content", id: ".." }, "must be a task id"],
    ["handle.id", { v: 1, family: "content" }, "must be a task id"],
  ])("are checked: %s of %j", async (field, handle, message) => {
    const { videos } = gatewayFor("http://127.0.0.1:9/v1");
    const error = await errorOf(videos.retrieve(handle as VideoTaskHandle));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as InvalidRequestError).field).toBe(field);
    expect((error as Error).message).toContain(`${field} ${message}`);
    expect(() => videos.watch(handle as VideoTaskHandle)).toThrow(InvalidRequestError);
    expect(await errorOf(videos.poll(handle as VideoTaskHandle))).toBeInstanceOf(InvalidRequestError);
  });

  it("come from callbacks too, and are read unless the caller has left", async () => {
    const { videos } = gatewayFor("http://127.0.0.1:9/v1");
    const { handle } = videos.readCallback({ task_id: "t1" }, { family: "omni-video" });
    expect(handle).toEqual({ v: 1, family: "omni-video", id: "t1" });
    const error = await errorOf(videos.retrieve(HANDLE, { signal: AbortSignal.abort() }));
    expect((error as Error).message).toBe("videos.retrieve was aborted by the caller.");
  });

  it("need a time limit above 0 where there is one", () => {
    const { videos } = gatewayFor("http://127.0.0.1:9/v1");
    expect(() => videos.watch(HANDLE, { timeoutMs: 0 })).toThrow("timeoutMs");
  });
});

describe("failed polls", () => {
  it("are told once each by videos.poll, and not where the caller has left or the task is new", async () => {
    const told: PollFailedEvent[] = [];
    const { gateway } = await gatewayWith([failure(404), failure(502)], {
      hooks: { onPollFailed: (event: PollFailedEvent) => told.push(event) },
    });
    await gateway.videos.poll({ ...HANDLE, createdAt: Date.now() });
    await gateway.videos.poll(HANDLE, { signal: AbortSignal.abort() });
    expect(told).toEqual([]);
    await gateway.videos.poll({ ...HANDLE, family: "omni-video", id: "a/b" }, { failedPolls: 2 });
    expect(told).toMatchObject([{ path: "/videos/omni-video/a%2Fb", task: "a/b", failedPolls: 3 }]);
  });

  it("name the address that was asked, or that of the task where nothing was sent", async () => {
    const told: PollFailedEvent[] = [];
    const cdn = await startServer((_request, response, count) => {
      if (count === 1) sendJSON(response, errorBody("no"), 502);
    });
    const gateway = gatewayFor(await unusedAddress(), {
      endpoints: { cdn: cdn.url },
      route: "cdn",
      maxConcurrency: 1,
      deadline: 50,
      logLevel: "off",
      hooks: { onPollFailed: (event: PollFailedEvent) => told.push(event) },
    });
    await gateway.videos.poll({ ...HANDLE, address: "general" });
    await gateway.videos.poll(HANDLE);
    const controller = new AbortController();
    const hanging = errorOf(gateway.videos.retrieve(HANDLE, { deadline: 60_000, signal: controller.signal }));
    await cdn.arrived(2);
    const { error } = await gateway.videos.poll({ ...HANDLE, address: "cdn" });
    expect(error?.attempts).toBe(0);
    await gateway.videos.poll(HANDLE);
    controller.abort();
    await hanging;
    expect(told.map(({ address }) => address)).toEqual(["general", "cdn", "cdn", "general"]);
  });

  it("of a creation by another address than the first lead to where the task is", async () => {
    const cdn = await startServer((_request, response) => sendJSON(response, { id: "t1" }));
    const gateway = gatewayFor(await unusedAddress(), { endpoints: { cdn: cdn.url }, route: "failover" });
    const { handle } = await gateway.videos.create(VIDEO);
    expect(handle.address).toBe("cdn");
  });
});
