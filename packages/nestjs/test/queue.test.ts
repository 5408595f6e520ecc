import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { INestApplication } from "@nestjs/common";
import { Controller, Inject, type LoggerService, Param, Sse } from "@nestjs/common";
import { lastValueFrom, toArray } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  FolderFileStore,
  JournalVideoTaskStore,
  MemoryVideoTaskStore,
  ModelGatewayModule,
  OnVideo,
  VideoKeyTakenError,
  type VideosOptions,
  VideosService,
  type VideoTaskRecord,
  videoEvents,
} from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { filmOf, useCappedGateway } from "./capped-gateway.js";
import { readEvents } from "./read-events.js";

class Ends {
  readonly told: Array<Pick<VideoTaskRecord, "key" | "status" | "problem">> = [];

  @OnVideo("succeeded", "failed", "cancelled", "unknown")
  end({ key, status, problem }: VideoTaskRecord) {
    this.told.push({ key, status, ...(problem && { problem }) });
  }
}

@Controller("films")
class Films {
  constructor(@Inject(VideosService) private readonly videos: VideosService) {}

  @Sse(":key")
  watch(@Param("key") key: string) {
    return this.videos.watch$(key).pipe(videoEvents());
  }
}

type Gateway = Awaited<ReturnType<typeof useCappedGateway>>;

const FAST = { intervalMs: 5, ratePerSecond: 1_000, backoff: { firstMs: 5 } };

async function boot(gateway: Gateway, videos: VideosOptions, logger: LoggerService | false = false) {
  const module = ModelGatewayModule.forRoot({
    ...gateway.connection,
    videos: { ...FAST, store: new MemoryVideoTaskStore(), ...videos },
  });
  const { app, url } = await bootApp([module], { controllers: [Films], providers: [Ends], logger });
  return { app, url, videos: app.get(VideosService), ends: app.get(Ends) };
}

async function useFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "queue-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** What waits, in the order of submission. */
const waiting = async (app: INestApplication) =>
  (await app.get(VideosService).list({ waiting: true })).map(({ key }) => key);

describe("submissions under a cap", () => {
  it("are never more at the gateway, all done in the end, each once, and fair between tenants", async () => {
    const gateway = await useCappedGateway({ pollsToEnd: 3 });
    const { videos, ends } = await boot(gateway, { maxOpen: 8 });
    const tenants = ["a", "a", "a", "b"];
    for (let index = 0; index < 64; index++) {
      const tenant = tenants[index % tenants.length] ?? "";
      expect(await videos.submit(filmOf(`${tenant}-${index}`), { key: `${index}`, tenant })).toEqual({
        key: `${index}`,
      });
    }
    await expect.poll(() => ends.told.length, { timeout: 60_000 }).toBe(64);
    expect(gateway.mostOpen()).toBe(8);
    expect(new Set(gateway.creates.map(({ prompt }) => prompt)).size).toBe(64);
    expect(gateway.creates).toHaveLength(64);
    expect(ends.told.filter(({ status }) => status === "succeeded")).toHaveLength(64);
    expect(await videos.list({ finished: false })).toEqual([]);
  });

  it("take turns by tenant, by priority and then by age within one", async () => {
    const gateway = await useCappedGateway();
    const { videos, app } = await boot(gateway, { maxOpen: 1 });
    await videos.submit(filmOf("first"), { tenant: "a" });
    await expect.poll(() => gateway.open()).toBe(1);
    for (const [tenant, prompt, priority] of [
      ["a", "a1", 0],
      ["a", "a2", 0],
      ["a", "a3", 5],
      ["b", "b1", -1],
      ["b", "b2", 0],
      [undefined, "c1", 0],
    ] as const)
      await videos.submit(filmOf(prompt), { key: prompt, priority, ...(tenant && { tenant }) });
    expect(await waiting(app)).toHaveLength(6);
    for (let count = 2; count <= 7; count++) {
      gateway.end();
      await expect.poll(() => gateway.creates.length).toBe(count);
    }
    expect(gateway.creates.map(({ prompt }) => prompt)).toEqual([
      ...["first", "b2", "c1", "a3", "b1", "a1", "a2"],
    ]);
  });

  it("leave places to other tenants than the one that has all it may have", async () => {
    const gateway = await useCappedGateway();
    const { videos, app } = await boot(gateway, { perTenant: 2 });
    for (const prompt of ["a1", "a2", "a3", "b1"])
      await videos.submit(filmOf(prompt), { key: prompt, tenant: prompt.slice(0, 1) });
    await expect.poll(() => gateway.open()).toBe(3);
    expect(await waiting(app)).toEqual(["a3"]);
    // That is what a queue is for.
    expect(await videos.troubles()).toEqual([]);
    gateway.end(1);
    await expect.poll(() => gateway.creates.map(({ prompt }) => prompt)).toContain("a3");
  });

  it("refuse at once what can never be sent, and a key that is taken", async () => {
    const gateway = await useCappedGateway();
    const { videos } = await boot(gateway, { maxOpen: 1 });
    await expect(videos.submit({ ...filmOf("x"), content: [] })).rejects.toMatchObject({
      kind: "invalid_request",
    });
    await expect(videos.submit(filmOf("x"), { priority: 0.5 })).rejects.toMatchObject({
      kind: "invalid_request",
      message: expect.stringContaining("priority"),
    });
    expect(await videos.list()).toEqual([]);
    gateway.answerWith(() => ({ status: 500 }));
    await videos.submit(filmOf("x"), { key: "x" });
    await expect(videos.submit(filmOf("x"), { key: "x" })).rejects.toBeInstanceOf(VideoKeyTakenError);
  });

  it("are watched from the line on, and taken out of it for nothing", async () => {
    const gateway = await useCappedGateway();
    const { videos, url, ends } = await boot(gateway, { maxOpen: 1 });
    for (const key of ["open", "wanted", "unwanted"]) await videos.submit(filmOf(key), { key });
    await expect.poll(() => gateway.open()).toBe(1);
    const events = (async () => {
      const seen: unknown[] = [];
      for await (const { type, data } of readEvents(await fetch(`${url}/films/unwanted`)))
        seen.push(type === "done" ? "done" : JSON.parse(data));
      return seen;
    })();
    const wanted = lastValueFrom(videos.watch$("wanted").pipe(toArray()));
    await expect(videos.reconcile("wanted")).rejects.toThrow(/waits for its turn/);
    await expect(videos.reconcile("wanted", { taskId: "task-1" })).rejects.toThrow(/waits/);
    await expect(videos.cancelWatch("wanted")).rejects.toThrow(/waits for its turn: cancel/);
    expect(await videos.handleCallback("wanted", { id: "task-9", status: "succeeded" })).toBe(true);
    await videos.cancel("unwanted");
    const shown = { key: "unwanted", videos: [] };
    const seen = await events;
    expect(seen.slice(-2)).toEqual([{ ...shown, status: "cancelled" }, "done"]);
    if (seen.length === 3) expect(seen[0]).toEqual({ ...shown, status: "queued", waiting: true });
    await expect.poll(() => ends.told).toContainEqual({ key: "unwanted", status: "cancelled" });
    await expect(videos.cancel("unwanted")).rejects.toThrow(/is cancelled: only one that waits/);
    await expect(videos.cancel("open")).rejects.toThrow(/only one that waits/);
    await expect(videos.cancel("nobody")).rejects.toMatchObject({ status: 404 });
    gateway.endAfter(1);
    const statuses = (await wanted).map(({ status, waiting: wait }) => (wait ? "waiting" : status));
    expect([statuses[0], statuses[1], statuses.at(-1)]).toEqual(["waiting", "submitting", "succeeded"]);
    expect(gateway.creates.map(({ prompt }) => prompt)).toEqual(["open", "wanted"]);
    expect((await videos.get("wanted"))?.waiting).toBeUndefined();
    expect(gateway.asked).not.toContain("task-9");
  });

  it("end as failed when the gateway refuses them for good, and the next one has its turn", async () => {
    const gateway = await useCappedGateway({ pollsToEnd: 1 });
    gateway.answerWith(({ prompt }) => {
      if (prompt === "bad") return { status: 400, body: { error: { message: "no such resolution" } } };
      if (prompt === "poor")
        return { status: 429, body: { error: { code: "insufficient_quota", message: "" } } };
      return undefined;
    });
    const { videos, ends } = await boot(gateway, { maxOpen: 1 });
    for (const key of ["bad", "poor", "good"]) await videos.submit(filmOf(key), { key });
    await expect.poll(() => ends.told.length).toBe(3);
    expect(ends.told).toEqual(
      expect.arrayContaining([
        {
          key: "bad",
          status: "failed",
          problem: { kind: "bad_request", message: expect.stringContaining("no such resolution") },
        },
        { key: "poor", status: "failed", problem: expect.objectContaining({ kind: "permission_denied" }) },
        { key: "good", status: "succeeded" },
      ]),
    );
    expect(await lastValueFrom(videos.watch$("bad"))).toMatchObject({ status: "failed" });
    await expect(videos.reconcile("bad", { taskId: "task-1" })).rejects.toThrow(/did not take it/);
    expect((await videos.reconcile("bad")).status).toBe("failed");
    expect(gateway.creates).toHaveLength(3);
  });

  it("wait on when the gateway is busy or refuses the key, and are the same purchase each time", async () => {
    const gateway = await useCappedGateway({ pollsToEnd: 1 });
    const statuses = [429, 401, 429];
    gateway.answerWith(() => {
      const status = statuses.shift();
      return status === undefined ? undefined : { status };
    });
    const { videos, ends } = await boot(gateway, { maxOpen: 2 });
    await videos.submit(filmOf("x"), { key: "x" });
    const seen = lastValueFrom(videos.watch$("x").pipe(toArray()));
    await expect.poll(() => ends.told).toEqual([{ key: "x", status: "succeeded" }]);
    expect(gateway.creates).toHaveLength(4);
    // The queue tries again, and not the call.
    expect((await seen).flatMap(({ waiting: wait }) => wait?.attempts ?? [])).toContain(3);
    expect(new Set(gateway.creates.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(gateway.mostOpen()).toBe(1);
  });

  it("show that they are turned away, and are sent one at a time until one is taken", async () => {
    const gateway = await useCappedGateway();
    const store = new MemoryVideoTaskStore();
    let isBusy = true;
    let mostUnderWay = 0;
    let refused = 0;
    gateway.answerWith(() => (response, take) => {
      // Long enough for others to have their turn meanwhile, if they did: the client itself would send them one by one.
      setTimeout(async () => {
        const underWay = (await store.list({ status: "submitting" })).length;
        if (isBusy && refused > 0) mostUnderWay = Math.max(mostUnderWay, underWay);
        if (isBusy) refused += 1;
        const body = isBusy ? { error: { message: "busy" } } : { id: take(), status: "queued" };
        response.writeHead(isBusy ? 429 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      }, 30);
    });
    const { videos } = await boot(gateway, { maxOpen: 8, store });
    await videos.submit(filmOf("first"), { key: "first" });
    await expect.poll(() => refused).toBeGreaterThan(0);
    for (let index = 0; index < 4; index++) await videos.submit(filmOf(`${index}`), { key: `${index}` });
    await expect.poll(() => refused).toBeGreaterThan(5);
    expect(mostUnderWay).toBe(1);
    await expect
      .poll(() => videos.troubles())
      .toEqual([
        expect.stringMatching(
          /^5 video submissions wait for their turn, the first since \d{4}.*; \d were turned away \(rate_limit\)\. Nothing/,
        ),
      ]);
    isBusy = false;
    await expect.poll(() => gateway.open(), { timeout: 20_000 }).toBe(5);
    expect(await videos.troubles()).toEqual([]);
  });

  it("do not ask before the gateway wants to be asked", async () => {
    const gateway = await useCappedGateway();
    gateway.answerWith(() => ({ status: 429, headers: { "retry-after": "300" } }));
    const { videos } = await boot(gateway, { maxOpen: 8 });
    const before = Date.now();
    await videos.submit(filmOf("x"), { key: "x" });
    await expect.poll(async () => (await videos.get("x"))?.waiting?.attempts).toBe(1);
    await videos.submit(filmOf("y"), { key: "y" });
    const { waiting: wait } = (await videos.get("x")) ?? {};
    expect(wait?.nextAttemptAt).toBeGreaterThanOrEqual(before + 300_000);
    expect(wait?.problem).toMatchObject({ kind: "rate_limit" });
    expect(gateway.creates).toHaveLength(1);
  });

  it("count what nobody knows the outcome of, until somebody decides", async () => {
    const gateway = await useCappedGateway({ pollsToEnd: 1 });
    gateway.answerWith(({ prompt }) => {
      if (prompt === "paid")
        return (response, take) => response.destroy(take() ? undefined : new Error("never"));
      if (prompt === "not paid") return (response) => response.destroy();
      return undefined;
    });
    const { videos, ends, app } = await boot(gateway, { maxOpen: 2 });
    for (const key of ["paid", "not paid", "x", "y"]) await videos.submit(filmOf(key), { key });
    const told = async () => (await videos.list({ status: "unknown" })).map(({ key }) => key);
    await expect.poll(told).toEqual(["paid", "not paid"]);
    expect(await waiting(app)).toEqual(["x", "y"]);
    await videos.reconcile("not paid", { notPaid: true });
    await expect.poll(() => ends.told).toContainEqual({ key: "x", status: "succeeded" });
    await videos.reconcile("paid", { taskId: gateway.idOf("paid") ?? "" });
    await expect.poll(() => ends.told).toContainEqual({ key: "y", status: "succeeded" });
    await expect.poll(() => ends.told).toContainEqual({ key: "paid", status: "succeeded" });
    expect(gateway.creates).toHaveLength(4);
  });

  it("wait in a file through a restart, whole, and stay where nothing sends them", async () => {
    const directory = await useFolder();
    const gateway = await useCappedGateway({ pollsToEnd: 1 });
    const large = "x".repeat(100_000);
    const first = await boot(gateway, { maxOpen: 1, store: new JournalVideoTaskStore({ directory }) });
    gateway.answerWith(() => ({ status: 429, headers: { "retry-after": "1" } }));
    await first.videos.submit(filmOf(large), { key: "x", tenant: "a", priority: 2 });
    await first.videos.submit(filmOf("\0 and \ud800"), { key: "y" });
    await expect.poll(async () => (await first.videos.get("x"))?.waiting?.attempts).toBe(1);
    await first.app.close();
    gateway.answerWith(() => undefined);
    const without = await boot(gateway, { store: new JournalVideoTaskStore({ directory }) });
    expect(await waiting(without.app)).toEqual(["x", "y"]);
    expect((await without.videos.troubles()).at(-1)).toMatch(/Nothing sends them from here/);
    await without.app.close();
    expect(gateway.taken()).toEqual([]);
    const last = await boot(gateway, { maxOpen: 1, store: new JournalVideoTaskStore({ directory }) });
    await expect.poll(() => last.ends.told.length).toBe(2);
    expect(gateway.taken().map(({ prompt }) => prompt)).toEqual(
      expect.arrayContaining([large, "\0 and \ud800"]),
    );
  });

  it("are still written down when the application closes while they are being sent, and the others are not sent", async () => {
    const gateway = await useCappedGateway();
    const store = new MemoryVideoTaskStore();
    let ask: (answer: () => void) => void = () => {};
    const asked = new Promise<() => void>((resolve) => {
      ask = resolve;
    });
    gateway.answerWith(() => (response, take) => {
      ask(() => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ id: take(), status: "queued" }));
      });
    });
    const { videos, app } = await boot(gateway, { maxOpen: 1, store });
    await videos.submit(filmOf("x"), { key: "x" });
    await videos.submit(filmOf("y"), { key: "y" });
    const answer = await asked;
    const closed = app.close();
    answer();
    await closed;
    expect(await store.get("x")).toMatchObject({ status: "queued", handle: { id: "task-1" } });
    expect(await store.get("y")).toMatchObject({ status: "queued", waiting: { attempts: 0 } });
    expect(gateway.creates).toHaveLength(1);
  });

  it.each([{ maxOpen: 0 }, { maxOpen: 1.5 }, { perTenant: -1 }, { apiKeyFor: "key" as never }])(
    "are refused %j as options",
    async (videos) => {
      const gateway = await useCappedGateway();
      const [name = ""] = Object.keys(videos);
      await expect(boot(gateway, videos)).rejects.toThrow(`videos.${name}`);
    },
  );
});

describe("a key per tenant", () => {
  /** Fails until it is mended. */
  function useVault() {
    const asked: string[] = [];
    const vault = { isSealed: false, asked };
    const apiKeyFor = async (tenant: string) => {
      asked.push(tenant);
      if (vault.isSealed) throw new Error("The vault is sealed.");
      return `secret-of-${tenant}`;
    };
    return { vault, apiKeyFor };
  }

  it.each([{ maxOpen: 2 }, {}])(
    "pays and reads with it, also after a restart, and keeps it nowhere (%j)",
    async (limits) => {
      const directory = await useFolder();
      const gateway = await useCappedGateway();
      const { vault, apiKeyFor } = useVault();
      const lines: string[] = [];
      const log = (...args: unknown[]) => void lines.push(args.map(String).join(" "));
      const logger = { log, error: log, warn: log, debug: log, verbose: log, fatal: log };
      const options = () => ({ ...limits, apiKeyFor, store: new JournalVideoTaskStore({ directory }) });
      const first = await boot(gateway, options(), logger);
      await first.videos.submit(filmOf("a"), { key: "a", tenant: "a" });
      await first.videos.submit(filmOf("b"), { key: "b", tenant: "b" });
      await expect.poll(() => gateway.open()).toBe(2);
      await first.app.close();
      const second = await boot(gateway, options(), logger);
      await expect.poll(async () => (await second.videos.get("a"))?.status).toBe("running");
      vault.isSealed = true;
      await expect
        .poll(async () => (await second.videos.get("b"))?.stalled?.problem.kind)
        .toBe("configuration");
      await second.videos.submit(filmOf("house"), { key: "house" });
      vault.isSealed = false;
      gateway.endAfter(1);
      await expect.poll(() => second.ends.told.length, { timeout: 20_000 }).toBe(3);
      expect((await second.videos.reconcile("a")).status).toBe("succeeded");
      expect(gateway.foreignReads).toEqual([]);
      expect(gateway.creates.map(({ prompt, apiKey }) => [prompt, apiKey])).toEqual([
        ["a", "secret-of-a"],
        ["b", "secret-of-b"],
        ["house", "house-key"],
      ]);
      await second.app.close();
      const files = await Promise.all(
        (await readdir(directory)).map((name) => readFile(join(directory, name), "utf8").catch(() => "")),
      );
      for (const text of [...files, ...lines]) expect(text).not.toContain("secret-of");
      expect(files.join()).toContain('"key":"a"');
      expect(vault.asked.length).toBeGreaterThan(4);
    },
  );

  it("reads files with it, and finds what was lost", async () => {
    const gateway = await useCappedGateway({ pollsToEnd: 1 });
    const { apiKeyFor } = useVault();
    const directory = await useFolder();
    gateway.answerWith(({ prompt }) =>
      prompt === "lost"
        ? (response, take) => response.destroy(take() ? undefined : new Error("never"))
        : undefined,
    );
    const keep = { store: new FolderFileStore({ directory }) };
    const { videos, ends } = await boot(gateway, { maxOpen: 2, apiKeyFor, keep });
    await videos.submit(filmOf("a"), { key: "a", tenant: "a" });
    await videos.submit(filmOf("lost"), { key: "lost", tenant: "b" });
    await expect.poll(async () => (await videos.get("lost"))?.status).toBe("unknown");
    await videos.reconcile("lost", { taskId: gateway.idOf("lost") ?? "" });
    await expect.poll(() => ends.told.filter(({ status }) => status === "succeeded").length).toBe(2);
    for (const key of ["a", "lost"]) {
      const [file] = (await videos.get(key))?.files ?? [];
      expect(await readFile(join(directory, file?.key ?? ""), "utf8")).toBe(gateway.idOf(key));
    }
    expect(gateway.foreignReads).toEqual([]);
  });

  it.each([undefined, 7])("is no key when it is %s: nothing is sent", async (key) => {
    const gateway = await useCappedGateway();
    const { videos } = await boot(gateway, { apiKeyFor: () => key as never });
    await expect(videos.submit(filmOf("a"), { key: "a", tenant: "a" })).rejects.toMatchObject({
      kind: "configuration",
    });
    expect((await videos.get("a"))?.status).toBe("rejected");
    expect(gateway.creates).toEqual([]);
  });

  it("lets a tenant whose key cannot be had wait, and nobody else", async () => {
    const gateway = await useCappedGateway({ pollsToEnd: 1 });
    const { vault, apiKeyFor } = useVault();
    vault.isSealed = true;
    const { videos, ends } = await boot(gateway, {
      maxOpen: 1,
      apiKeyFor: (tenant) => (tenant === "a" ? apiKeyFor(tenant) : `secret-of-${tenant}`),
    });
    await videos.submit(filmOf("a"), { key: "a", tenant: "a" });
    await videos.submit(filmOf("b"), { key: "b", tenant: "b" });
    await expect.poll(() => ends.told).toEqual([{ key: "b", status: "succeeded" }]);
    await expect.poll(() => videos.troubles()).toContainEqual(expect.stringContaining("configuration"));
    expect((await videos.get("a"))?.waiting?.problem?.message).not.toContain("secret");
    vault.isSealed = false;
    await expect.poll(() => ends.told.length, { timeout: 20_000 }).toBe(2);
    expect(gateway.creates).toHaveLength(2);
  });

  it("rejects a submission without a queue when there is no key, with the key of the submission free again", async () => {
    const gateway = await useCappedGateway();
    const { vault, apiKeyFor } = useVault();
    vault.isSealed = true;
    const { videos } = await boot(gateway, { apiKeyFor });
    const submit = () => videos.submit(filmOf("a"), { key: "a", tenant: "a" });
    await expect(submit()).rejects.toMatchObject({ kind: "configuration" });
    expect((await videos.get("a"))?.status).toBe("rejected");
    vault.isSealed = false;
    await expect(submit()).resolves.toEqual({ key: "a" });
    expect(gateway.creates).toHaveLength(1);
  });
});
