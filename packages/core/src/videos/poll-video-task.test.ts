import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "../errors/api-error.js";
import { APIConnectionError, APIUserAbortError, InvalidResponseError } from "../errors/errors.js";
import type { GatewayError } from "../errors/gateway-error.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import { ageOf, type PollOptions, pollVideoTask } from "./poll-video-task.js";
import type { VideoTask } from "./video-types.js";

const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };
const VIDEO = { url: "https://x.example/1.mp4", watermarkURL: "https://x.example/1-w.mp4" };
const TASK: VideoTask = {
  handle: HANDLE,
  id: "t1",
  family: "content",
  status: "running",
  rawStatus: "RUNNING",
  progress: 10,
  videos: [VIDEO],
  lastFrameURL: "https://x.example/1.png",
  error: { code: "C", message: "because" },
  raw: {},
};

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const polled = (task: VideoTask, options: PollOptions = {}, ageMs?: number) =>
  pollVideoTask(
    () => Promise.resolve(task),
    options,
    () => ageMs,
  );
const failed = (error: unknown, options: PollOptions = {}, ageMs?: number) =>
  pollVideoTask(
    () => Promise.reject(error),
    options,
    () => ageMs,
  );

describe("pollVideoTask", () => {
  it.each<[intervalMs: number | undefined, ageMs: number | undefined, next: number]>([
    [undefined, undefined, 5_000],
    [undefined, 100_000, 5_000],
    [undefined, 200_000, 10_000],
    [undefined, 600_000, 30_000],
    [undefined, 9_999_999, 30_000],
    [1_000, 0, 1_000],
    [1_000, 40_000, 2_000],
    [1_000, 9_999_999, 6_000],
  ])("at an interval of %j ms and an age of %j ms polls again after %i ms", async (intervalMs, age, next) => {
    const options = intervalMs === undefined ? {} : { intervalMs };
    expect((await polled(TASK, options, age)).nextPollMs).toBeCloseTo(next, 6);
  });

  it("spreads polls by a tenth to both sides", async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    expect((await polled(TASK)).nextPollMs).toBeCloseTo(4_500, 6);
    vi.mocked(Math.random).mockReturnValue(1);
    expect((await polled(TASK)).nextPollMs).toBeCloseTo(5_500, 6);
  });

  it.each<[string, Partial<VideoTask>]>([
    ["status", { status: "queued" }],
    ["word", { rawStatus: "IN_PROGRESS" }],
    ["progress", { progress: 11 }],
    ["last frame", { lastFrameURL: "https://x.example/2.png" }],
    ["code of its error", { error: { code: "D", message: "because" } }],
    ["reason", { error: { code: "C", message: "why not" } }],
    ["loss of its error", { error: undefined }],
    ["number of videos", { videos: [VIDEO, VIDEO] }],
    ["lack of videos", { videos: [] }],
    ["video", { videos: [{ ...VIDEO, url: "https://x.example/2.mp4" }] }],
    ["file with a watermark", { videos: [{ ...VIDEO, watermarkURL: "https://x.example/2-w.mp4" }] }],
  ])("sees a task change by its %s alone", async (_name, change) => {
    const last = { ...TASK, ...change } as VideoTask;
    expect(await polled(TASK, { last })).toMatchObject({ task: TASK, changed: true, failedPolls: 0 });
    expect((await polled(last, { last: TASK })).changed).toBe(true);
  });

  it("sees one of several videos change", async () => {
    const last = { ...TASK, videos: [VIDEO, VIDEO] };
    const now = { ...TASK, videos: [VIDEO, { ...VIDEO, url: "https://x.example/2.mp4" }] };
    expect((await polled(now, { last })).changed).toBe(true);
  });

  it("sees no change in what says nothing new, and one in what was never seen", async () => {
    const same = { ...TASK, raw: { other: 1 }, usage: { total_tokens: 1 }, videos: [{ ...VIDEO }] };
    expect(await polled(same, { last: TASK, failedPolls: 7 })).toMatchObject({
      changed: false,
      failedPolls: 0,
    });
    const { error: _error, ...plain } = TASK;
    expect((await polled(plain, { last: plain })).changed).toBe(false);
    expect((await polled(TASK)).changed).toBe(true);
  });

  it.each(["succeeded", "failed", "cancelled", "expired"] as const)(
    "names no next poll of a task that is %s",
    async (status) => {
      const poll = await polled({ ...TASK, status }, { last: TASK, failedPolls: 3 });
      expect(poll).toEqual({ task: { ...TASK, status }, changed: true, failedPolls: 0 });
    },
  );

  it("gives a task half a minute to become known", async () => {
    const error = new NotFoundError("none", { status: 404 });
    expect(await failed(error, { failedPolls: 4 }, 29_999)).toEqual({
      changed: false,
      error,
      failedPolls: 0,
      nextPollMs: expect.closeTo(5_000, 6),
    });
    for (const age of [30_000, undefined]) {
      expect(await failed(error, { failedPolls: 4 }, age)).toEqual({
        changed: false,
        error,
        failedPolls: 5,
        nextPollMs: expect.closeTo(30_000, 6),
      });
    }
    const refused = new PermissionDeniedError("no", { status: 403 });
    expect(await failed(refused, {}, 1)).toMatchObject({ failedPolls: 1 });
  });

  it.each<[retryAfterMs: number | undefined, intervalMs: number, pauseMs: number, next: number]>([
    [undefined, 100, 1_000, 1_000],
    [7_000, 100, 7_000, 7_000],
    [86_400_000, 100, 60_000, 60_000],
    [1_000, 5_000, 1_000, 5_000],
  ])(
    "answered 429 with a wait of %j ms at an interval of %i ms pauses all for %i ms and itself for %i ms",
    async (retryAfterMs, intervalMs, pauseMs, next) => {
      const error = new RateLimitError("slow", { status: 429, retryAfterMs, retryable: true });
      expect(await failed(error, { intervalMs, failedPolls: 1 })).toEqual({
        changed: false,
        error,
        failedPolls: 2,
        pauseMs,
        nextPollMs: expect.closeTo(next, 6),
      });
    },
  );

  it.each<[string, GatewayError]>([
    ["a server's error", new InternalServerError("x", { status: 502, retryable: true })],
    ["no answer", new APIConnectionError("x", { retryable: true })],
    ["an answer that is no task", new InvalidResponseError("x", { retryable: false })],
  ])("comes again soon after %s, later with each in a row, up to its interval", async (_name, error) => {
    const next = async (failedPolls: number, options: PollOptions = {}, ageMs?: number) =>
      (await failed(error, { failedPolls, ...options }, ageMs)).nextPollMs;
    expect(await next(0)).toBeCloseTo(1_000, 6);
    expect(await next(1)).toBeCloseTo(2_000, 6);
    expect(await next(2)).toBeCloseTo(4_000, 6);
    expect(await next(3)).toBeCloseTo(5_000, 6);
    expect(await next(9, {}, 200_000)).toBeCloseTo(10_000, 6);
    expect(await next(0, { backoff: { firstMs: 10 } })).toBeCloseTo(10, 6);
    expect(await next(9_999, { backoff: { firstMs: 1, maxMs: 2 ** 30 } })).toBeCloseTo(2 ** 20, 6);
    expect(await next(9, { backoff: { maxMs: 3_000, refusedMs: 1 } })).toBeCloseTo(3_000, 6);
  });

  it("comes again more and more slowly after refusals: somebody may have to act", async () => {
    const error = new PermissionDeniedError("no", { status: 403, retryable: false });
    const next = async (failedPolls: number, options: PollOptions = {}) =>
      (await failed(error, { failedPolls, ...options })).nextPollMs;
    expect(await next(0)).toBeCloseTo(5_000, 6);
    expect(await next(1)).toBeCloseTo(10_000, 6);
    expect(await next(2)).toBeCloseTo(20_000, 6);
    expect(await next(3)).toBeCloseTo(30_000, 6);
    expect(await next(9_999)).toBeCloseTo(30_000, 6);
    expect(await next(9, { intervalMs: 100 })).toBeCloseTo(600, 6);
    expect(await next(0, { intervalMs: 100 })).toBeCloseTo(100, 6);
    expect(await next(0, { backoff: { refusedMs: 10, firstMs: 7 } })).toBeCloseTo(10, 6);
    expect(await next(9, { backoff: { refusedMs: 120_000, maxMs: 7 } })).toBeCloseTo(120_000, 6);
  });

  it("ends with its caller's abort, and with what is no error of the gateway", async () => {
    const error = new APIUserAbortError("left");
    expect(await failed(error, { failedPolls: 1 })).toEqual({ changed: false, error, failedPolls: 2 });
    const bug = new TypeError("a bug");
    await expect(failed(bug)).rejects.toBe(bug);
  });
});

describe("ageOf", () => {
  it("is the time since the creation, where the handle tells of that", () => {
    vi.spyOn(Date, "now").mockReturnValue(5_000);
    expect(ageOf({ ...HANDLE, createdAt: 2_000 })).toBe(3_000);
    expect(ageOf(HANDLE)).toBeUndefined();
  });
});
