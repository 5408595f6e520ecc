import { ModelGateway } from "@model-gateway/core";
import { lastValueFrom, map, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  MemoryVideoTaskStore,
  ModelGatewayModule,
  ModelsService,
  VideoConflictError,
  VideoKeyTakenError,
  VideoNotFoundError,
  type VideosOptions,
  VideosService,
} from "../index.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };
const FRAME = `data:image/png;base64,${Buffer.from("not looked into").toString("base64")}`;

async function bootVideos(
  store = new MemoryVideoTaskStore(),
  fetch = globalThis.fetch,
  options: VideosOptions = {},
) {
  const { emulator, connection } = await useEmulator();
  const boot = async () => {
    const videos = { ...FAST_POLLS, store, ...options };
    const module = ModelGatewayModule.forRoot({ ...connection, fetch, videos });
    const { app } = await bootApp([module]);
    return { app, videos: app.get(VideosService) };
  };
  const polls = () => emulator.journal.list({ method: "GET" }).length;
  const creates = () => emulator.journal.list({ method: "POST" });
  return { emulator, boot, polls, creates, ...(await boot()) };
}

/** A submission that the gateway took while the answer got lost. */
async function bootOrphan() {
  const booted = await bootVideos();
  booted.emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
  await expect(booted.videos.submit(VIDEO, { key: "lost" })).rejects.toMatchObject({ maybeProcessed: true });
  return { ...booted, id: booted.emulator.videos.list()[0]?.id ?? "" };
}

describe("reconciling an orphan", () => {
  it("gives it the task that somebody found, and polls that to its end", async () => {
    const { videos, emulator, id, creates } = await bootOrphan();
    expect(await videos.reconcile("lost", { taskId: id })).toMatchObject({ handle: { id } });
    await emulator.videos.succeed(id);
    expect((await lastValueFrom(videos.watch$("lost"))).status).toBe("succeeded");
    expect((await videos.get("lost"))?.problem).toBeUndefined();
    expect(creates()).toHaveLength(1);
  });

  it("gives it the task on a route that tells neither model nor our own id of a task", async () => {
    const silent: typeof globalThis.fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method !== "GET") return response;
      const told = ["model", "model_name", "external_task_id"];
      return Response.json(
        JSON.parse(await response.text(), (name, value) => (told.includes(name) ? undefined : value)),
      );
    };
    const { videos, emulator } = await bootVideos(undefined, silent);
    const omni = { model_name: "local-omni-video", prompt: "Rain" };
    emulator.faults.add({ kind: "drop-after", times: 2 });
    await expect(videos.submit(VIDEO, { key: "one" })).rejects.toMatchObject({ maybeProcessed: true });
    await expect(videos.submit(omni, { key: "two", family: "omni-video" })).rejects.toMatchObject({
      maybeProcessed: true,
    });
    const [one = "", two = ""] = emulator.videos.list().map(({ id }) => id);
    expect(await videos.reconcile("one", { taskId: one })).toMatchObject({ handle: { id: one } });
    expect(await videos.reconcile("two", { taskId: two })).toMatchObject({ handle: { id: two } });
  });

  it("frees the key when nothing was paid", async () => {
    const { videos, creates } = await bootOrphan();
    expect(await videos.reconcile("lost", { notPaid: true })).toMatchObject({ status: "rejected" });
    expect(await videos.reconcile("lost", { notPaid: true })).toMatchObject({ status: "rejected" });
    expect(await videos.submit(VIDEO, { key: "lost" })).toEqual({ key: "lost" });
    expect(creates()).toHaveLength(2);
  });

  it("refuses a task that is not its own, and changes nothing", async () => {
    const { videos } = await bootOrphan();
    await videos.submit(VIDEO, { key: "other" });
    const other = (await videos.get("other"))?.handle?.id ?? "";
    await videos.submit({ ...VIDEO, model: "local-video-1.5-pro" }, { key: "pro" });
    const pro = (await videos.get("pro"))?.handle?.id ?? "";
    await expect(videos.reconcile("lost", { taskId: other })).rejects.toThrow(/is that of video other/);
    await expect(videos.reconcile("lost", { taskId: pro })).rejects.toThrow(VideoConflictError);
    await expect(videos.reconcile("lost", { taskId: "task_none" })).rejects.toMatchObject({
      kind: "not_found",
    });
    await expect(videos.reconcile("lost")).rejects.toThrow(/say what you found out/);
    expect(await videos.get("lost")).toMatchObject({ status: "unknown" });
  });

  it("refuses findings that do not fit the submission", async () => {
    const { videos, emulator } = await bootVideos();
    await expect(videos.reconcile("nobody")).rejects.toThrow(VideoNotFoundError);
    const { key } = await videos.submit(STUCK);
    await expect(videos.reconcile(key, { notPaid: true })).rejects.toThrow(VideoConflictError);
    await expect(videos.reconcile(key, { taskId: "task_other" })).rejects.toThrow(VideoConflictError);
    emulator.faults.add({ kind: "delay", path: "/videos", delayMs: 100 });
    const paying = videos.submit(VIDEO, { key: "paying" });
    await expect.poll(() => videos.get("paying")).toBeDefined();
    await expect(videos.reconcile("paying", { notPaid: true })).rejects.toThrow(/being submitted right now/);
    await paying;
  });
});

describe("reconciling a task with a handle", () => {
  /** Tasks that are not over soon are left. */
  const bootImpatient = () => bootVideos(undefined, undefined, { maxWatchMs: 300 });

  it("takes up one that was left after its time", async () => {
    const { videos, emulator, polls } = await bootImpatient();
    emulator.faults.add({ kind: "status", status: 401, path: "/videos/*" });
    const { key } = await videos.submit(VIDEO);
    const given = await lastValueFrom(videos.watch$(key));
    expect(given.problem?.kind).toBe("video_task_timeout");
    await expect(videos.reconcile(key)).rejects.toMatchObject({ kind: "authentication" });
    expect(await videos.get(key)).toEqual(given);
    emulator.faults.clear();
    expect((await videos.reconcile(key)).watchCancelledAt).toBeUndefined();
    await emulator.videos.succeed(given.handle?.id ?? "");
    expect((await lastValueFrom(videos.watch$(key))).status).toBe("succeeded");
    const over = await videos.get(key);
    const before = polls();
    expect(await videos.reconcile(key)).toEqual(over);
    await expect(videos.reconcile(key, { taskId: given.handle?.id ?? "" })).rejects.toThrow(/already/);
    expect(polls()).toBe(before);
  });

  it("takes up one that was left by the task id that it has, and by no other", async () => {
    const { videos } = await bootImpatient();
    const { key } = await videos.submit(STUCK);
    const { handle } = await lastValueFrom(videos.watch$(key));
    await expect(videos.reconcile(key, { taskId: "task_other" })).rejects.toThrow(VideoConflictError);
    expect((await videos.get(key))?.problem?.kind).toBe("video_task_timeout");
    expect((await videos.reconcile(key, { taskId: handle?.id ?? "" })).problem).toBeUndefined();
  });

  it("frees the key of none, also not of one that was left: it was paid for", async () => {
    const { videos, creates } = await bootImpatient();
    const { key } = await videos.submit(STUCK);
    const given = await lastValueFrom(videos.watch$(key));
    await expect(videos.reconcile(key, { notPaid: true })).rejects.toThrow(VideoConflictError);
    expect(await videos.get(key)).toEqual(given);
    await expect(videos.submit(VIDEO, { key })).rejects.toThrow(VideoKeyTakenError);
    expect(creates()).toHaveLength(1);
  });
});

describe("callbacks of a submission that nobody knows the outcome of", () => {
  it("ask the gateway once a second at most, however many come", async () => {
    const { videos, emulator, polls } = await bootVideos();
    emulator.faults.add({ kind: "drop-before", path: "/videos", times: 1 });
    await expect(videos.submit(VIDEO, { key: "lost" })).rejects.toMatchObject({ maybeProcessed: true });
    const flood = Array.from({ length: 60 }, () => videos.handleCallback("lost", { id: "task_none" }));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([true]));
    await expect.poll(polls).toBeGreaterThan(0);
    expect(polls()).toBeLessThan(10);
  });

  it("find its task at once when it is left again", async () => {
    const { videos } = await bootVideos(undefined, undefined, { maxWatchMs: 100 });
    const { key } = await videos.submit(STUCK);
    for (let time = 1; time <= 2; time++) {
      const left = await lastValueFrom(videos.watch$(key));
      expect(left.problem?.kind).toBe("video_task_timeout");
      await videos.handleCallback(key, {});
      await expect.poll(async () => (await videos.get(key))?.version).toBeGreaterThan(left.version);
    }
  });
});

describe("cancelling the watch of a task", () => {
  it("completes its watches and polls it no more, also after a restart, until it is reconciled", async () => {
    const { app, videos, emulator, polls, boot } = await bootVideos();
    const { key } = await videos.submit(STUCK);
    const statuses = lastValueFrom(
      videos.watch$(key).pipe(
        map(({ watchCancelledAt }) => watchCancelledAt !== undefined),
        toArray(),
      ),
    );
    await expect.poll(polls).toBeGreaterThan(1);
    await videos.cancelWatch(key);
    expect((await statuses).at(-1)).toBe(true);
    await app.close();
    const after = await boot();
    // Another task is the clock. First, what was under way arrives; then this one would have been polled.
    const before = polls();
    const other = await after.videos.submit(STUCK);
    await expect.poll(polls).toBeGreaterThan(before + 3);
    emulator.journal.clear();
    await expect.poll(polls).toBeGreaterThan(5);
    const { handle } = (await after.videos.get(key)) ?? {};
    const polled = emulator.journal
      .list({ method: "GET" })
      .filter(({ path }) => path.endsWith(handle?.id ?? "?"));
    expect(polled).toEqual([]);
    await after.videos.cancelWatch(other.key);
    await after.videos.reconcile(key);
    await emulator.videos.succeed(handle?.id ?? "");
    expect((await lastValueFrom(after.videos.watch$(key))).status).toBe("succeeded");
  });

  it("ends its polls at once, while those of others go on", async () => {
    const { app, videos, emulator, polls } = await bootVideos();
    const { key } = await videos.submit(STUCK);
    await videos.submit(STUCK);
    await expect.poll(polls).toBeGreaterThan(2);
    await videos.cancelWatch(key);
    const id = (await videos.get(key))?.handle?.id ?? "";
    // What was under way arrives first; then the other task is the clock.
    await app.get(ModelsService).list();
    emulator.journal.clear();
    await expect.poll(polls).toBeGreaterThan(10);
    const polled = emulator.journal.list({ method: "GET" }).map(({ path }) => path);
    expect(polled.filter((path) => path.endsWith(id))).toEqual([]);
  });

  it("is refused where there is nothing to poll, and nothing for one that is over", async () => {
    const { videos, emulator } = await bootOrphan();
    await expect(videos.cancelWatch("nobody")).rejects.toThrow(VideoNotFoundError);
    await expect(videos.cancelWatch("lost")).rejects.toThrow(VideoConflictError);
    const { key } = await videos.submit(VIDEO);
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    const over = await lastValueFrom(videos.watch$(key));
    await videos.cancelWatch(key);
    expect(await videos.get(key)).toEqual(over);
  });
});

describe("the wrapped families", () => {
  it("is submitted with our key as its own id, and polled where it was created", async () => {
    const { videos, emulator, creates } = await bootVideos();
    const image = { model_name: "local-image2video", prompt: "Wind", image: FRAME };
    const omni = { model_name: "local-omni-video", prompt: "Rain" };
    await videos.submit(image, { key: "frame", family: "image2video" });
    await videos.submit({ ...image, external_task_id: "ours" }, { key: "named", family: "image2video" });
    await videos.submit({ ...omni, external_task_id: "mine" }, { key: "omni", family: "omni-video" });
    const ids = creates().map(({ body }) => (body as { external_task_id: string }).external_task_id);
    expect(ids).toEqual(["frame", "ours", "mine"]);
    for (const key of ["frame", "named", "omni"]) {
      const { handle } = (await videos.get(key)) ?? {};
      await emulator.videos.succeed(handle?.id ?? "");
      expect((await lastValueFrom(videos.watch$(key))).task?.videos[0]?.url).toMatch(/^http/);
    }
  });

  it("gives an orphan only the task that bears its own id", async () => {
    const { videos, emulator } = await bootVideos();
    const body = { model_name: "local-omni-video", prompt: "Rain" };
    emulator.faults.add({ kind: "drop-after", path: "/videos/omni-video", times: 3 });
    for (const [key, named] of [
      ["one", body],
      ["two", body],
      ["three", { ...body, external_task_id: "mine" }],
    ] as const) {
      await expect(videos.submit(named, { key, family: "omni-video" })).rejects.toMatchObject({
        maybeProcessed: true,
      });
    }
    const [one = "", two = "", three = ""] = emulator.videos.list().map(({ id }) => id);
    for (const other of [two, three]) {
      await expect(videos.reconcile("one", { taskId: other })).rejects.toThrow(/made by another request/);
    }
    expect(await videos.reconcile("one", { taskId: one })).toMatchObject({ handle: { id: one } });
    expect(await videos.reconcile("three", { taskId: three })).toMatchObject({ handle: { id: three } });
  });
});

describe("an orphan of a wrapped family", () => {
  const OMNI = { model_name: "local-omni-video", prompt: "Rain" };
  const IMAGE = { model_name: "local-image2video", prompt: "Wind", image: FRAME };

  it.each([
    { what: "our key", family: "omni-video" as const, body: OMNI, own: "lost" },
    {
      what: "an id of the caller",
      family: "omni-video" as const,
      body: { ...OMNI, external_task_id: "mine" },
      own: "mine",
    },
    { what: "our key", family: "image2video" as const, body: IMAGE, own: "lost" },
  ])("is found by $what ($family), at no cost, and polled to its end", async ({ family, body, own }) => {
    const { videos, emulator, creates } = await bootVideos();
    emulator.faults.add({ kind: "drop-after", path: `/videos/${family}`, times: 1 });
    const submitted = videos.submit(body as never, { key: "lost", family: family as never });
    await expect(submitted).rejects.toMatchObject({ maybeProcessed: true });
    const id = emulator.videos.list()[0]?.id ?? "";
    expect(await videos.reconcile("lost")).toMatchObject({ handle: { id, family } });
    expect((await videos.get("lost"))?.problem).toBeUndefined();
    expect(emulator.journal.list({ method: "GET" })[0]?.path).toBe(`/videos/${family}/${own}`);
    await emulator.videos.succeed(id);
    expect((await lastValueFrom(videos.watch$("lost"))).status).toBe("succeeded");
    expect(creates()).toHaveLength(1);
  });

  it("that the gateway never took stays one: that it is not found proves nothing", async () => {
    const { videos, emulator } = await bootVideos();
    emulator.faults.add({ kind: "drop-before", path: "/videos/omni-video", times: 1 });
    await expect(videos.submit(OMNI, { key: "lost", family: "omni-video" })).rejects.toThrow();
    await expect(videos.reconcile("lost")).rejects.toThrow(/say what you found out/);
    expect(await videos.get("lost")).toMatchObject({ status: "unknown" });
    emulator.faults.add({ kind: "status", status: 503, path: "/videos/omni-video/lost", times: 9 });
    await expect(videos.reconcile("lost")).rejects.toMatchObject({ kind: "server" });
    expect(await videos.get("lost")).toMatchObject({ status: "unknown" });
  });

  it.each([
    { what: "names no id of ours", answer: { data: { task_id: "task_other", task_status: "processing" } } },
    {
      what: "names another one",
      answer: {
        data: { task_id: "task_other", task_info: { external_task_id: "other" }, task_status: "processing" },
      },
    },
    {
      what: "names no task",
      answer: { data: { task_info: { external_task_id: "lost" }, task_status: "processing" } },
    },
  ])(
    "is not given the task of a gateway that answers whatever it is asked, and $what",
    async ({ answer }) => {
      const { videos, emulator } = await bootVideos(undefined, async (input, init) =>
        init?.method === "GET" ? Response.json(answer) : fetch(input, init),
      );
      emulator.faults.add({ kind: "drop-after", path: "/videos/omni-video", times: 1 });
      await expect(videos.submit(OMNI, { key: "lost", family: "omni-video" })).rejects.toThrow();
      await expect(videos.reconcile("lost")).rejects.toThrow(VideoConflictError);
      const record = await videos.get("lost");
      expect(record?.status).toBe("unknown");
      expect(record?.handle).toBeUndefined();
    },
  );
});

describe("troubles", () => {
  it("name orphans and slowed polls, and are none otherwise", async () => {
    const { videos, emulator } = await bootOrphan();
    expect(await videos.troubles()).toEqual([expect.stringMatching(/^1 video submissions? .*reconcile/)]);
    await videos.reconcile("lost", { notPaid: true });
    expect(await videos.troubles()).toEqual([]);
    emulator.faults.add({ kind: "status", status: 429, path: "/videos/*", times: 1 });
    await videos.submit(STUCK);
    await expect.poll(() => videos.troubles()).toEqual([expect.stringMatching(/less often/)]);
  });

  it.each([
    { ratePerSecond: 1_000, retryAfter: "1", why: "its polls are slower, also after the pause it asked for" },
    { ratePerSecond: 0.5, retryAfter: "60", why: "it asked for a pause, also when nothing can be slower" },
  ])("name a gateway that slows polls down: $why", async ({ ratePerSecond, retryAfter }) => {
    const { connection } = await useEmulator();
    const busy: typeof globalThis.fetch = async (input, init) =>
      init?.method === "GET"
        ? Response.json({}, { status: 429, headers: { "retry-after": retryAfter } })
        : fetch(input, init);
    const polling = { intervalMs: 600_000, ratePerSecond, store: new MemoryVideoTaskStore() };
    const module = ModelGatewayModule.forRoot({ ...connection, fetch: busy, videos: polling });
    const { app } = await bootApp([module]);
    const videos = app.get(VideosService);
    await videos.submit(STUCK);
    const pace = () => app.get(ModelGateway).videos.pollPace;
    if (ratePerSecond > 0.5) {
      await expect.poll(() => pace().perSecond).toBe(ratePerSecond / 2);
      await expect.poll(() => pace().pausedForMs).toBe(0);
    } else {
      await expect.poll(() => pace().pausedForMs).toBeGreaterThan(0);
      expect(pace().perSecond).toBe(ratePerSecond);
    }
    expect(await videos.troubles()).toEqual([expect.stringMatching(/less often/)]);
  });
});
