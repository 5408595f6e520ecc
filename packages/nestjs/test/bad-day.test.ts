import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { ModelGateway } from "@model-gateway/core";
import { ConsoleLogger, Controller, Inject, Param, Sse } from "@nestjs/common";
import { lastValueFrom, toArray } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  MemoryVideoTaskStore,
  type MetricsEvent,
  MetricsService,
  ModelGatewayModule,
  type VideosOptions,
  VideosService,
  type VideoTaskRecord,
  videoEvents,
} from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { readEvents } from "./read-events.js";
import { useEmulator, VIDEO } from "./use-emulator.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };
/** A day in which a second is a few milliseconds. */
const POLLS = { intervalMs: 20, ratePerSecond: 500, backoff: { firstMs: 5, maxMs: 20, refusedMs: 20 } };

/** What stands between the application and the gateway on such a day. */
type Weather = (real: string) => string;

const listening = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};
const answering =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
const JSON_BODY = { "content-type": "application/json" };
const ERROR = JSON.stringify({ error: { message: "sk-secret is no key of ours", type: "x", code: "x" } });

const DAYS: Array<{ what: string; kind: string; listener: RequestListener }> = [
  ...[401, 403, 400, 500, 503].map((status) => ({
    what: String(status),
    kind: "",
    listener: answering(status, ERROR, JSON_BODY),
  })),
  { what: "a redirect", kind: "", listener: answering(302, "", { location: "https://login.example/" }) },
  {
    what: "HTML",
    kind: "invalid_response",
    listener: answering(200, "<html>Back soon</html>", { "content-type": "text/html" }),
  },
  { what: "a task of nobody", kind: "invalid_response", listener: answering(200, "{}", JSON_BODY) },
  { what: "half a body", kind: "invalid_response", listener: answering(200, '{"id":"t1","sta', JSON_BODY) },
  {
    what: "a reset",
    kind: "connection",
    listener: (request) => request.socket.resetAndDestroy(),
  },
];

class Lines extends ConsoleLogger {
  readonly lines: string[] = [];
  override log(message: unknown, context?: unknown) {
    this.keep(message, context);
  }
  override warn(message: unknown, context?: unknown) {
    this.keep(message, context);
  }
  override error(message: unknown) {
    this.keep(message, "VideosService");
  }
  private keep(message: unknown, context: unknown) {
    if (context === "VideosService" || context === "ModelGateway") this.lines.push(String(message));
  }
}

@Controller("videos")
class VideosController {
  constructor(@Inject(VideosService) private readonly videos: VideosService) {}

  @Sse(":key")
  watch(@Param("key") key: string) {
    return this.videos.watch$(key).pipe(videoEvents());
  }
}

async function bootOnBadDay(options: VideosOptions = {}) {
  const { emulator, connection } = await useEmulator();
  let weather: Weather = (real) => real;
  // Polls go where the weather takes them, over real connections; what is paid for always arrives.
  const fetch: typeof globalThis.fetch = (input, init) =>
    globalThis.fetch(init?.method === "GET" ? weather(String(input)) : input, init);
  const store = new MemoryVideoTaskStore();
  const module = ModelGatewayModule.forRoot({
    ...{ ...connection, fetch },
    videos: { ...POLLS, store, ...options },
  });
  const logger = new Lines();
  const { app, url } = await bootApp([module], { controllers: [VideosController], logger });
  const events: MetricsEvent[] = [];
  app.get(MetricsService).events$.subscribe((event) => events.push(event));
  const videos = app.get(VideosService);
  const paid = () => emulator.videos.list().length;
  const turn = (to: string | undefined) => {
    weather = to === undefined ? (real) => real : (real) => real.replace(connection.baseURL, to);
  };
  const of = (type: MetricsEvent["type"]) => events.filter((event) => event.type === type);
  return { app, url, emulator, store, videos, logger, paid, turn, of };
}

describe("polls that are answered with", () => {
  it.each([...DAYS, { what: "no such host", kind: "connection", listener: undefined }])(
    "$what are no verdict on a task: it is stalled, told by all ways, polled on, and read again",
    async ({ kind, listener }) => {
      const { videos, emulator, logger, paid, turn, of, url } = await bootOnBadDay();
      const broken = listener === undefined ? "http://no-such-host.invalid/v1" : await listening(listener);
      const { key } = await videos.submit(STUCK);
      await expect.poll(async () => (await videos.get(key))?.task?.status).toBeDefined();
      const seen = lastValueFrom(videos.watch$(key).pipe(toArray()));
      const events = readEvents(await fetch(`${url}/videos/${key}`));
      const shown: Array<Record<string, unknown>> = [];
      const reading = (async () => {
        for await (const { type, data } of events) if (type === "message") shown.push(JSON.parse(data));
      })();
      await expect.poll(() => shown.length).toBeGreaterThan(0);

      turn(broken);
      await expect.poll(async () => (await videos.get(key))?.stalled?.failedPolls ?? 0).toBeGreaterThan(2);
      const stalled = (await videos.get(key)) as VideoTaskRecord;
      expect(stalled.status).not.toBe("unknown");
      expect(stalled.problem).toBeUndefined();
      expect(stalled.stalled?.since).toBeLessThanOrEqual(Date.now());
      expect(stalled.stalled?.nextPollAt).toBeGreaterThan(stalled.stalled?.since ?? 0);
      expect(stalled.stalled?.problem.message).toBeTruthy();
      if (kind !== "") expect(stalled.stalled?.problem.kind).toBe(kind);
      expect(await videos.list({ stalled: true })).toHaveLength(1);
      const [trouble] = await videos.troubles();
      expect(trouble).toMatch(/^1 video tasks cannot be read, the first since 2/);
      expect(trouble).not.toContain("sk-secret");
      expect(of("video_stalled")).toEqual([
        expect.objectContaining({ key, task: stalled.handle?.id, kind: stalled.stalled?.problem.kind }),
      ]);
      expect(logger.lines).toEqual([expect.stringContaining(`Video ${key} cannot be read since 2`)]);
      await expect.poll(() => shown.at(-1)?.["stalled"]).toBe(true);

      turn(undefined);
      await expect.poll(async () => (await videos.get(key))?.stalled).toBeUndefined();
      await expect.poll(() => shown.at(-1)?.["stalled"]).toBeUndefined();
      expect(await videos.troubles()).toEqual([]);
      expect(of("video_resumed")).toEqual([expect.objectContaining({ key, task: stalled.handle?.id })]);
      await emulator.videos.succeed(stalled.handle?.id ?? "");
      const records = await seen;
      expect(records.map(({ stalled: stall }) => stall !== undefined)).toContain(true);
      // Once for the begin, and not for each poll.
      expect(records.filter(({ stalled: stall }) => stall !== undefined)).toHaveLength(1);
      expect(records.at(-1)).toMatchObject({ status: "succeeded" });
      expect(records.at(-1)?.stalled).toBeUndefined();
      await reading;
      expect(paid()).toBe(1);
    },
  );
});

it("a task that the gateway does not find any more is polled on, though it was known for long", async () => {
  const { videos, store, emulator } = await bootOnBadDay();
  const { key } = await videos.submit(STUCK);
  await videos.cancelWatch(key);
  const { task } = (await videos.get(key)) ?? {};
  if (task === undefined) return expect.unreachable();
  const hourAgo = Date.now() - 3_600_000;
  emulator.faults.add({ kind: "status", status: 404, path: "/videos/*" });
  await store.accept(key, { ...task, handle: { ...task.handle, createdAt: hourAgo } });
  await expect.poll(async () => (await videos.get(key))?.stalled?.failedPolls ?? 0).toBeGreaterThan(2);
  expect((await videos.get(key))?.stalled?.problem.kind).toBe("not_found");
  emulator.faults.clear();
  await emulator.videos.succeed(task.id);
  expect((await lastValueFrom(videos.watch$(key))).status).toBe("succeeded");
});

it("a task that looks as before when it can be read again is stalled no more", async () => {
  const { videos, store, turn } = await bootOnBadDay();
  turn(await listening(answering(200, '{"id":"t1","status":"running","progress":7}', JSON_BODY)));
  const { key } = await videos.submit(STUCK);
  await expect.poll(async () => (await videos.get(key))?.task?.progress).toBe(7);
  // As after a failed poll whose end could not be written down.
  const problem = { kind: "connection", message: "The connection broke." };
  await store.stall(key, { since: 1, failedPolls: 1, problem, nextPollAt: 2 });
  await expect.poll(async () => (await videos.get(key))?.stalled).toBeUndefined();
  expect((await videos.get(key))?.task?.progress).toBe(7);
});

describe("a gateway that is away", () => {
  const KEYS = Array.from({ length: 300 }, (_, index) => `order-${index}`);

  it("costs a poll now and then and a line or two, and all tasks end when it is back", async () => {
    const { app, videos, emulator, logger, paid, turn, of } = await bootOnBadDay();
    const down = await listening((request) => request.socket.destroy());
    await Promise.all(KEYS.map((key) => videos.submit(STUCK, { key })));
    await expect
      .poll(() => new Set(of("response").map((event) => "path" in event && event.path)).size)
      .toBeGreaterThan(300);
    turn(down);
    const pace = () => app.get(ModelGateway).videos.pollPace;
    await expect.poll(() => pace().outage).toBeDefined();
    expect(await videos.troubles()).toContainEqual(
      expect.stringMatching(/No poll .* answered since 2.*in 3 seconds/),
    );
    // Those that were under way when it went down have failed once nothing new fails for a while.
    const failed = () => of("poll_failed").length;
    let during = failed();
    for (let before = -1; before < during - 1; during = failed()) {
      before = during;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const since = performance.now();
    await expect.poll(failed).toBeGreaterThan(during + 1);
    // Without that, three hundred tasks would have been polled many times by then.
    const probes = (performance.now() - since) / 3_000 + 2;
    expect(failed() - during).toBeLessThanOrEqual(probes);
    for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
    turn(undefined);
    await expect.poll(async () => (await videos.list({ status: "succeeded" })).length).toBe(KEYS.length);
    expect(await videos.list({ finished: false })).toEqual([]);
    expect(logger.lines.length).toBeLessThanOrEqual(3);
    expect(logger.lines[0]).toMatch(/cannot be read/);
    expect(paid()).toBe(KEYS.length);
    expect(pace().outage).toBeUndefined();
  });

  it("is told in the log when that is over, and of as many tasks as there are", async () => {
    const { videos, logger, turn } = await bootOnBadDay();
    const down = await listening((request) => request.socket.destroy());
    for (const key of ["a", "b", "c"]) await videos.submit(STUCK, { key });
    await expect.poll(async () => (await videos.list()).every(({ task }) => task !== undefined)).toBe(true);
    turn(down);
    await expect.poll(async () => (await videos.list({ stalled: true })).length).toBe(3);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatch(/cannot be read since .*connection.*polled on/);
  });
});
