import { ConfigurationError } from "@model-gateway/core";
import { priceBook } from "@model-gateway/core/prices";
import { Counter, Registry } from "prom-client";
import { lastValueFrom } from "rxjs";
import { describe, expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  ChatService,
  getModelGatewayToken,
  ModelGatewayModule,
  type ModelGatewayModuleOptions,
  VideosService,
} from "../index.js";
import { MetricsModule, type MetricsModuleOptions } from "../prometheus.js";
import { countTokens } from "./count-tokens.js";

const BODY = { model: "local-chat", messages: [{ role: "user" as const, content: "my secret prompt" }] };

const TROUBLES = 'model_gateway_video_troubles{instance="default"}';

async function bootMetrics(options: MetricsModuleOptions = {}, more: ModelGatewayModuleOptions = {}) {
  const { emulator, connection } = await useEmulator();
  const register = new Registry();
  const { app, url } = await bootApp([
    ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS, ...more }),
    MetricsModule.forRoot({ register, ...options }),
  ]);
  const read = async (path = "metrics") => (await fetch(`${url}/${path}`)).text();
  return { app, url, emulator, connection, register, read, chat: app.get(ChatService) };
}

/** Samples of the Prometheus text by name and labels, without the buckets. */
function samples(text: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines
      .filter((line) => !line.includes("_bucket{"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

describe("MetricsModule", () => {
  it("serves what the clients did, and nothing that was said", async () => {
    const prices = priceBook({ models: { [BODY.model]: { input: 0.5, output: 2 } } });
    const { chat, connection, emulator, read } = await bootMetrics({}, { prices });
    const { usage } = await chat.create(BODY);
    await lastValueFrom(chat.stream$({ ...BODY, stream_options: { include_usage: true } }));
    emulator.faults.add({ kind: "status", status: 500, times: 1 });
    await chat.create(BODY);
    emulator.faults.add({ kind: "status", status: 403, times: 1 });
    await expect(chat.create(BODY)).rejects.toThrow();
    const text = await read();
    const call = 'instance="default",call="chat.completions.create"';
    const labels = `${call},model="local-chat"`;
    expect(samples(text)).toMatchObject({
      [`model_gateway_attempts_total{${labels},status="200"}`]: 3,
      [`model_gateway_attempts_total{${labels},status="500"}`]: 1,
      [`model_gateway_attempts_total{${labels},status="403"}`]: 1,
      [`model_gateway_attempt_duration_seconds_count{${labels}}`]: 5,
      [`model_gateway_failures_total{${labels},kind="permission_denied",maybe_processed="false"}`]: 1,
      [`model_gateway_retries_total{${call},reason="answered 500"}`]: 1,
      [`model_gateway_streams_total{${labels},outcome="complete"}`]: 1,
      [`model_gateway_stream_duration_seconds_count{${labels}}`]: 1,
      [`model_gateway_tokens_total{${labels},type="input"}`]: 3 * (usage?.prompt_tokens ?? Number.NaN),
      [`model_gateway_cost_total{${labels},currency="USD",source="price-book"}`]:
        emulator.ledger.total().units / prices.unitsPerCurrency,
      'model_gateway_video_troubles{instance="default"}': 0,
    });
    expect(text).not.toContain("my secret");
    expect(text).not.toContain(connection.apiKey);
    expect(text).not.toContain("127.0.0.1");
  });

  it("counts polls that fail, and shows where videos stand and what is in their way", async () => {
    const { app, emulator, read } = await bootMetrics();
    const videos = app.get(VideosService);
    await videos.submit({ ...VIDEO, content: [{ type: "text", text: "A boat [[stuck]]" }] });
    await expect.poll(async () => (await videos.list())[0]?.status).toBe("running");
    const [first] = await videos.list();
    const tasks = (stalled: boolean) =>
      `model_gateway_video_tasks{instance="default",status="${first?.status}",stalled="${stalled}"}`;
    expect(samples(await read())).toMatchObject({ [tasks(false)]: 1, [TROUBLES]: 0 });
    emulator.faults.add({ kind: "status", status: 401, path: "/videos/*" });
    await expect.poll(async () => samples(await read())).toMatchObject({ [tasks(true)]: 1, [TROUBLES]: 1 });
    const kind = "authentication";
    expect(samples(await read())).toMatchObject({
      [`model_gateway_poll_failures_total{instance="default",kind="${kind}"}`]: expect.any(Number),
      [`model_gateway_video_stalls_total{instance="default",kind="${kind}"}`]: 1,
    });
  });

  it("shows what waits for its turn, and for how long", async () => {
    const { app, emulator, read } = await bootMetrics({}, { videos: { ...FAST_POLLS, maxOpen: 1 } });
    const videos = app.get(VideosService);
    const waiting = (turnedAway: boolean) =>
      `model_gateway_video_submissions_waiting{instance="default",turned_away="${turnedAway}"}`;
    const oldest = 'model_gateway_video_submissions_oldest_wait_seconds{instance="default"}';
    const stuck = { ...VIDEO, content: [{ type: "text" as const, text: "A boat [[stuck]]" }] };
    for (const key of ["a", "b", "c"]) await videos.submit(stuck, { key });
    await expect.poll(() => emulator.videos.list().length).toBe(1);
    await expect.poll(async () => samples(await read())[waiting(false)]).toBe(2);
    const shown = samples(await read());
    expect(shown[oldest]).toBeGreaterThan(0);
    const counted = Object.entries(shown).filter(([name]) => name.startsWith("model_gateway_video_tasks{"));
    expect(counted.reduce((sum, [, count]) => sum + count, 0)).toBe(1);
    emulator.faults.add({ kind: "status", status: 401, path: "/videos" });
    await emulator.videos.succeed(emulator.videos.list()[0]?.id ?? "");
    await expect.poll(async () => samples(await read())).toMatchObject({ [waiting(true)]: 1, [TROUBLES]: 1 });
    for (const key of ["b", "c"]) await videos.cancel(key);
    expect(samples(await read())).toMatchObject({ [oldest]: 0, [TROUBLES]: 0 });
  });

  it("counts each submission, however many there are", async () => {
    const { app, emulator, read } = await bootMetrics({}, { videos: { ...FAST_POLLS, maxOpen: 1 } });
    const videos = app.get(VideosService);
    const stuck = { ...VIDEO, content: [{ type: "text" as const, text: "A boat [[stuck]]" }] };
    for (let number = 0; number < 1_201; number++) await videos.submit(stuck, { key: `order-${number}` });
    await expect.poll(() => emulator.videos.list().length).toBe(1);
    const waiting = 'model_gateway_video_submissions_waiting{instance="default",turned_away="false"}';
    expect(samples(await read())[waiting]).toBe(1_200);
    expect(await videos.troubles()).toEqual([]);
  });

  it("goes without what the store does not tell", async () => {
    const store = FAST_POLLS.store;
    const { chat, read } = await bootMetrics({}, { videos: { ...FAST_POLLS, store } });
    await chat.create(BODY);
    store.list = () => Promise.reject(new Error("The store is away."));
    const counted = samples(await read());
    expect(Object.keys(counted).some((name) => name.startsWith("model_gateway_attempts_total"))).toBe(true);
    expect(counted[TROUBLES]).toBeGreaterThan(0);
  });

  it("tells instances apart, and counts those that it is told of", async () => {
    const { connection } = await useEmulator();
    const register = new Registry();
    const { app, url } = await bootApp([
      ModelGatewayModule.forRoot(connection),
      ModelGatewayModule.forRoot({ ...connection, name: "eu" }),
      ModelGatewayModule.forRoot({ ...connection, name: "us" }),
      MetricsModule.forRoot({ register, instances: ["eu", "us"] }),
    ]);
    await app.get(ChatService).create(BODY);
    await app.get<ChatService>(getModelGatewayToken("eu", ChatService)).create(BODY);
    const counted = samples(await (await fetch(`${url}/metrics`)).text());
    const attempts = Object.entries(counted).filter(([name]) =>
      name.startsWith("model_gateway_attempts_total"),
    );
    expect(attempts).toEqual([[expect.stringContaining('instance="eu"'), 1]]);
    expect(counted).toMatchObject({
      'model_gateway_video_troubles{instance="eu"}': 0,
      'model_gateway_video_troubles{instance="us"}': 0,
    });
  });

  it("gives a label to so many models and no more", async () => {
    const { chat, read } = await bootMetrics({ maxModels: 2 });
    for (const model of ["local-chat", "a", "b", "c", "local-chat"])
      await chat.create({ ...BODY, model }).catch(() => undefined);
    const counted = samples(await read());
    const models = Object.keys(counted)
      .filter((name) => name.startsWith("model_gateway_attempts_total"))
      .map((name) => /model="([^"]*)"/.exec(name)?.[1]);
    expect(models.sort()).toEqual(["a", "local-chat", "other"]);
  });

  it("serves the registry that it is given, elsewhere if asked, with metadata for guards", async () => {
    const register = new Registry();
    new Counter({ name: "orders_total", help: "Orders.", registers: [register] }).inc(3);
    const { url } = await bootMetrics({ register, path: "internal/metrics", metadata: { isPublic: true } });
    const response = await fetch(`${url}/internal/metrics`);
    expect(response.headers.get("content-type")).toBe(register.contentType);
    expect(await response.text()).toContain("orders_total 3");
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it("has no route where none is wanted", async () => {
    const { url, register, chat } = await bootMetrics({ path: false });
    await chat.create(BODY);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect(await register.metrics()).toContain("model_gateway_attempts_total{");
  });

  it("goes on counting in an application that starts again in the same process", async () => {
    const register = new Registry();
    for (let round = 1; round <= 2; round++) {
      const { app, chat, read } = await bootMetrics({ register });
      await chat.create(BODY);
      const counted = samples(await read());
      expect(
        Object.entries(counted).find(([name]) => name.startsWith("model_gateway_attempts_total"))?.[1],
      ).toBe(round);
      await app.close();
      expect(await register.metrics()).not.toContain("model_gateway_video_troubles{");
    }
  });

  it.each<[options: object, message: string]>([
    [{ maxModels: -1 }, "maxModels"],
    [{ paths: "x" }, "paths of MetricsModule is unknown"],
  ])("refuses %j at once", (options, message) => {
    expect(() => MetricsModule.forRoot(options)).toThrow(ConfigurationError);
    expect(() => MetricsModule.forRoot(options)).toThrow(message);
  });

  it("names an instance that there is none of when the application starts", async () => {
    const { connection } = await useEmulator();
    const imports = [
      ModelGatewayModule.forRoot(connection),
      MetricsModule.forRoot({ register: new Registry(), instances: ["eu"] }),
    ];
    await expect(bootApp(imports)).rejects.toThrow('"eu"');
  });
});

describe("tokens", () => {
  it.each<[usage: unknown, counts: Array<[string, number]>]>([
    [
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      [
        ["input", 3],
        ["output", 4],
      ],
    ],
    [
      { input_tokens: 3, output_tokens: 4 },
      [
        ["input", 3],
        ["output", 4],
      ],
    ],
    [
      {
        ...{ prompt_tokens: 3, completion_tokens: 4 },
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
      [
        ["input", 3],
        ["output", 4],
        ["cached", 2],
        ["reasoning", 1],
      ],
    ],
    [{ prompt_tokens: -3, completion_tokens: "4", prompt_tokens_details: null }, []],
    [{ prompt_tokens: Number.NaN }, []],
    [null, []],
    ["3", []],
    [undefined, []],
  ])("of %j are counted by what they are", (usage, counts) => {
    expect(countTokens(usage)).toEqual(counts);
  });
});
