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
import { startEmbeddingServer, vectorOf } from "../../test/embedding-server.js";
import { gatewayFor } from "../../test/gateways.js";
import { embeddingCacheContract } from "../testing/embedding-cache-contract.js";
import { RedisEmbeddingCache } from "./redis-embedding-cache.js";

const key = "0".repeat(64);

describe.skipIf(!hasRedis)("vectors in Redis", () => {
  let server: Server;
  beforeAll(async () => {
    server = await useRedis();
  });
  afterAll(() => server.stop());

  describe("as in every cache", () => {
    const prefix = randomUUID();
    const contract = embeddingCacheContract(
      () => new RedisEmbeddingCache({ connection: server.url, prefix }),
      (cache) => cache.close(),
    );
    for (const { title, run } of contract) it(title, run);
  });

  it("are shared by all under a prefix, over a client of one's own, which stays open", async () => {
    const prefix = randomUUID();
    const client = new Redis(server.url);
    onTestFinished(() => client.disconnect());
    const own = new RedisEmbeddingCache({ connection: client, prefix, ttlMs: 600_000 });
    const other = new RedisEmbeddingCache({ connection: server.url, prefix });
    onTestFinished(() => other.close());
    await own.setMany([[key, Float32Array.of(1, 2)]]);
    expect((await other.getMany([key]))[0]).toEqual(Float32Array.of(1, 2));
    expect(await client.pttl(`${prefix}:${key}`)).toBeGreaterThan(0);
    await other.setMany([[key, Float32Array.of(3)]]);
    expect(await client.pttl(`${prefix}:${key}`)).toBe(-1);
    expect(await client.strlen(`${prefix}:${key}`)).toBe(8);
    await own.close();
    expect(await client.ping()).toBe("PONG");
  });

  it("are no vectors when others have written there", async () => {
    const prefix = randomUUID();
    const client = new Redis(server.url);
    const cache = new RedisEmbeddingCache({ connection: client, prefix });
    onTestFinished(() => client.disconnect());
    await client.set(`${prefix}:${key}`, "[1,2,3]");
    expect((await cache.getMany([key]))[0]).toBeUndefined();
  });
});

describe.skipIf(!hasRedisServer)("a Redis that goes away", () => {
  it("hurts no call, and is used again when it is back", async () => {
    const redis = await RedisServer.start();
    onTestFinished(() => redis.stop());
    const cache = new RedisEmbeddingCache({ connection: redis.url });
    onTestFinished(() => cache.close());
    const server = await startEmbeddingServer();
    const gateway = gatewayFor(server.url, { logLevel: "off" });
    const embed = (text: string) => gateway.embeddings.create({ model: "m", input: text }, { cache });
    await embed("a");
    await redis.kill();
    const { data, cached } = await embed("b");
    expect([data[0]?.embedding, cached]).toEqual([vectorOf("b").map(Math.fround), 0]);
    await redis.startAgain();
    // How long the client takes to notice is its own matter.
    for (let again = await embed("c"); again.cached === 0; again = await embed("c"));
    expect((await embed("c")).cached).toBe(1);
  });
});
