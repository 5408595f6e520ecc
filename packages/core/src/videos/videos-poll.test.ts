import { describe, expect, it } from "vitest";
import { gatewayFor } from "../../test/gateways.js";
import { errorBody, sendJSON, startServer } from "../../test/scripted-server.js";
import {
  AuthenticationError,
  InvalidRequestError,
  type PollOptions,
  RateLimitError,
  type VideoFamily,
  type VideoTaskHandle,
} from "../index.js";

const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };
const NEW = () => ({ ...HANDLE, createdAt: Date.now() });

/** A gateway that answers with the statuses in turn, the last one for ever: an HTTP error, or a task's word. */
async function gatewayWith(answers: Array<number | string>, headers: Record<string, string> = {}) {
  const server = await startServer((_request, response, count) => {
    const answer = answers[Math.min(count, answers.length) - 1];
    if (typeof answer === "number") sendJSON(response, errorBody("no"), answer, headers);
    else sendJSON(response, { id: "t1", status: answer });
  });
  return { server, videos: gatewayFor(server.url, { logLevel: "off" }).videos };
}

describe("one poll", () => {
  it("tells the task, whether it changed, and when to poll again", async () => {
    const { videos, server } = await gatewayWith(["running", "running", "succeeded"]);
    const first = await videos.poll(NEW(), { intervalMs: 1_000 });
    expect(first).toMatchObject({ task: { status: "running" }, changed: true, failedPolls: 0 });
    expect(first.nextPollMs).toBeGreaterThanOrEqual(900);
    expect(first.nextPollMs).toBeLessThanOrEqual(1_100);
    const second = await videos.poll(NEW(), { last: first.task });
    expect(second.changed).toBe(false);
    const third = await videos.poll(NEW(), { last: second.task });
    expect(third).toMatchObject({ task: { status: "succeeded" }, changed: true });
    expect(third.nextPollMs).toBeUndefined();
    expect(server.requests).toHaveLength(3);
  });

  it("sees a change in each of the files of a result", async () => {
    const output = { video_url: "https://x.example/1.mp4", watermark_video_url: "https://x.example/1-w.mp4" };
    const server = await startServer((_request, response) =>
      sendJSON(response, { id: "t1", status: "succeeded", output }),
    );
    const { videos } = gatewayFor(server.url, {});
    const { task } = await videos.poll(NEW());
    const [video] = task?.videos ?? [];
    if (task === undefined || video?.watermarkURL === undefined)
      throw new Error("There should be two files.");
    const changed = async (files: typeof task.videos) =>
      (await videos.poll(NEW(), { last: { ...task, videos: files } })).changed;
    expect(await changed([video])).toBe(false);
    expect(await changed([{ ...video, url: "https://x.example/0.mp4" }])).toBe(true);
    expect(await changed([{ ...video, watermarkURL: "https://x.example/0-w.mp4" }])).toBe(true);
    expect(await changed([])).toBe(true);
  });

  it("polls a task less often with its age, up to six times the interval", async () => {
    const { videos } = await gatewayWith(["running"]);
    // Twice the interval at 40 intervals.
    const aged = await videos.poll({ ...HANDLE, createdAt: Date.now() - 2_400_000 }, { intervalMs: 60_000 });
    expect(aged.nextPollMs).toBeGreaterThanOrEqual(108_000);
    expect(aged.nextPollMs).toBeLessThanOrEqual(133_000);
    const old = { ...HANDLE, createdAt: Date.now() - 3_600_000 };
    const { nextPollMs = 0 } = await videos.poll(old, { intervalMs: 100 });
    expect(nextPollMs).toBeGreaterThanOrEqual(540);
    expect(nextPollMs).toBeLessThanOrEqual(660);
  });

  it("spreads the polls of tasks that were created together", async () => {
    const { videos } = await gatewayWith(["running"]);
    const polls = await Promise.all(Array.from({ length: 20 }, () => videos.poll(NEW())));
    expect(new Set(polls.map(({ nextPollMs }) => nextPollMs)).size).toBeGreaterThan(10);
  });

  it.each<[before: number, options: PollOptions, least: number, most: number]>([
    [0, {}, 900, 1_100],
    [1, {}, 1_800, 2_200],
    [2, {}, 3_600, 4_400],
    [3, {}, 4_500, 5_500],
    [99, {}, 4_500, 5_500],
    [9, { intervalMs: 100 }, 90, 110],
    [0, { backoff: { firstMs: 10 } }, 9, 11],
    [9, { backoff: { maxMs: 60_000 } }, 54_000, 66_000],
  ])(
    "that is the %i. in a row to fail in a way that passes is repeated soon: %j",
    async (failedPolls, options, least, most) => {
      const { videos, server } = await gatewayWith([502]);
      const { error, ...poll } = await videos.poll(NEW(), { ...options, failedPolls });
      expect(error?.kind).toBe("server");
      expect(poll.failedPolls).toBe(failedPolls + 1);
      expect(poll.nextPollMs).toBeGreaterThanOrEqual(least);
      expect(poll.nextPollMs).toBeLessThanOrEqual(most);
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each<[retryAfter: string | undefined, pause: number, least: number, most: number]>([
    [undefined, 1_000, 4_500, 5_500],
    ["1", 1_000, 4_500, 5_500],
    ["7", 7_000, 6_300, 7_700],
    ["86400", 60_000, 54_000, 66_000],
  ])(
    "that is answered 429 with Retry-After %s waits for that and no longer",
    async (retryAfter, pause, least, most) => {
      const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
      for (const failedPolls of [0, 9]) {
        const { videos } = await gatewayWith([429], headers);
        const poll = await videos.poll(NEW(), { failedPolls });
        expect(poll.error).toBeInstanceOf(RateLimitError);
        expect(poll.pauseMs).toBe(pause);
        expect(poll.nextPollMs).toBeGreaterThanOrEqual(least);
        expect(poll.nextPollMs).toBeLessThanOrEqual(most);
      }
    },
  );

  it("gives a new task time to become known, and none to one of unknown age", async () => {
    const { videos } = await gatewayWith([404]);
    const young = { ...HANDLE, createdAt: Date.now() - 20_000 };
    expect(await videos.poll(young)).toMatchObject({ failedPolls: 0, nextPollMs: expect.any(Number) });
    expect(await videos.poll(HANDLE)).toMatchObject({ failedPolls: 1, nextPollMs: expect.any(Number) });
  });

  it("that is refused comes again slowly: somebody may have to act", async () => {
    const { videos } = await gatewayWith([401]);
    const { error, task, nextPollMs = 0 } = await videos.poll(NEW());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(task).toBeUndefined();
    expect(nextPollMs).toBeGreaterThanOrEqual(4_500);
    expect(nextPollMs).toBeLessThanOrEqual(5_500);
    const later = (await videos.poll(NEW(), { failedPolls: 9 })).nextPollMs ?? 0;
    expect(later).toBeGreaterThanOrEqual(27_000);
    expect(later).toBeLessThanOrEqual(33_000);
    const own = await videos.poll(NEW(), { backoff: { refusedMs: 10 } });
    expect(own.nextPollMs).toBeLessThanOrEqual(11);
  });

  it("names no next poll when the caller has left", async () => {
    const { videos } = await gatewayWith(["running"]);
    const poll = await videos.poll(NEW(), { signal: AbortSignal.abort() });
    expect(poll.error?.kind).toBe("aborted");
    expect(poll.nextPollMs).toBeUndefined();
  });

  it.each(["intervalMs", "backoff.firstMs", "backoff.maxMs", "backoff.refusedMs"])(
    "needs %s above 0",
    async (name) => {
      const { videos } = await gatewayWith(["running"]);
      const [group, field] = name.split(".");
      const options = field === undefined ? { [name]: 0 } : { [group as string]: { [field]: -1 } };
      await expect(videos.poll(NEW(), options)).rejects.toThrow(name);
      expect(() => videos.watch(NEW(), options)).toThrow(name);
    },
  );

  it("refuses a handle that is none", async () => {
    const { videos } = await gatewayWith(["running"]);
    await expect(videos.poll({ id: "t1" } as VideoTaskHandle)).rejects.toThrow(InvalidRequestError);
  });
});

describe("the pace of polling", () => {
  it("is told: full at first, slowed down after a 429", async () => {
    const { videos } = await gatewayWith([429, "running"], { "retry-after": "86400" });
    expect(videos.pollPace).toEqual({ perSecond: 20, maxPerSecond: 20, pausedForMs: 0 });
    const watch = videos.watch(NEW(), { intervalMs: 1 });
    const left = watch.next();
    await expect.poll(() => videos.pollPace.perSecond).toBe(10);
    expect(videos.pollPace.pausedForMs).toBeGreaterThan(50_000);
    expect(videos.pollPace.pausedForMs).toBeLessThanOrEqual(60_000);
    await watch.return?.();
    expect((await left).done).toBe(true);
  });

  it("tells of an outage, also where polls are made one at a time", async () => {
    const { videos } = await gatewayWith([401, 401, 401, 401, 401, "running"]);
    const before = Date.now();
    for (let task = 0; task < 5; task++) {
      expect(videos.pollPace.outage).toBeUndefined();
      await videos.poll({ ...NEW(), id: `t${task}` });
    }
    expect(videos.pollPace.outage).toEqual({ since: expect.any(Number), probeMs: 3_000 });
    expect(videos.pollPace.outage?.since).toBeGreaterThanOrEqual(before);
    await videos.poll(NEW());
    expect(videos.pollPace.outage).toBeUndefined();
  });
});

describe("an answer that is no task", () => {
  it.each([{}, { message: "ok" }, { data: {} }, { data: [] }])("is no task that runs: %j", async (body) => {
    const server = await startServer((_request, response) => sendJSON(response, body));
    const { videos } = gatewayFor(server.url, { logLevel: "off" });
    const { task, error, nextPollMs } = await videos.poll(NEW());
    expect(task).toBeUndefined();
    expect(error?.kind).toBe("invalid_response");
    expect(nextPollMs).toBeLessThanOrEqual(1_100);
  });

  it.each([{ id: "t1" }, { data: { task_id: "t1" } }, { status: "steaming" }, { output: { progress: 3 } }])(
    "is a task where it says anything of one: %j",
    async (body) => {
      const server = await startServer((_request, response) => sendJSON(response, body));
      const { videos } = gatewayFor(server.url, { logLevel: "off" });
      expect((await videos.poll(NEW())).task?.status).toBe("running");
    },
  );
});

describe("the check of a request", () => {
  it.each<[VideoFamily, object, object]>([
    ["content", { model: "m", content: [{ type: "text", text: "A boat" }] }, { model: "m" }],
    [
      "image2video",
      { model_name: "m", image: "https://x.example/a.png", prompt: "A boat" },
      { model_name: "" },
    ],
    ["omni-video", { model_name: "m", prompt: "A boat" }, {}],
  ])("of %s says what is wrong with it, and sends nothing", async (family, right, wrong) => {
    const { videos, server } = await gatewayWith(["running"]);
    expect(videos.check(family, right as never)).toBeUndefined();
    expect(() => videos.check(family, wrong as never)).toThrow(InvalidRequestError);
    expect(() => videos.check("other" as never, right as never)).toThrow(InvalidRequestError);
    expect(server.requests).toHaveLength(0);
  });
});
