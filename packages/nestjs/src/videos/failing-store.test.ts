import { Controller, Get, Inject, Logger, Param, Post, Sse } from "@nestjs/common";
import { firstValueFrom, Subject } from "rxjs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { readEvents } from "../../test/read-events.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  MemoryVideoTaskStore,
  ModelGatewayExceptionFilter,
  ModelGatewayModule,
  VideoLostError,
  VideoNotKeptError,
  VideosService,
  VideoTaskStoreError,
  videoEvents,
} from "../index.js";

const REASON = "connect ECONNREFUSED 10.1.2.3:6379";
const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };

/** A store whose server can be away, and can forget. */
class ServerStore extends MemoryVideoTaskStore {
  override readonly lost$ = new Subject<Error>();
  away: "begin" | "accept" | "all" | undefined;
  private readonly forgotten = new Set<string>();

  override async begin(...args: Parameters<MemoryVideoTaskStore["begin"]>) {
    this.fail("begin");
    return super.begin(...args);
  }
  override async accept(...args: Parameters<MemoryVideoTaskStore["accept"]>) {
    this.fail("accept");
    return super.accept(...args);
  }
  override async get(key: string) {
    this.fail("all");
    return this.forgotten.has(key) ? undefined : super.get(key);
  }
  override async list(...args: Parameters<MemoryVideoTaskStore["list"]>) {
    this.fail("all");
    return super.list(...args);
  }
  forget(key: string): void {
    this.forgotten.add(key);
  }
  private fail(what: "begin" | "accept" | "all"): void {
    if (this.away === what || this.away === "all") throw new Error(REASON);
  }
}

@Controller("videos")
class VideosController {
  constructor(@Inject(VideosService) private readonly videos: VideosService) {}

  @Post(":key")
  submit(@Param("key") key: string) {
    return this.videos.submit(STUCK, { key });
  }

  @Get(":key")
  get(@Param("key") key: string) {
    return this.videos.get(key);
  }

  @Sse(":key/events")
  watch(@Param("key") key: string) {
    return this.videos.watch$(key).pipe(videoEvents());
  }
}

async function bootOnServer() {
  const { emulator, connection } = await useEmulator();
  const store = new ServerStore();
  const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...FAST_POLLS, store } });
  const { app, url } = await bootApp([module], {
    controllers: [VideosController],
    configure: (created) => created.useGlobalFilters(new ModelGatewayExceptionFilter()),
  });
  const ask = async (path: string, method = "GET") => {
    const response = await fetch(`${url}/videos/${path}`, { method });
    return { status: response.status, body: await response.json() };
  };
  return { store, url, ask, videos: app.get(VideosService), paid: () => emulator.videos.list() };
}

function recordErrors() {
  const logged = vi.spyOn(Logger.prototype, "error").mockReturnValue(undefined);
  onTestFinished(() => logged.mockRestore());
  return logged;
}

const UNAVAILABLE = {
  status: 503,
  body: {
    statusCode: 503,
    error: "Service Unavailable",
    message: expect.stringMatching(/Nothing was paid. Try again later/),
  },
};

describe("a store that fails", () => {
  it("is 503, by a class of its own that says that nothing was paid; why is in the log", async () => {
    const logged = recordErrors();
    const { store, videos, ask, paid } = await bootOnServer();
    store.away = "all";
    expect(await ask("order-1", "POST")).toEqual(UNAVAILABLE);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining(REASON), expect.any(String));
    expect(await ask("order-1")).toEqual(UNAVAILABLE);
    expect(await ask("order-1/events")).toEqual(UNAVAILABLE);
    expect(JSON.stringify((await ask("order-1")).body)).not.toContain("10.1.2.3");
    for (const call of [
      () => videos.submit(STUCK),
      () => videos.get("order-1"),
      () => videos.list(),
      () => videos.cancelWatch("order-1"),
      () => videos.reconcile("order-1"),
      () => videos.troubles(),
      () => firstValueFrom(videos.watch$("order-1")),
    ]) {
      const error = await call().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(VideoTaskStoreError);
      expect(error).toMatchObject({ cause: { message: REASON } });
      expect((error as Error).message).toMatch(/nothing was paid: connect ECONNREFUSED/);
    }
    expect(paid()).toEqual([]);
    store.away = undefined;
    expect(await ask("order-1", "POST")).toEqual({ status: 201, body: { key: "order-1" } });
  });

  it("after the payment is 500, with the handle in the error and in the log, and the key stays taken", async () => {
    const logged = recordErrors();
    const { store, videos, ask, paid } = await bootOnServer();
    store.away = "accept";
    expect(await ask("order-1", "POST")).toEqual({
      status: 500,
      body: expect.objectContaining({
        message: expect.stringMatching(/was paid for.*Do not submit it again/),
      }),
    });
    const error = await videos.submit(STUCK, { key: "order-2" }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(VideoNotKeptError);
    expect(error).toMatchObject({ maybeProcessed: true });
    const id = paid()[1]?.id;
    expect(error).toMatchObject({ key: "order-2", handle: { id } });
    expect(logged).toHaveBeenCalledWith(expect.stringContaining(id ?? "?"));
    store.away = undefined;
    expect((await ask("order-2", "POST")).status).toBe(409);
    expect(paid()).toHaveLength(2);
  });
});

describe("a store that lost what it held", () => {
  it("ends the watches of what is gone with an error that names the task, and no other", async () => {
    recordErrors();
    const { store, videos, url } = await bootOnServer();
    for (const key of ["gone", "there"]) await videos.submit(STUCK, { key });
    const { handle } = (await videos.get("gone")) ?? {};
    const ended = new Promise((resolve) => videos.watch$("gone").subscribe({ error: resolve }));
    let other = "open";
    const staying = videos.watch$("there").subscribe({
      error: () => {
        other = "ended";
      },
    });
    onTestFinished(() => staying.unsubscribe());
    const events = readEvents(await fetch(`${url}/videos/gone/events`));
    expect((await events.next()).value?.type).toBe("message");
    store.forget("gone");
    store.lost$.next(new Error("The server was emptied."));
    const error = await ended;
    expect(error).toBeInstanceOf(VideoLostError);
    expect(error).toMatchObject({ key: "gone", handle: { id: handle?.id } });
    expect((error as Error).message).toMatch(
      /has lost video gone.*server was emptied.*goes on at the gateway/,
    );
    expect((error as Error).message).toContain(handle?.id);
    let last = await events.next();
    while (last.value?.type === "message") last = await events.next();
    expect(last.value).toMatchObject({ type: "error", data: expect.stringMatching(/not known any more/) });
    expect(last.value?.data).not.toContain(handle?.id);
    expect(other).toBe("open");
  });

  it("that does not answer then is no reason to end anything", async () => {
    const { store, videos } = await bootOnServer();
    const { key } = await videos.submit(STUCK);
    let ended = false;
    const watch = videos.watch$(key).subscribe({
      error: () => {
        ended = true;
      },
    });
    await firstValueFrom(videos.watch$(key));
    store.away = "all";
    store.lost$.next(new Error("The server was emptied."));
    await expect(videos.get(key)).rejects.toThrow(VideoTaskStoreError);
    store.away = undefined;
    await videos.cancelWatch(key);
    expect(ended).toBe(false);
    expect(watch.closed).toBe(true);
  });
});
