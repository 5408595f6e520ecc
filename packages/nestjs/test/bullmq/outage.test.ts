import { Client } from "pg";
import { lastValueFrom } from "rxjs";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { backends } from "../../src/bullmq/backends.js";
import { BullMqVideoTaskStore, type BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import { ModelGatewayModule, VideosService } from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { useEmulator, VIDEO } from "../use-emulator.js";
import { usePostgres } from "../use-postgres.js";
import { hasRedisServer, RedisServer } from "../use-redis.js";

const POLLS = { intervalMs: 20, ratePerSecond: 200 };
const FAILED = /The store of video tasks \(queue model-gateway-videos\) failed/;

async function boot(options: BullMqVideoTaskStoreOptions) {
  const { emulator, connection } = await useEmulator();
  const store = new BullMqVideoTaskStore({ ...options, lockDurationMs: 1_000 });
  const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...POLLS, store } });
  const { app } = await bootApp([module]);
  const paid = () => emulator.journal.list({ method: "POST" }).length;
  return { app, store, emulator, paid, videos: app.get(VideosService) };
}

// A server of our own also where REDIS_URL names one: that one is not ours to kill.
describe.skipIf(!hasRedisServer)("when Redis goes away", () => {
  let server: RedisServer;
  beforeEach(async () => {
    server = await RedisServer.start();
  });
  afterEach(() => server.stop());
  const onRedis = () => ({ connection: { host: "127.0.0.1", port: server.port, commandTimeout: 300 } });

  it("a submission fails before it is paid for, with the server gone or silent, and works again after", async () => {
    const { videos, paid, emulator, store } = await boot(onRedis());
    const { key } = await videos.submit(VIDEO);
    server.halt();
    await expect(videos.submit(VIDEO)).rejects.toThrow(FAILED);
    expect(await store.troubles()).toEqual([expect.stringMatching(FAILED)]);
    server.goOn();
    await videos.submit(VIDEO);

    await server.kill();
    await expect(videos.submit(VIDEO)).rejects.toThrow(FAILED);
    expect(paid()).toBe(2);
    await server.startAgain();
    await expect.poll(() => store.troubles()).toEqual([]);
    await videos.submit(VIDEO);
    expect(paid()).toBe(3);

    // The one from before is polled on, and told of.
    const watched = lastValueFrom(videos.watch$(key));
    for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
    expect((await watched).status).toBe("succeeded");
  });

  it("an application closes all the same", async () => {
    const gone = await boot(onRedis());
    await gone.videos.submit(VIDEO);
    const silent = await boot(onRedis());
    server.halt();
    await silent.app.close();
    server.goOn();
    await server.kill();
    await gone.app.close();
  });

  it("an application that starts without it fails, and says why", async () => {
    await server.kill();
    await expect(boot(onRedis())).rejects.toThrow(/ECONNREFUSED/);
  });
});

const { postgres: backend } = backends;
// BullMQ 5 has no such backend: there is nothing to leave out.
describe.each(backend === undefined ? [] : ["PostgreSQL"])("when %s goes away", () => {
  it("a submission fails before it is paid for, and works again after", async () => {
    const server = await usePostgres();
    onTestFinished(() => server.stop());
    const { videos, paid, emulator, store } = await boot({
      connection: { connectionString: server.url, migrate: true },
      ...(backend && { backend }),
    });
    const { key } = await videos.submit(VIDEO);
    await server.shutDown();
    await expect(videos.submit(VIDEO)).rejects.toThrow(FAILED);
    expect(await store.troubles()).toContainEqual(expect.stringMatching(FAILED));
    expect(paid()).toBe(1);
    await server.startAgain();
    await videos.submit(VIDEO);
    expect(paid()).toBe(2);
    const watched = lastValueFrom(videos.watch$(key));
    for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
    expect((await watched).status).toBe("succeeded");
  });

  it("an application that gets some of its connections and not all fails to start, and says why", async () => {
    const server = await usePostgres();
    onTestFinished(() => server.stop());
    const administrator = new Client({ connectionString: server.url });
    await administrator.connect();
    await administrator.query("CREATE ROLE limited LOGIN PASSWORD 'password' CONNECTION LIMIT 2");
    await administrator.query("GRANT ALL ON DATABASE postgres TO limited");
    await administrator.end();
    const connectionString = server.url.replace("postgres:password", "limited:password");
    await expect(
      boot({ connection: { connectionString, migrate: true, max: 1 }, ...(backend && { backend }) }),
    ).rejects.toThrow(/too many connections/);
  });
});
