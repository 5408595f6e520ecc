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
import type { Reservation } from "../budget.js";
import { RedisBudgetStore } from "../redis.js";
import { budgetStoreContract } from "../testing/budget-store-contract.js";

const DAY_MS = 86_400_000;

function reservation(amount: number, more: Partial<Reservation> = {}): Reservation {
  const now = Date.now();
  return {
    ...{ id: randomUUID(), account: "b/w/x", endsAt: now + DAY_MS, amount, state: "running", at: now },
    ...{ leaseUntil: now + DAY_MS, owner: "o", call: "chat.completions.create", ...more },
  };
}

describe.skipIf(!hasRedis)("a budget in Redis", () => {
  let server: Server;
  beforeAll(async () => {
    server = await useRedis();
  });
  afterAll(() => server.stop());

  describe("as in every store", () => {
    const prefix = randomUUID();
    const createStore = () => new RedisBudgetStore({ connection: server.url, prefix });
    for (const { title, run } of budgetStoreContract(createStore)) it(title, run);
  });

  it("lies in one slot of a cluster, and expires some time after its window", async () => {
    const prefix = randomUUID();
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const store = new RedisBudgetStore({ connection: client, prefix });
    await store.reserve(reservation(1), 10, true);
    await store.reserve(reservation(1, { account: "b/later/x", endsAt: Date.now() + 30 * DAY_MS }), 10, true);
    await store.reserve(reservation(1), 10, true);
    const keys = await client.keys(`${prefix}*`);
    expect(keys).toHaveLength(2);
    const slots = await Promise.all(keys.map(async (key) => /\{(.+)\}/.exec(key)?.[1]));
    expect(new Set(slots)).toEqual(new Set(["budgets"]));
    for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(59 * DAY_MS);
    await store.close();
    expect(await client.ping()).toBe("PONG");
  });

  it("does nothing twice when a command is sent again", async () => {
    const store = new RedisBudgetStore({ connection: server.url, prefix: randomUUID() });
    onTestFinished(() => store.close());
    const wanted = reservation(7.25);
    expect(await store.reserve(wanted, 10, true)).toMatchObject({ granted: true, reserved: 7.25 });
    expect(await store.reserve(wanted, 10, true)).toMatchObject({ granted: true, reserved: 7.25 });
    expect(await store.settle(wanted.id, 3)).toMatchObject({ spent: 3, reserved: 0, account: "b/w/x" });
    expect(await store.settle(wanted.id, 3)).toBeUndefined();
  });

  it("counts large amounts to the unit", async () => {
    const store = new RedisBudgetStore({ connection: server.url, prefix: randomUUID() });
    onTestFinished(() => store.close());
    const large = Number.MAX_SAFE_INTEGER - 1;
    expect(await store.reserve(reservation(large), large + 1, true)).toMatchObject({ reserved: large });
    expect(await store.reserve(reservation(2), large + 1, true)).toMatchObject({ granted: false });
    expect(await store.reserve(reservation(1), large + 1, true)).toMatchObject({ reserved: large + 1 });
  });
});

describe.skipIf(!hasRedisServer)("a budget in a Redis on a bad day", () => {
  it("rejects while Redis is away, and goes on when it is back", async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    const store = new RedisBudgetStore({ connection: server.url });
    onTestFinished(() => store.close());
    const wanted = reservation(5);
    await store.reserve(wanted, 10, true);
    await server.kill();
    await expect(store.reserve(reservation(5), 10, true)).rejects.toThrow();
    await server.startAgain();
    const look = async () => store.look("b/w/x").catch(() => undefined);
    while ((await look()) === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await store.look("b/w/x")).toEqual({ spent: 0, reserved: 5 });
    expect(await store.settle(wanted.id, 4)).toMatchObject({ spent: 4 });
  });

  it("takes nothing more where memory is full, and gives back what it has", async () => {
    const server = await RedisServer.start({ "maxmemory-policy": "noeviction" });
    onTestFinished(() => server.stop());
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const store = new RedisBudgetStore({ connection: server.url });
    onTestFinished(() => store.close());
    const wanted = reservation(5);
    await store.reserve(wanted, 10, true);
    await client.config("SET", "maxmemory", "1mb");
    await expect(store.reserve(reservation(5), 10, true)).rejects.toThrow(/OOM/);
    expect(await store.settle(wanted.id, 4)).toMatchObject({ spent: 4, reserved: 0 });
  });

  it("rejects where nobody listens", async () => {
    const server = await RedisServer.start();
    await server.stop();
    const store = new RedisBudgetStore({ connection: server.url });
    await expect(store.list()).rejects.toThrow();
    await store.close();
  });
});
