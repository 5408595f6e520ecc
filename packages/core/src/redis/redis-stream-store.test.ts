import { randomUUID } from "node:crypto";
import {
  hasRedis,
  hasRedisServer,
  RedisServer,
  type Redis as Server,
  useRedis,
} from "@model-gateway/test-servers";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { StreamStoreFullError } from "../resumable/stream-store-full-error.js";
import { streamStoreContract } from "../testing/stream-store-contract.js";
import { RedisStreamStore } from "./redis-stream-store.js";

const NEVER_MS = 600_000;

describe.skipIf(!hasRedis)("streams in Redis", () => {
  let server: Server;
  beforeAll(async () => {
    server = await useRedis();
  });
  afterAll(() => server.stop());

  describe("as in every store", () => {
    const createStore = () => new RedisStreamStore({ connection: server.url, prefix: randomUUID() });
    for (const { title, run } of streamStoreContract(createStore)) it(title, run);
  });

  it("are one for all that share a prefix, over a client of one's own, which stays open", async () => {
    const prefix = randomUUID();
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const [one, other] = [client, server.url].map(
      (connection) => new RedisStreamStore({ connection, prefix }),
    );
    await one?.open();
    await other?.open();
    await one?.begin("k", "a1", NEVER_MS);
    const events = Array.from({ length: 2_000 }, (_, index) => JSON.stringify({ index }));
    for (const [index, event] of events.entries()) await one?.append("k", "a1", index + 1, event);
    const read: string[] = [];
    for (let pages = 0; read.length < events.length && pages < 100; pages++)
      read.push(...((await other?.read("k", read.length, NEVER_MS))?.events ?? []));
    expect(read).toEqual(events);
    await one?.close();
    await other?.close();
    expect(await client.ping()).toBe("PONG");
  });

  it("say that they lost events, once Redis threw them away", async () => {
    const prefix = randomUUID();
    const store = new RedisStreamStore({ connection: server.url, prefix });
    const client = new Redis(server.url);
    await store.open();
    onTestFinished(async () => {
      client.disconnect();
      await store.close();
    });
    await store.begin("k", "a1", NEVER_MS);
    for (let number = 1; number <= 3; number++) await store.append("k", "a1", number, "1");
    const [events = ""] = (await client.keys(`${prefix}:*`)).filter((key) => key.endsWith(":events"));
    await client.xdel(events, "2-0");
    expect(await store.read("k", 2, NEVER_MS)).toMatchObject({ events: ["1"] });
    const lost = { run: "a1", events: [], count: 0, end: { outcome: "lost" } };
    expect(await store.read("k", 1, NEVER_MS)).toEqual(lost);
    expect(await store.read("k", 0, NEVER_MS)).toEqual(lost);
    expect(await store.append("k", "a1", 4, "4")).toBe(false);
    expect((await store.renew("k", "a1", NEVER_MS)).held).toBe(false);
  });

  it("leave nothing behind that does not expire", async () => {
    const prefix = randomUUID();
    const store = new RedisStreamStore({ connection: server.url, prefix });
    const client = new Redis(server.url);
    await store.open();
    onTestFinished(async () => {
      client.disconnect();
      await store.close();
    });
    const expiries = async () => {
      const keys = await client.keys(`${prefix}:*`);
      return Promise.all(keys.map((key) => client.pttl(key)));
    };
    await store.begin("k", "a1", NEVER_MS);
    await store.append("k", "a1", 1, "1");
    expect(await expiries()).toHaveLength(2);
    for (const expiry of await expiries()) expect(expiry).toBeGreaterThan(NEVER_MS);
    await store.finish("k", "a1", { outcome: "complete" }, 1_000);
    for (const expiry of await expiries()) {
      expect(expiry).toBeGreaterThan(-2);
      expect(expiry).not.toBe(-1);
      expect(expiry).toBeLessThanOrEqual(1_000);
    }
  });
});

describe.skipIf(!hasRedisServer)("a Redis on a bad day", () => {
  it("that has no memory left refuses new streams and events, and gives readers what there is", async () => {
    const server = await RedisServer.start({ "maxmemory-policy": "noeviction" });
    onTestFinished(() => server.stop());
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const store = new RedisStreamStore({ connection: server.url });
    await store.open();
    onTestFinished(() => store.close());
    await store.begin("k", "a1", NEVER_MS);
    await store.append("k", "a1", 1, "1");
    await client.config("SET", "maxmemory", "1mb");
    await expect(store.append("k", "a1", 2, "2")).rejects.toThrow(StreamStoreFullError);
    await expect(store.begin("other", "b2", NEVER_MS)).rejects.toThrow(StreamStoreFullError);
    expect(await store.read("k", 0, NEVER_MS)).toEqual({ run: "a1", count: 1, events: ["1"] });
    expect((await store.renew("k", "a1", NEVER_MS)).held).toBe(true);
  });

  it("that cannot be reached fails to open, and leaves nothing running", async () => {
    const server = await RedisServer.start();
    await server.stop();
    const store = new RedisStreamStore({ connection: server.url });
    await expect(store.open()).rejects.toThrow(/ECONNREFUSED|closed/);
    await expect(store.read("k", 0, NEVER_MS)).rejects.toThrow("not open");
  });
});
