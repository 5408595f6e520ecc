import { ModelGateway } from "@model-gateway/core";
import { expect, it } from "vitest";
import { MemoryVideoTaskStore, ModelGatewayModule, VideosService } from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { useEmulator, VIDEO } from "./use-emulator.js";

const TASKS = 10_000;
const WATCHERS = 3;
const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };

it("10,000 tasks, all watched, are polled at the rate that was set, and each change reaches its watchers", async () => {
  const { emulator, connection } = await useEmulator();
  const store = new MemoryVideoTaskStore();
  await leaveBehind(store, new ModelGateway({ ...connection, fetch: emulator.fetch }));
  const ratePerSecond = 300;
  const videos = { intervalMs: 5, ratePerSecond, store };
  const { app } = await bootApp([ModelGatewayModule.forRoot({ ...connection, videos })]);
  const service = app.get(VideosService);
  let told = 0;
  const ends = new Map<string, number>();
  for (const { key } of await store.list()) {
    for (let watcher = 0; watcher < WATCHERS; watcher++) {
      service.watch$(key).subscribe({
        next: () => told++,
        complete: () => ends.set(key, (ends.get(key) ?? 0) + 1),
      });
    }
  }
  await expect.poll(() => told).toBe(WATCHERS * TASKS);

  const polls = () => emulator.journal.list({ method: "GET" }).length;
  await expect.poll(polls).toBeGreaterThan(0);
  const startedAt = performance.now();
  emulator.journal.clear();
  await expect.poll(polls, { interval: 10 }).toBeGreaterThan(600);
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(polls()).toBeLessThanOrEqual(ratePerSecond * (seconds + 0.2));

  for (const { id } of emulator.videos.list().filter((_task, index) => index % 20 === 0)) {
    await emulator.videos.succeed(id);
  }
  await expect.poll(() => ends.size).toBeGreaterThan(10);
  for (const watchers of ends.values()) expect(watchers).toBe(WATCHERS);
});

/** Tasks of an earlier process. */
async function leaveBehind(store: MemoryVideoTaskStore, gateway: ModelGateway): Promise<void> {
  const submission = { family: "content" as const, body: STUCK };
  let next = 0;
  const workers = Array.from({ length: 50 }, async () => {
    while (next < TASKS) {
      const key = `order-${next++}`;
      await store.begin({ key, submission });
      await store.accept(key, await gateway.videos.create(STUCK));
    }
  });
  await Promise.all(workers);
}
