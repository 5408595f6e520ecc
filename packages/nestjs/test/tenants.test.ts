import { createBudget } from "@model-gateway/core/budget";
import { priceBook } from "@model-gateway/core/prices";
import { Controller, ForbiddenException, Get, Inject, Param, Query } from "@nestjs/common";
import { describe, expect, it } from "vitest";
import {
  ModelGatewayModule,
  OnVideo,
  VideosService,
  type VideoTaskRecord,
  videoProgress,
} from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "./use-emulator.js";

@Controller("videos")
class Films {
  readonly owners: unknown[] = [];

  constructor(@Inject(VideosService) private readonly videos: VideosService) {}

  @Get()
  async list(@Query("tenant") tenant: string, @Query("before") before?: string) {
    const records = await this.videos.list({ tenant, limit: 2, ...(before && { before }) });
    return records.map(({ key }) => key);
  }

  @Get(":key")
  async get(@Param("key") key: string, @Query("tenant") tenant: string) {
    const record = await this.videos.get(key);
    if (record?.tenant !== tenant) throw new ForbiddenException();
    return videoProgress(record);
  }

  @OnVideo("succeeded")
  ship({ tenant, metadata }: VideoTaskRecord) {
    this.owners.push([tenant, metadata?.["order"]]);
  }
}

async function useFilms() {
  const { emulator, connection } = await useEmulator();
  const { app, url } = await bootApp([ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS })], {
    controllers: [Films],
  });
  return { emulator, url, app, videos: app.get(VideosService) };
}

describe("a budget per tag", () => {
  it("is each tenant's, is settled when films are over, and refuses what does not fit", async () => {
    const { emulator, connection } = await useEmulator();
    const prices = priceBook({ models: { "local-video-2.0": { request: 0.4 } } });
    const budget = createBudget({ limit: 1, currency: "USD", window: "month", per: "tag" });
    const options = { ...connection, prices, budget, videos: FAST_POLLS };
    const { app } = await bootApp([ModelGatewayModule.forRoot(options)]);
    const videos = app.get(VideosService);
    for (const [key, tenant] of Object.entries({ a: "acme", b: "acme", c: "other" }))
      await videos.submit(VIDEO, { key, tenant });
    expect(await budget.usage("acme")).toMatchObject({ spent: 0, reserved: 0.8 });
    await expect(videos.submit(VIDEO, { key: "d", tenant: "acme" })).rejects.toMatchObject({
      ...{ kind: "budget_exceeded", reserved: 0.8, maybeProcessed: false },
    });
    expect(emulator.videos.list()).toHaveLength(3);
    expect(await budget.open()).toHaveLength(3);
    const [first = { id: "" }, second = { id: "" }, third = { id: "" }] = emulator.videos.list();
    await emulator.videos.succeed(first.id);
    await emulator.videos.fail(second.id, "no");
    await emulator.videos.succeed(third.id);
    await expect.poll(async () => (await budget.open()).length).toBe(0);
    const charged =
      emulator.ledger.list({ kind: "charge" }).length - emulator.ledger.list({ kind: "refund" }).length;
    const spent = await Promise.all(
      ["acme", "other"].map(async (tenant) => (await budget.usage(tenant)).spent),
    );
    expect(spent.sort()).toEqual([0.4, 0.4]);
    expect(charged).toBe(2);
    expect(await budget.usage("acme")).toMatchObject({ reserved: 0 });
  });
});

describe("a budget and a queue", () => {
  it("ends what has no room when its turn comes, and nothing was paid for it", async () => {
    const { emulator, connection } = await useEmulator();
    const prices = priceBook({ models: { "local-video-2.0": { request: 0.6 } } });
    const budget = createBudget({ limit: 1, currency: "USD", window: "month", per: "tag" });
    const videosOptions = { ...FAST_POLLS, maxOpen: 1 };
    const options = { ...connection, prices, budget, videos: videosOptions };
    const { app } = await bootApp([ModelGatewayModule.forRoot(options)]);
    const videos = app.get(VideosService);
    for (const key of ["a", "b"]) await videos.submit(VIDEO, { key, tenant: "acme" });
    await expect.poll(() => emulator.videos.list().length).toBe(1);
    const [{ id } = { id: "" }] = emulator.videos.list();
    await emulator.videos.succeed(id);
    await expect.poll(async () => (await videos.get("b"))?.status).toBe("failed");
    expect((await videos.get("b"))?.problem?.message).toContain("was not sent: it can cost up to 0.6 USD");
    expect(emulator.ledger.total().calls).toBe(1);
    expect(await budget.usage("acme")).toMatchObject({ spent: 0.6, reserved: 0 });
  });
});

describe("a submission with an owner", () => {
  it("is listed by the page, shown to its owner only, and known to handlers; the gateway hears nothing of it", async () => {
    const { emulator, url, app, videos } = await useFilms();
    for (const key of ["a", "b", "c", "d"]) {
      const metadata = { order: `order of ${key}` };
      await videos.submit(VIDEO, { key, metadata, tenant: key === "b" ? "other" : "acme" });
    }
    const read = async (path: string) => (await fetch(`${url}/videos${path}`)).json();
    expect(await read("?tenant=acme")).toEqual(["c", "d"]);
    expect(await read("?tenant=acme&before=c")).toEqual(["a"]);
    expect(await read("?tenant=acme&before=a")).toEqual([]);
    expect(await read("/b?tenant=acme")).toMatchObject({ statusCode: 403 });
    expect(await read("/b?tenant=other")).toMatchObject({ key: "b" });
    expect((await fetch(`${url}/videos?tenant=acme&before=nobody`)).status).toBe(404);
    const [{ id } = { id: "" }] = emulator.videos.list();
    await emulator.videos.succeed(id);
    const { owners } = app.get(Films);
    await expect.poll(() => owners.length).toBeGreaterThan(0);
    const sent = JSON.stringify(emulator.journal.list({ method: "POST" }));
    expect(sent).not.toContain("order of");
    expect(sent).not.toContain("acme");
    const shipped = await videos.list({ delivery: "delivered" });
    for (const { tenant, metadata } of shipped) expect(owners).toContainEqual([tenant, metadata?.["order"]]);
  });

  it("is refused, with nothing sent, when its label cannot be kept as it is", async () => {
    const { emulator, videos } = await useFilms();
    const refuses = async (label: object, message: RegExp) =>
      expect(videos.submit(VIDEO, label)).rejects.toMatchObject({
        kind: "invalid_request",
        message: expect.stringMatching(message),
      });
    await refuses({ tenant: "" }, /tenant.*1 to 256/);
    await refuses({ tenant: 7 }, /tenant/);
    await refuses({ tenant: "t".repeat(257) }, /tenant/);
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const metadata of [null, [], "text", new Date(), { at: new Date(0) }, { not: undefined }, circle])
      await refuses({ metadata }, /metadata.*plain JSON/);
    await refuses({ metadata: { text: "é".repeat(2_048) } }, /metadata.*4096 bytes/);
    expect(emulator.journal.list({ method: "POST" })).toEqual([]);
    expect(await videos.list()).toEqual([]);
    await expect(videos.list({ limit: 0 })).rejects.toMatchObject({ kind: "invalid_request" });
    const metadata = { text: "x".repeat(4_096 - '{"text":""}'.length) };
    const { key } = await videos.submit(VIDEO, { metadata });
    metadata.text = "changed later";
    expect((await videos.get(key))?.metadata?.["text"]).toHaveLength(4_085);
  });
});
