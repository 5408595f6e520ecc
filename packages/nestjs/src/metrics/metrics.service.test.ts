import { ModelGateway, type VideoTaskHandle } from "@model-gateway/core";
import { createBudget } from "@model-gateway/core/budget";
import { priceBook } from "@model-gateway/core/prices";
import { config, filter, firstValueFrom, lastValueFrom, type Observable, take, toArray } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  ChatService,
  EmbeddingsService,
  getModelGatewayToken,
  type MetricsEvent,
  MetricsService,
  ModelGatewayModule,
  type ModelGatewayModuleOptions,
  ModelsService,
  VideosService,
} from "../index.js";

const BODY = { model: "local-chat", messages: [{ role: "user" as const, content: "Hello" }] };
const STREAMED = { ...BODY, stream_options: { include_usage: true } };

async function bootMetrics(options: ModelGatewayModuleOptions = {}, latency = 0) {
  const { emulator, connection } = await useEmulator({ latency });
  const { app } = await bootApp([ModelGatewayModule.forRoot({ ...connection, ...options })]);
  return { app, emulator, connection, chat: app.get(ChatService), metrics: app.get(MetricsService) };
}

/** The events from now until the application closes. */
function recorded({ events$ }: MetricsService): MetricsEvent[] {
  const events: MetricsEvent[] = [];
  events$.subscribe((event) => events.push(event));
  return events;
}

function ofType<T extends MetricsEvent["type"]>(events$: Observable<MetricsEvent>, type: T) {
  return events$.pipe(filter((event): event is Extract<MetricsEvent, { type: T }> => event.type === type));
}

describe("events", () => {
  it("tell of a call: what is asked, and the answer with its usage, as plain JSON", async () => {
    const { chat, connection, metrics } = await bootMetrics();
    const events = recorded(metrics);
    const { usage } = await chat.create(BODY);
    const call = {
      call: "chat.completions.create",
      method: "POST",
      path: "/chat/completions",
      address: "general",
      attempt: 1,
      model: BODY.model,
    };
    expect(events).toEqual([
      { type: "request", ...call },
      {
        type: "response",
        ...call,
        status: 200,
        ms: expect.any(Number),
        requestId: expect.any(String),
        usage,
      },
    ]);
    const json = JSON.stringify(events);
    expect(JSON.parse(json)).toEqual(events);
    expect(json).not.toContain(connection.apiKey);
  });

  it("tell of the end of a stream, with its usage", async () => {
    const { chat, metrics } = await bootMetrics();
    const end = firstValueFrom(ofType(metrics.events$, "stream_end"));
    await lastValueFrom(chat.stream$(STREAMED));
    expect(await end).toMatchObject({
      call: "chat.completions.create",
      outcome: "complete",
      usage: { total_tokens: expect.any(Number) },
    });
  });

  it("tell of a retry", async () => {
    const { app, emulator, metrics } = await bootMetrics();
    const events = recorded(metrics);
    emulator.faults.add({ kind: "status", status: 500, times: 1 });
    await app.get(ModelsService).list();
    expect(events.map(({ type }) => type)).toEqual(["request", "response", "retry", "request", "response"]);
    expect(events[2]).toMatchObject({ reason: "answered 500", delayMs: expect.any(Number) });
    expect(events[3]).toMatchObject({ attempt: 2 });
  });

  it("tell of a failover", async () => {
    const { emulator, connection } = await useEmulator();
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({
        ...connection,
        baseURL: "http://127.0.0.1:9/v1",
        endpoints: { cdn: emulator.urls.cdn },
        route: "failover",
      }),
    ]);
    const failover = firstValueFrom(ofType(app.get(MetricsService).events$, "failover"));
    await app.get(ModelsService).list();
    expect(await failover).toMatchObject({ call: "models.list", address: "general", to: "cdn" });
  });

  it("tell what calls have cost as far as the gateway billed them, once each, with their tags", async () => {
    const prices = priceBook({
      models: {
        "local-chat": { input: 0.5, output: 2, maxOutputTokens: 4_096 },
        "local-embedding": { input: 0.1 },
        [VIDEO.model]: { videoTokens: 7, resolution: "720p", maxSeconds: 10 },
      },
    });
    for (const budget of [undefined, createBudget({ limit: 100, currency: "USD", window: "day" })]) {
      const { app, chat, emulator, metrics } = await bootMetrics({
        ...{ prices, videos: FAST_POLLS },
        ...(budget !== undefined && { budget }),
      });
      const told: Extract<MetricsEvent, { type: "cost" }>[] = [];
      ofType(metrics.events$, "cost").subscribe((event) => told.push(event));
      await chat.create(BODY, { budgetTag: "shop" });
      await lastValueFrom(chat.stream$(STREAMED));
      await app.get(EmbeddingsService).create({ model: "local-embedding", input: ["a hat", "a boat"] });
      await app.get(ModelsService).list();
      emulator.faults.add({ kind: "status", status: 400, times: 1 });
      await expect(chat.create(BODY)).rejects.toThrow();
      const videos = app.get(VideosService);
      const { key } = await videos.submit(VIDEO, { tenant: "shop" });
      await expect.poll(async () => (await videos.get(key))?.handle?.id).toBeDefined();
      const handle = (await videos.get(key))?.handle as VideoTaskHandle;
      await emulator.videos.succeed(handle.id);
      await expect.poll(async () => (await videos.get(key))?.status).toBe("succeeded");
      expect(told.map(({ call, model, tag, task }) => [call, model, tag, task])).toEqual([
        ["chat.completions.create", BODY.model, "shop", undefined],
        ["chat.completions.create", BODY.model, undefined, undefined],
        ["embeddings.create", "local-embedding", undefined, undefined],
        ["videos.retrieve", VIDEO.model, undefined, handle.id],
      ]);
      expect(told.reduce((sum, { cost }) => sum + cost.units, 0)).toBe(emulator.ledger.total().units);
      expect(told.every(({ requestId }) => typeof requestId === "string")).toBe(true);
      await app.get(ModelGateway).videos.retrieve(handle);
      expect(told).toHaveLength(4);
      if (budget !== undefined)
        expect((await budget.usage()).spent * 500_000).toBeCloseTo(emulator.ledger.total().units);
    }
  });

  it("tell of no cost where a stream is left, or there are no prices", async () => {
    const prices = priceBook({ models: { "local-chat": { input: 0.5, output: 2 } } });
    for (const options of [{ prices }, {}]) {
      const { chat, metrics } = await bootMetrics(options, options.prices ? 20 : 0);
      const events = recorded(metrics);
      await lastValueFrom(chat.stream$(STREAMED).pipe(take(options.prices ? 1 : 1_000)));
      await expect.poll(() => events.map(({ type }) => type)).toContain("stream_end");
      expect(events.map(({ type }) => type)).not.toContain("cost");
    }
  });

  it("are of one instance, and not repeated to those who come late", async () => {
    const { connection } = await useEmulator();
    const { app } = await bootApp([
      ModelGatewayModule.forRoot(connection),
      ModelGatewayModule.forRoot({ ...connection, name: "eu" }),
    ]);
    await app.get(ChatService).create(BODY);
    const events = recorded(app.get(MetricsService));
    const euEvents = recorded(app.get(getModelGatewayToken("eu", MetricsService)));
    await app.get(getModelGatewayToken("eu", ChatService)).create(BODY);
    expect(events).toEqual([]);
    expect(euEvents.map(({ type }) => type)).toEqual(["request", "response"]);
  });
});

describe("hooks of the application", () => {
  it("are told as well, as methods of their object", async () => {
    class Counter {
      count = 0;
      onRequest() {
        this.count++;
      }
    }
    const hooks = new Counter();
    const { chat, metrics } = await bootMetrics({ hooks });
    await chat.create(BODY);
    const events = recorded(metrics);
    await chat.create(BODY);
    expect(hooks.count).toBe(2);
    expect(events).toHaveLength(2);
  });

  it("are told of everything that the events tell", async () => {
    const told: string[] = [];
    const tell = (type: string) => (event: object) => told.push(JSON.stringify({ type, ...event }));
    const hooks = {
      onRequest: tell("request"),
      onResponse: tell("response"),
      onRetry: tell("retry"),
      onFailover: tell("failover"),
      onStreamEnd: tell("stream_end"),
    };
    const { emulator, connection } = await useEmulator();
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({
        ...{ ...connection, hooks, route: "failover" },
        baseURL: "http://127.0.0.1:9/v1",
        endpoints: { cdn: emulator.urls.cdn },
      }),
    ]);
    const events = recorded(app.get(MetricsService));
    emulator.faults.add({ kind: "status", status: 429, times: 1 });
    await lastValueFrom(app.get(ChatService).stream$(BODY));
    expect(told).toEqual(events.map((event) => JSON.stringify(event)));
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(["request", "response", "retry", "failover", "stream_end"]),
    );
  });

  it("may throw without taking an event away", async () => {
    const onResponse = () => {
      throw new Error("a bug in a hook");
    };
    const { chat, metrics } = await bootMetrics({ hooks: { onResponse } });
    const events = recorded(metrics);
    await chat.create(BODY);
    expect(events.map(({ type }) => type)).toEqual(["request", "response"]);
  });
});

describe("subscribers", () => {
  it("that throw disturb neither the call nor each other", async () => {
    const { chat, metrics } = await bootMetrics();
    const unhandled = new Promise((resolve) => {
      config.onUnhandledError = resolve;
    });
    onTestFinished(() => {
      config.onUnhandledError = null;
    });
    const bug = new Error("a bug in a subscriber");
    metrics.events$.pipe(take(1)).subscribe(() => {
      throw bug;
    });
    const events = recorded(metrics);
    expect((await chat.create(BODY)).choices).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(["request", "response"]);
    expect(await unhandled).toBe(bug);
  });

  it("are told of the streams that the close of the application ends, and then that this is all", async () => {
    const { app, chat, emulator, metrics } = await bootMetrics({}, 200);
    const events = lastValueFrom(metrics.events$.pipe(toArray()));
    const answer = lastValueFrom(chat.stream$(BODY));
    await expect.poll(() => emulator.journal.list()).toHaveLength(1);
    await firstValueFrom(ofType(metrics.events$, "response"));
    const outcome = expect(answer).rejects.toMatchObject({ kind: "aborted" });
    await app.close();
    await outcome;
    expect((await events).at(-1)).toMatchObject({ type: "stream_end", outcome: "aborted" });
    expect(await lastValueFrom(metrics.events$.pipe(toArray()))).toEqual([]);
  });
});
