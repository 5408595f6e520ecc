import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VideoTask } from "@model-gateway/core";
import { ConsoleLogger } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { firstValueFrom, lastValueFrom, toArray } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { holdBack } from "../../test/hold-back.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  ChatService,
  JournalVideoTaskStore,
  MemoryVideoTaskStore,
  ModelGatewayModule,
  VideosClosedError,
  type VideosOptions,
  VideosService,
  type VideoTaskStore,
  VideoTaskStoreError,
} from "../index.js";
import { letResponsesEnd } from "../streams/let-responses-end.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };

async function useStore<Store extends VideoTaskStore = MemoryVideoTaskStore>(
  store = new MemoryVideoTaskStore() as VideoTaskStore as Store,
  options: VideosOptions = {},
) {
  const { emulator, connection } = await useEmulator();
  const boot = async (logger?: ConsoleLogger) => {
    const videos = { ...FAST_POLLS, store, ...options };
    const module = ModelGatewayModule.forRoot({ ...connection, videos });
    const { app } = await bootApp([module], logger && { logger });
    return { app, videos: app.get(VideosService) };
  };
  return { emulator, store, boot };
}

describe("closing an application", () => {
  it("completes every watch", async () => {
    const { boot } = await useStore();
    const { app, videos } = await boot();
    const { key } = await videos.submit(STUCK);
    const watches = [1, 2, 3].map(() => lastValueFrom(videos.watch$(key).pipe(toArray())));
    const orphans = lastValueFrom(videos.orphans$.pipe(toArray()));
    await firstValueFrom(videos.watch$(key));
    await app.close();
    for (const records of await Promise.all(watches)) expect(records.length).toBeGreaterThan(0);
    expect(await orphans).toEqual([]);
  });

  it("stops its polls", async () => {
    const { emulator, connection } = await useEmulator({ keys: [{ key: "sk-other", group: "default" }] });
    const boot = async (apiKey: string) => {
      const module = ModelGatewayModule.forRoot({ ...connection, apiKey, videos: FAST_POLLS });
      const { app } = await bootApp([module]);
      await app.get(VideosService).submit(STUCK);
      return app;
    };
    const polls = (key: string) => emulator.journal.list({ method: "GET", key }).length;
    const app = await boot(connection.apiKey);
    await expect.poll(() => polls(connection.apiKey)).toBeGreaterThan(1);
    await app.close();
    // Another application is the clock. First, what was under way arrives; then the closed one makes no poll in
    // the time of many.
    await boot("sk-other");
    await expect.poll(() => polls("sk-other")).toBeGreaterThan(3);
    emulator.journal.clear();
    await expect.poll(() => polls("sk-other")).toBeGreaterThan(10);
    expect(polls(connection.apiKey)).toBe(0);
  });

  it("completes what is watched too late", async () => {
    const { boot } = await useStore();
    const { app, videos } = await boot();
    const { key } = await videos.submit(STUCK);
    await app.close();
    expect(await lastValueFrom(videos.watch$(key).pipe(toArray()))).toEqual([]);
    expect(await lastValueFrom(videos.orphans$.pipe(toArray()))).toEqual([]);
  });

  it("pays for nothing any more", async () => {
    const { boot, emulator } = await useStore();
    const { app, videos } = await boot();
    await app.close();
    await expect(videos.submit(VIDEO)).rejects.toThrow(VideosClosedError);
    expect(emulator.journal.list({ method: "POST" })).toEqual([]);
  });

  it.each<{ what: string; waitsFor: "GET" | "POST"; begin: (videos: VideosService, id: string) => unknown }>([
    {
      what: "is being paid for",
      waitsFor: "POST",
      begin: (videos) => videos.submit(VIDEO, { key: "order-1" }),
    },
    {
      what: "somebody found out about a lost submission",
      waitsFor: "GET",
      begin: (videos, taskId) => videos.reconcile("order-1", { taskId }),
    },
    {
      what: "a callback tells of one",
      waitsFor: "GET",
      begin: (videos, id) => videos.handleCallback("order-1", { id }),
    },
  ])("still writes down what $what, before the store is closed", async ({ waitsFor, begin }) => {
    const written: string[] = [];
    class TellingStore extends MemoryVideoTaskStore {
      override async accept(key: string, task: VideoTask) {
        await super.accept(key, task);
        written.push(`task ${task.id}`);
      }
      override async close() {
        written.push("nothing more");
      }
    }
    const { emulator, connection } = await useEmulator();
    const { fetch, arrived, release } = holdBack(waitsFor);
    const store = new TellingStore();
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({ ...connection, fetch, videos: { ...FAST_POLLS, store } }),
    ]);
    const videos = app.get(VideosService);
    if (waitsFor === "GET") {
      emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
      await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ maybeProcessed: true });
    }
    const begun = begin(videos, emulator.videos.list()[0]?.id ?? "");
    await arrived;
    // As late as can be: nothing but the store is left open.
    app.getHttpServer().once("close", release);
    await app.close();
    expect(written).toEqual([`task ${emulator.videos.list()[0]?.id}`, "nothing more"]);
    await begun;
  });
});

describe("closing an application before it has started", () => {
  async function createOn(store: MemoryVideoTaskStore) {
    const { connection } = await useEmulator();
    const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...FAST_POLLS, store } });
    const app = await NestFactory.create(module, { logger: false });
    return { app, videos: app.get(VideosService) };
  }

  it("stops a store that is being opened, once it is", async () => {
    const done: string[] = [];
    let open: () => void = () => {};
    class SlowStore extends MemoryVideoTaskStore {
      override async open(...polling: Parameters<MemoryVideoTaskStore["open"]>) {
        await new Promise<void>((resolve) => {
          open = resolve;
        });
        await super.open(...polling);
        done.push("opened");
      }
      override async stop() {
        done.push("stopped");
        await super.stop();
      }
    }
    const { app, videos } = await createOn(new SlowStore());
    const listed = videos.list();
    const closed = app.close();
    // Time enough for a close that does not wait.
    await letResponsesEnd();
    open();
    await closed;
    expect(done).toEqual(["opened", "stopped"]);
    expect(await listed).toEqual([]);
  });

  it("is not kept up by a store that could not be opened", async () => {
    const done: string[] = [];
    class LockedStore extends MemoryVideoTaskStore {
      override async open() {
        throw new Error("Another process keeps tasks there.");
      }
      override async stop() {
        done.push("stopped");
      }
      override async close() {
        done.push("closed");
      }
    }
    const { app, videos } = await createOn(new LockedStore());
    await expect(videos.list()).rejects.toThrow("Another process");
    await app.close();
    expect(done).toEqual(["stopped", "closed"]);
  });
});

describe("starting an application on a store with open tasks", () => {
  it("polls them to their end", async () => {
    const { boot, emulator } = await useStore();
    const before = await boot();
    const { key } = await before.videos.submit(VIDEO);
    const id = (await before.videos.get(key))?.handle?.id ?? "";
    await before.app.close();
    await emulator.videos.succeed(id);
    const { videos } = await boot();
    expect((await lastValueFrom(videos.watch$(key))).status).toBe("succeeded");
    expect(emulator.journal.list({ method: "POST" })).toHaveLength(1);
  });

  it("asks again for tasks that were left after their time", async () => {
    const { boot, emulator } = await useStore(undefined, { maxWatchMs: 300 });
    emulator.faults.add({ kind: "status", status: 401, path: "/videos/*" });
    const before = await boot();
    const { key } = await before.videos.submit(VIDEO);
    const given = await lastValueFrom(before.videos.watch$(key));
    expect(given.problem?.kind).toBe("video_task_timeout");
    await before.app.close();
    emulator.faults.clear();
    await emulator.videos.succeed(given.handle?.id ?? "");
    const { videos } = await boot();
    await expect.poll(async () => (await videos.get(key))?.status).toBe("succeeded");
    expect((await videos.get(key))?.problem).toBeUndefined();
  });
});

const PROBLEM_OF_STORE = "No space left.";

/** What the module logs as errors. */
function recordErrors() {
  const logged: string[] = [];
  class Recorder extends ConsoleLogger {
    override error(message: unknown) {
      logged.push(String(message));
    }
    override log() {}
  }
  return { logged, logger: new Recorder() };
}

describe("a store that fails after the task was paid for", () => {
  it("makes the handle show up in the log", async () => {
    class FullStore extends MemoryVideoTaskStore {
      override async accept(): Promise<void> {
        throw new Error(PROBLEM_OF_STORE);
      }
    }
    const { logged, logger } = recordErrors();
    const { boot, emulator } = await useStore(new FullStore());
    const { videos } = await boot(logger);
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toThrow(PROBLEM_OF_STORE);
    const id = emulator.videos.list()[0]?.id ?? "";
    expect(logged).toEqual([expect.stringContaining(id)]);
    expect((await videos.get("order-1"))?.status).toBe("submitting");
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ key: "order-1" });
  });
});

describe("a store that fails after a submission failed", () => {
  it("does not keep from the caller how the submission failed", async () => {
    class FullStore extends MemoryVideoTaskStore {
      override async lose(): Promise<void> {
        throw new Error(PROBLEM_OF_STORE);
      }
    }
    const { logged, logger } = recordErrors();
    const { boot, emulator } = await useStore(new FullStore());
    const { videos } = await boot(logger);
    emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ maybeProcessed: true });
    expect(logged).toEqual([expect.stringMatching(/video order-1 failed.*No space left/)]);
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ key: "order-1" });
  });
});

describe("a store that takes its time", () => {
  it("has written down how a submission failed before the caller hears of it", async () => {
    class SlowStore extends MemoryVideoTaskStore {
      override async lose(...problem: Parameters<MemoryVideoTaskStore["lose"]>): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        await super.lose(...problem);
      }
    }
    const { boot, emulator, store } = await useStore(new SlowStore());
    const { videos } = await boot();
    emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ maybeProcessed: true });
    expect((await store.get("order-1"))?.status).toBe("unknown");
  });
});

describe("an application in a folder that is read-only", () => {
  it("starts and chats, says so, and pays for no video that it could not keep", async () => {
    const folder = await mkdtemp(join(tmpdir(), "read-only-"));
    const startedIn = process.cwd();
    onTestFinished(async () => {
      process.chdir(startedIn);
      await rm(folder, { recursive: true, force: true });
    });
    // Like a folder that nobody may write, also for those who may write everywhere.
    await writeFile(join(folder, ".model-gateway"), "");
    process.chdir(folder);
    const { emulator, connection } = await useEmulator();
    const { app } = await bootApp([ModelGatewayModule.forRoot(connection)]);
    const body = { model: "local-chat", messages: [{ role: "user" as const, content: "Hello" }] };
    expect((await app.get(ChatService).create(body)).choices).toHaveLength(1);
    const videos = app.get(VideosService);
    expect(await videos.troubles()).toEqual([expect.stringContaining("No video can be submitted")]);
    await expect(videos.submit(VIDEO)).rejects.toBeInstanceOf(VideoTaskStoreError);
    expect(emulator.videos.list()).toEqual([]);
  });

  it("does not start with a store of its own there", async () => {
    const folder = await mkdtemp(join(tmpdir(), "read-only-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const directory = join(folder, "taken");
    await writeFile(directory, "");
    const { boot } = await useStore(new JournalVideoTaskStore({ directory }));
    await expect(boot()).rejects.toThrow(/cannot be used/);
  });
});
