import { describe, expect, it } from "vitest";
import { BullMqVideoTaskStore } from "../../src/bullmq.js";
import { ModelGatewayModule, VideosService } from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { useEmulator, VIDEO } from "../use-emulator.js";
import { describeEachBackend } from "./describe-each-backend.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };
const KEYS = Array.from({ length: 20 }, (_, index) => `order-${index}`);
const POLLS = { intervalMs: 20, ratePerSecond: 200, backoff: { firstMs: 10, maxMs: 40, refusedMs: 40 } };

describe("tasks that cannot be read, on BullMQ", () => {
  describeEachBackend((freshQueue) => {
    it("stay, over a restart too, are polled on by whoever is there, and end when the key is good again", async () => {
      const { emulator, connection } = await useEmulator();
      const options = freshQueue();
      const boot = async () => {
        const store = new BullMqVideoTaskStore({ ...options, lockDurationMs: 1_000 });
        const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...POLLS, store } });
        const { app } = await bootApp([module]);
        return { app, videos: app.get(VideosService) };
      };
      const first = await boot();
      await Promise.all(KEYS.map((key) => first.videos.submit(STUCK, { key })));
      emulator.keys.update(connection.apiKey, { disabled: true });
      await expect
        .poll(() => first.videos.troubles())
        .toContainEqual(
          expect.stringMatching(/^\d+ video tasks cannot be read, the first since 2.*authentication/),
        );
      const seen: Array<boolean> = [];
      const watch = first.videos
        .watch$(KEYS[0] ?? "")
        .subscribe(({ stalled }) => seen.push(stalled !== undefined));
      await expect
        .poll(async () => (await first.videos.list({ stalled: true })).length, { timeout: 30_000 })
        .toBeGreaterThan(4);
      expect(await first.videos.list({ status: "unknown" })).toEqual([]);
      await first.app.close();
      watch.unsubscribe();

      const second = await boot();
      const stalled = await second.videos.list({ stalled: true });
      expect(stalled.length).toBeGreaterThan(4);
      const [one] = stalled;
      const resumed = new Promise<void>((resolve) => {
        second.videos.watch$(one?.key ?? "").subscribe((record) => {
          if (record.stalled === undefined) resolve();
        });
      });
      emulator.keys.update(connection.apiKey, { disabled: false });
      await resumed;
      for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
      await expect
        .poll(async () => (await second.videos.list({ status: "succeeded" })).length)
        .toBe(KEYS.length);
      expect(await second.videos.troubles()).toEqual([]);
      expect(emulator.videos.list()).toHaveLength(KEYS.length);
    });
  });
});
