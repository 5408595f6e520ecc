import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Inject, Injectable, Scope } from "@nestjs/common";
import { firstValueFrom } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  getModelGatewayToken,
  MemoryVideoTaskStore,
  MetricsService,
  ModelGatewayModule,
  OnVideo,
  type VideoCompletion,
  type VideoDelivery,
  type VideoDeliveryAttempt,
  VideosClosedError,
  type VideosOptions,
  VideosService,
  type VideoTaskDelivering,
  type VideoTaskPolling,
  type VideoTaskRecord,
  type VideoTaskStore,
} from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { compileChild, startChild } from "./child.js";
import type { HandlersArgument, HandlersMessage } from "./children/handlers-application.js";
import { FAST_POLLS, useEmulator, VIDEO } from "./use-emulator.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };
const QUICK = { firstMs: 1, maxMs: 2 };

interface Call {
  method: string;
  record: VideoTaskRecord;
  delivery: VideoDeliveryAttempt;
}

/** What was called, and how it went. */
class Calls {
  readonly made: Call[] = [];
  answer: (call: Call) => unknown = () => undefined;

  take(call: Call): unknown {
    this.made.push(call);
    return this.answer(call);
  }
}

@Injectable()
class Shop {
  constructor(@Inject(Calls) private readonly calls: Calls) {}

  @OnVideo("succeeded")
  async ship(record: VideoTaskRecord, delivery: VideoDeliveryAttempt) {
    await this.calls.take({ method: "ship", record, delivery });
  }

  @OnVideo("failed", "unknown", { name: "refunds" })
  async refund(record: VideoTaskRecord, delivery: VideoDeliveryAttempt) {
    await this.calls.take({ method: "refund", record, delivery });
  }

  @OnVideo("succeeded", { instance: "eu" })
  shipToEurope(record: VideoTaskRecord, delivery: VideoDeliveryAttempt) {
    return this.calls.take({ method: "shipToEurope", record, delivery });
  }
}

async function useShop(options: VideosOptions = {}) {
  const { emulator, connection } = await useEmulator();
  const store: VideoTaskStore = options.store ?? FAST_POLLS.store;
  const calls = new Calls();
  const boot = async () => {
    const videos = { ...FAST_POLLS, handlers: QUICK, ...options, store };
    const { app } = await bootApp([ModelGatewayModule.forRoot({ ...connection, videos })], {
      providers: [Shop, { provide: Calls, useValue: calls }],
    });
    return { app, videos: app.get(VideosService) };
  };
  const submitAndEnd = async (videos: VideosService, key: string, end: "succeed" | "fail" = "succeed") => {
    await videos.submit(STUCK, { key });
    await emulator.videos[end]((await videos.get(key))?.handle?.id ?? "");
  };
  const states = async (videos: VideosService, key: string) =>
    (await videos.get(key))?.deliveries?.map(({ handler, state, attempts }) => [handler, state, attempts]);
  return { emulator, connection, calls, boot, submitAndEnd, states };
}

describe("a handler of @OnVideo", () => {
  it("is called once with the record, of the status that it asked for, and never again", async () => {
    const { calls, boot, submitAndEnd, states } = await useShop();
    const { app, videos } = await boot();
    await submitAndEnd(videos, "order-1");
    await submitAndEnd(videos, "order-2", "fail");
    await expect.poll(() => states(videos, "order-1")).toEqual([["Shop.ship", "delivered", 1]]);
    await expect.poll(() => states(videos, "order-2")).toEqual([["refunds", "delivered", 1]]);
    expect(await videos.troubles()).toEqual([]);
    await app.close();
    const again = await boot();
    await submitAndEnd(again.videos, "order-3");
    await expect.poll(() => states(again.videos, "order-3")).toEqual([["Shop.ship", "delivered", 1]]);
    expect(calls.made.map(({ method, record }) => [method, record.key, record.status])).toEqual([
      ["ship", "order-1", "succeeded"],
      ["refund", "order-2", "failed"],
      ["ship", "order-3", "succeeded"],
    ]);
    const [first, , third] = calls.made;
    expect(first?.record.task?.videos).toHaveLength(1);
    expect(first?.delivery).toMatchObject({ handler: "Shop.ship", status: "succeeded", attempt: 1 });
    expect(first?.delivery.id).not.toBe(third?.delivery.id);
  });

  it("is called again after it threw, with the same id, until it returned", async () => {
    const { calls, boot, submitAndEnd, states } = await useShop();
    const { app, videos } = await boot();
    const outcomes: string[] = [];
    app.get(MetricsService).events$.subscribe((event) => {
      if (event.type === "video_delivery") outcomes.push(event.outcome);
    });
    calls.answer = ({ delivery }) => {
      if (delivery.attempt < 3) throw new Error("The printer is out of paper.");
    };
    await submitAndEnd(videos, "order-1");
    await expect.poll(() => states(videos, "order-1")).toEqual([["Shop.ship", "delivered", 3]]);
    expect(calls.made.map(({ delivery }) => delivery.attempt)).toEqual([1, 2, 3]);
    expect(new Set(calls.made.map(({ delivery }) => delivery.id)).size).toBe(1);
    expect(outcomes).toEqual(["threw", "threw", "delivered"]);
  });

  it("that fails at every attempt is dead, told, kept, and called again on demand", async () => {
    const { calls, boot, submitAndEnd, states } = await useShop({
      handlers: { ...QUICK, attempts: 2 },
    });
    const { videos } = await boot();
    calls.answer = () => Promise.reject(new Error("The printer is out of paper."));
    await submitAndEnd(videos, "order-1");
    await expect.poll(() => states(videos, "order-1")).toEqual([["Shop.ship", "dead", 2]]);
    const [dead] = (await videos.get("order-1"))?.deliveries ?? [];
    expect(dead?.problem?.message).toContain("out of paper");
    expect(await videos.troubles()).toEqual([
      expect.stringMatching(/^1 calls of video handlers were given up/),
    ]);
    expect((await videos.list({ delivery: "dead" })).map(({ key }) => key)).toEqual(["order-1"]);
    expect((await videos.list({ finished: true })).map(({ key }) => key)).toEqual([]);
    calls.answer = () => undefined;
    await videos.redeliver("order-1");
    await expect.poll(() => states(videos, "order-1")).toEqual([["Shop.ship", "delivered", 1]]);
    expect(calls.made).toHaveLength(3);
    expect(new Set(calls.made.map(({ delivery }) => delivery.id)).size).toBe(1);
    expect((await videos.list({ finished: true })).map(({ key }) => key)).toEqual(["order-1"]);
    await expect(videos.redeliver("order-1")).rejects.toMatchObject({ status: 409 });
    await expect(videos.redeliver("nobody")).rejects.toMatchObject({ status: 404 });
  });

  it("hears of a submission of unknown outcome, and of its end when it is found again", async () => {
    const { emulator, calls, boot, states } = await useShop();
    const { videos } = await boot();
    emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
    await expect(videos.submit(STUCK, { key: "order-1" })).rejects.toMatchObject({ maybeProcessed: true });
    await expect.poll(() => states(videos, "order-1")).toEqual([["refunds", "delivered", 1]]);
    const [task] = emulator.videos.list();
    await videos.reconcile("order-1", { taskId: task?.id ?? "" });
    await emulator.videos.succeed(task?.id ?? "");
    await expect
      .poll(() => states(videos, "order-1"))
      .toEqual([
        ["refunds", "delivered", 1],
        ["Shop.ship", "delivered", 1],
      ]);
    expect(calls.made.map(({ record }) => record.status)).toEqual(["unknown", "succeeded"]);
  });

  it("that takes its time holds up neither polls nor other handlers, of which so many run at once", async () => {
    const { calls, boot, submitAndEnd, states } = await useShop({ handlers: { ...QUICK, concurrency: 2 } });
    const { videos } = await boot();
    const held: Array<() => void> = [];
    let running = 0;
    let most = 0;
    calls.answer = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => held.push(resolve));
      running -= 1;
    };
    const keys = ["a", "b", "c", "d"];
    for (const key of keys) await submitAndEnd(videos, key);
    await expect.poll(async () => (await videos.list({ status: "succeeded" })).length).toBe(4);
    expect((await videos.list({ delivery: "due" })).map(({ key }) => key)).toEqual(keys);
    for (const key of keys) {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      held.shift()?.();
      await expect.poll(() => states(videos, key)).toEqual([["Shop.ship", "delivered", 1]]);
    }
    expect(most).toBe(2);
  });

  it("is waited for when the application closes, for so long, and is called again later when it did not end", async () => {
    const { calls, boot, submitAndEnd, states } = await useShop({ handlers: { ...QUICK, closeMs: 50 } });
    const { app, videos } = await boot();
    let signal: AbortSignal | undefined;
    calls.answer = ({ delivery }) => {
      signal = delivery.signal;
      return delivery.attempt === 1 ? new Promise(() => {}) : undefined;
    };
    await submitAndEnd(videos, "order-1");
    await expect.poll(() => calls.made.length).toBe(1);
    await app.close();
    expect(signal?.aborted).toBe(true);
    const next = await boot();
    await expect.poll(() => states(next.videos, "order-1")).toEqual([["Shop.ship", "delivered", 2]]);
    expect(calls.made).toHaveLength(2);
  });

  it("that ends while the application closes is not called again", async () => {
    const { calls, boot, submitAndEnd, states } = await useShop({ handlers: { ...QUICK, closeMs: 60_000 } });
    const { app, videos } = await boot();
    let finish = () => {};
    calls.answer = () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      });
    await submitAndEnd(videos, "order-1");
    await expect.poll(() => calls.made.length).toBe(1);
    const closed = app.close();
    finish();
    await closed;
    const next = await boot();
    expect(await states(next.videos, "order-1")).toEqual([["Shop.ship", "delivered", 1]]);
  });

  it("is not begun any more when the application began to close, and is due as it was", async () => {
    class SlowStore extends MemoryVideoTaskStore {
      readonly asked: VideoDelivery[] = [];
      goOn = () => {};
      private readonly held = new Promise<void>((resolve) => {
        this.goOn = resolve;
      });

      override async deliver(key: string, delivery: VideoDelivery) {
        this.asked.push(delivery);
        await this.held;
        await super.deliver(key, delivery);
      }
    }
    const store = new SlowStore();
    const { calls, boot, submitAndEnd, states } = await useShop({ store });
    const first = await boot();
    await submitAndEnd(first.videos, "order-1");
    await expect.poll(() => store.asked.length).toBe(1);
    const closing = first.app.close();
    await expect
      .poll(() => first.videos.submit(VIDEO, { key: "order-1" }).catch((error: unknown) => error))
      .toBeInstanceOf(VideosClosedError);
    // What is to be told of the close has been told when that has.
    await new Promise((resolve) => setImmediate(resolve));
    store.goOn();
    await closing;
    expect(calls.made).toEqual([]);
    const second = await boot();
    await expect.poll(() => states(second.videos, "order-1")).toEqual([["Shop.ship", "delivered", 1]]);
    expect(calls.made.map(({ delivery }) => delivery.attempt)).toEqual([1]);
  });

  it("that returned, and could not be written down before the application closed, is due again soon", async () => {
    class SchedulingStore extends MemoryVideoTaskStore {
      refused = 0;
      handedOver: VideoTaskDelivering | undefined;

      override async open(polling: VideoTaskPolling) {
        const { ratePerSecond, delivering } = polling;
        this.handedOver = delivering;
        await super.open({
          ratePerSecond,
          toEnd: (record, options) => polling.toEnd(record, options),
          once: (record, options) => polling.once(record, options),
          delivering: {
            concurrency: 1,
            handlersOf: (status) => delivering?.handlersOf(status) ?? [],
            toEnd: async (_record, { signal }) => {
              if (!signal.aborted) await once(signal, "abort");
            },
            once: async () => undefined,
          },
        });
      }

      override async deliver(key: string, delivery: VideoDelivery) {
        if (delivery.state === "due" && delivery.nextAttemptAt === undefined)
          return super.deliver(key, delivery);
        this.refused += 1;
        throw new Error("The store is away.");
      }
    }
    const store = new SchedulingStore();
    const { calls, boot, submitAndEnd, states } = await useShop({
      store,
      handlers: { ...QUICK, closeMs: 1 },
    });
    const { app, videos } = await boot();
    await submitAndEnd(videos, "order-1");
    await expect.poll(() => states(videos, "order-1")).toEqual([["Shop.ship", "due", 0]]);
    const record = await videos.get("order-1");
    if (record === undefined) throw new Error("There is no such submission.");
    const turn = store.handedOver?.once(record, { signal: new AbortController().signal });
    await expect.poll(() => store.refused).toBe(1);
    await app.close();
    expect(calls.made).toHaveLength(1);
    expect(await turn).toBeGreaterThan(0);
  });

  it("belongs to the instance that it names", async () => {
    const { emulator, connection } = await useEmulator();
    const calls = new Calls();
    const { app } = await bootApp(
      [
        ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS }),
        ModelGatewayModule.forRoot({ ...connection, name: "eu", videos: FAST_POLLS }),
      ],
      { providers: [Shop, { provide: Calls, useValue: calls }] },
    );
    for (const videos of [app.get(VideosService), app.get(getModelGatewayToken("eu", VideosService))]) {
      const { key } = await videos.submit(STUCK);
      await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
      await expect.poll(() => videos.list({ delivery: "delivered" })).toHaveLength(1);
    }
    expect(calls.made.map(({ method }) => method)).toEqual(["ship", "shipToEurope"]);
  });

  it("must be told apart, of a singleton, and of a status that there is", async () => {
    const { connection } = await useEmulator();
    const gateway = () => ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS });
    const calls = { provide: Calls, useValue: new Calls() };
    await expect(
      bootApp([gateway()], { providers: [calls, Shop, { provide: "second", useClass: Shop }] }),
    ).rejects.toThrow(/two @OnVideo handlers of the name Shop.ship/);
    await bootApp([gateway()], { providers: [calls, Shop, { provide: "alias", useExisting: Shop }] });
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      @OnVideo("succeeded")
      ship() {}
    }
    await expect(bootApp([gateway()], { providers: [PerRequest] })).rejects.toThrow(
      /PerRequest.ship.*per request/,
    );
    expect(() => OnVideo("running" as "succeeded")).toThrow(/"running"/);
    expect(() => OnVideo(...([] as unknown as ["succeeded"]))).toThrow(/none/);
  });
});

describe("completed$", () => {
  @Injectable()
  class Listener {
    readonly heard: VideoCompletion[] = [];

    constructor(@Inject(VideosService) videos: VideosService) {
      videos.completed$.subscribe((completion) => {
        this.heard.push(completion);
        if (completion.delivery.attempt === 1) completion.nack(new Error("Not yet."));
        else completion.ack();
      });
    }
  }

  it("gives each completion until it is acknowledged", async () => {
    const { emulator, connection } = await useEmulator();
    const videosOptions = { ...FAST_POLLS, handlers: QUICK };
    const { app } = await bootApp([ModelGatewayModule.forRoot({ ...connection, videos: videosOptions })], {
      providers: [Listener],
    });
    const videos = app.get(VideosService);
    await videos.submit(STUCK, { key: "order-1" });
    await emulator.videos.fail(emulator.videos.list()[0]?.id ?? "");
    await expect
      .poll(async () => (await videos.get("order-1"))?.deliveries)
      .toEqual([expect.objectContaining({ handler: "completed$", state: "delivered", attempts: 2 })]);
    const { heard } = app.get(Listener);
    expect(heard.map(({ record }) => record.status)).toEqual(["failed", "failed"]);
  });

  it("keeps what nobody acknowledged for the next subscriber, and completes with the application", async () => {
    const { emulator, connection } = await useEmulator();
    const videosOptions = { ...FAST_POLLS, handlers: QUICK };
    const { app } = await bootApp([ModelGatewayModule.forRoot({ ...connection, videos: videosOptions })]);
    const videos = app.get(VideosService);
    const first = firstValueFrom(videos.completed$);
    await videos.submit(STUCK, { key: "order-1" });
    await emulator.videos.succeed(emulator.videos.list()[0]?.id ?? "");
    // It leaves with the first value.
    expect((await first).delivery.attempt).toBe(1);
    await expect
      .poll(() => videos.troubles())
      .toEqual([expect.stringMatching(/1 calls wait for video handlers/)]);
    const completed = new Promise<number>((resolve) => {
      let attempts = 0;
      videos.completed$.subscribe({
        next({ ack, delivery }) {
          attempts = delivery.attempt;
          ack();
        },
        complete: () => resolve(attempts),
      });
    });
    await expect.poll(() => videos.list({ delivery: "delivered" })).toHaveLength(1);
    await app.close();
    expect(await completed).toBe(2);
  });
});

describe("a process that is killed inside a handler", () => {
  it("leaves it to the next, which calls it until it returned, and then nobody does", async () => {
    const { emulator, connection } = await useEmulator();
    const directory = await mkdtemp(join(tmpdir(), "handlers-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const program = await compileChild("handlers-application");
    onTestFinished(() => program.remove());
    const run = async (how: HandlersArgument["how"], submits: boolean) => {
      const child = startChild(program.file, {
        ...connection,
        directory,
        how,
        submits,
      } satisfies HandlersArgument);
      const told: HandlersMessage[] = [];
      for (let message = await child.next(); message !== undefined; message = await child.next()) {
        told.push(message as HandlersMessage);
        if ((message as HandlersMessage).told === "submitted")
          await emulator.videos.succeed(emulator.videos.list()[0]?.id ?? "");
      }
      return { told, exit: await child.exit };
    };
    const died = await run("dies", true);
    expect(died.exit).toBe("SIGKILL");
    const again = await run("dies", false);
    expect(again.exit).toBe("SIGKILL");
    const served = await run("returns", false);
    expect(served.exit).toBe(0);
    const idle = await run("returns", false);
    expect(idle).toEqual({ told: [{ told: "delivered", attempts: 3 }], exit: 0 });
    const calls = [...died.told, ...again.told, ...served.told].filter(({ told }) => told === "called");
    expect(calls.map((call) => "attempt" in call && call.attempt)).toEqual([1, 2, 3]);
    expect(new Set(calls.map((call) => "id" in call && call.id)).size).toBe(1);
  });
});
