import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { JournalVideoTaskStore, ModelGatewayModule, VideosService } from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { filmOf, useCappedGateway } from "../capped-gateway.js";
import { compileChild, startChild } from "../child.js";
import type { OutboxArgument, OutboxDeath } from "../children/outbox-application.js";
import { type Postgres, usePostgres } from "../use-postgres.js";
import { orderVideo, VideoRelay, videoOutbox } from "./video-outbox.js";

const GUIDE = new URL("../../docs/outbox.md", import.meta.url);
const RECIPE = new URL("video-outbox.ts", import.meta.url);

let program: Awaited<ReturnType<typeof compileChild>>;
let server: Postgres;
let pool: Pool;
beforeAll(async () => {
  program = await compileChild("outbox-application");
  server = await usePostgres();
  pool = new Pool({ connectionString: server.url });
  // The server ends first.
  pool.on("error", () => undefined);
});
afterAll(async () => {
  await pool.end();
  await server.stop();
  await program.remove();
});
beforeEach(async () => {
  const [, sql = ""] = /```sql\n([\s\S]*?)```/.exec(await readFile(GUIDE, "utf8")) ?? [];
  await pool.query("drop table if exists video_outbox, orders");
  await pool.query(sql);
  await pool.query("create table orders (key text primary key)");
});

async function useShop() {
  const gateway = await useCappedGateway({ pollsToEnd: 1 });
  const directory = await mkdtemp(join(tmpdir(), "outbox-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const db = drizzle({ client: pool });
  const boot = async () => {
    const videos = {
      ...{ maxOpen: 8, intervalMs: 5, ratePerSecond: 1_000 },
      store: new JournalVideoTaskStore({ directory }),
    };
    const { app } = await bootApp([ModelGatewayModule.forRoot({ ...gateway.connection, videos })], {
      providers: [VideoRelay, { provide: "DATABASE", useValue: db }],
    });
    return { relay: app.get(VideoRelay), videos: app.get(VideosService) };
  };
  const order = (key: string) =>
    db.transaction(async (tx) => {
      await tx.execute(`insert into orders values ('${key}')`);
      await orderVideo(tx, { key, tenant: "acme", body: filmOf(key) });
    });
  /** Runs a process that dies by itself. */
  const run = async (key: string, death: OutboxDeath) => {
    const argument: OutboxArgument = { ...gateway.connection, database: server.url, directory, key, death };
    expect(await startChild(program.file, argument).exit).toBe("SIGKILL");
  };
  const open = async () =>
    (await db.select().from(videoOutbox)).filter(({ submittedAt }) => submittedAt === null);
  const created = () => gateway.creates.map(({ prompt }) => prompt).sort();
  return { gateway, boot, order, run, open, created, db };
}

describe("the outbox of the guide", () => {
  it("is the code that these tests run", async () => {
    const guide = await readFile(GUIDE, "utf8");
    const recipe = await readFile(RECIPE, "utf8");
    expect(guide).toContain(`\`\`\`ts\n${recipe}\`\`\``);
  });

  it("submits what was committed, and nothing of a transaction that was rolled back", async () => {
    const { boot, order, open, created } = await useShop();
    const { videos } = await boot();
    await order("one");
    // The second order fails after its video was put into the outbox.
    await expect(order("one")).rejects.toThrow();
    await order("two");
    await expect.poll(open).toEqual([]);
    await expect.poll(() => videos.list({ tenant: "acme", finished: true })).toHaveLength(2);
    expect(created()).toEqual(["one", "two"]);
  });

  it("submits once what was committed by a process that died right after, and nothing of one that died before", async () => {
    const { boot, run, open, created } = await useShop();
    await run("lost", "before the commit");
    await run("kept", "after the commit");
    expect((await open()).map(({ key }) => key)).toEqual(["kept"]);
    const { videos } = await boot();
    await expect.poll(async () => (await videos.get("kept"))?.status).toBe("succeeded");
    await expect.poll(open).toEqual([]);
    expect(created()).toEqual(["kept"]);
  });

  it("submits once what a relay submitted that died before it could commit", async () => {
    const { boot, order, run, open, created } = await useShop();
    await order("one");
    await run("one", "after the submission");
    expect(await open()).toHaveLength(1);
    const { videos } = await boot();
    await expect.poll(open).toEqual([]);
    await expect.poll(async () => (await videos.get("one"))?.status).toBe("succeeded");
    expect(created()).toEqual(["one"]);
  });

  it("is emptied by several relays at once, each order once, and says what can never be submitted", async () => {
    const { boot, order, open, created, db } = await useShop();
    const { relay } = await boot();
    const keys = Array.from({ length: 60 }, (_, index) => `order-${index}`);
    await Promise.all(keys.map(order));
    await db.insert(videoOutbox).values({ key: "bad", tenant: "acme", body: { model: "m", content: [] } });
    await Promise.all([1, 2, 3, 4].map(() => relay.relay()));
    await expect.poll(open).toEqual([]);
    await expect.poll(created, { timeout: 20_000 }).toEqual([...keys].sort());
    const problems = (await db.select().from(videoOutbox)).filter(({ problem }) => problem !== null);
    expect(problems).toMatchObject([{ key: "bad", problem: expect.stringContaining("content") }]);
  });
});
