import { Logger } from "@nestjs/common";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { BullMqVideoTaskStore } from "../../src/bullmq.js";
import { ModelGatewayModule, VideoLostError, VideosService } from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { useEmulator, VIDEO } from "../use-emulator.js";
import { hasRedisServer, RedisServer } from "../use-redis.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };

function record(level: "warn" | "error") {
  const logged = vi.spyOn(Logger.prototype, level).mockReturnValue(undefined);
  onTestFinished(() => logged.mockRestore());
  return () => logged.mock.calls.map(([message]) => String(message));
}

async function bootOn(server: RedisServer) {
  const { emulator, connection } = await useEmulator();
  const store = new BullMqVideoTaskStore({ connection: server.url, lockDurationMs: 1_000 });
  const polls = { intervalMs: 20, ratePerSecond: 100 };
  const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...polls, store } });
  const { app } = await bootApp([module]);
  return { emulator, videos: app.get(VideosService) };
}

// Servers of our own also where REDIS_URL names one: that one is not ours to empty.
describe.skipIf(!hasRedisServer)("a Redis that forgets", () => {
  let server: RedisServer;
  beforeEach(async () => {
    server = await RedisServer.start({ appendonly: "no" });
  });
  afterEach(() => server.stop());

  it.each<{ how: string; forget: () => Promise<unknown> }>([
    {
      how: "is told to (FLUSHALL)",
      forget: async () => {
        const client = new Redis(server.url);
        await client.flushall();
        client.disconnect();
      },
    },
    {
      how: "dies and comes back empty",
      forget: async () => {
        await server.kill();
        await server.startAgain();
      },
    },
  ])("because it $how ends the watches with an error that says so, and tells", async ({ forget }) => {
    const errors = record("error");
    record("warn");
    const { emulator, videos } = await bootOn(server);
    const { key } = await videos.submit(STUCK);
    const id = emulator.videos.list()[0]?.id ?? "?";
    const ended = new Promise<unknown>((resolve) => {
      videos.watch$(key).subscribe({ error: resolve, complete: () => resolve("completed") });
    });
    await expect.poll(async () => (await videos.get(key))?.task?.rawStatus).toBeDefined();
    await forget();
    const error = await ended;
    expect(error).toBeInstanceOf(VideoLostError);
    expect(error).toMatchObject({ key, handle: { id } });
    expect(await videos.troubles()).toContainEqual(
      expect.stringMatching(/emptied.*1 open tasks .*usage records/),
    );
    expect(errors().filter((line) => line.includes(`${key} (${id})`))).toHaveLength(1);
    // What comes now is kept and polled as before.
    const next = await videos.submit(VIDEO);
    await emulator.videos.succeed((await videos.get(next.key))?.handle?.id ?? "");
    await expect.poll(async () => (await videos.get(next.key))?.status).toBe("succeeded");
  });

  it("is warned of at the start, by what its settings say", async () => {
    const warnings = record("warn");
    const careless = await RedisServer.start({ appendonly: "no", "maxmemory-policy": "allkeys-lru" });
    onTestFinished(() => careless.stop());
    await bootOn(careless);
    expect(warnings()).toEqual([
      expect.stringMatching(/appendonly no.*video tasks that were paid for are lost/),
      expect.stringMatching(/maxmemory-policy allkeys-lru.*noeviction/),
    ]);
  });

  it("is not warned of where it keeps all", async () => {
    const warnings = record("warn");
    const careful = await RedisServer.start();
    onTestFinished(() => careful.stop());
    await bootOn(careful);
    expect(warnings()).toEqual([]);
  });
});
