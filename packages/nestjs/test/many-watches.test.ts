import { ModelGateway } from "@model-gateway/core";
import { expect, it } from "vitest";
import { MemoryVideoTaskStore, ModelGatewayModule, VideosService } from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { useEmulator, VIDEO } from "./use-emulator.js";

const TASKS = 10_000;
const WATCHERS = 3;
/** So much work takes as long as the machine needs. */
const PATIENT = { timeout: 200_000 };
const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };

it("10,000 tasks, all watched, are polled at the rate that was set, and each change reaches its watchers", async () => {
  const { emulator, connection } = await useEmulator();
  const store = new MemoryVideoTaskStore();
  await leaveBehind(store, new ModelGateway({ ...connection, fetch: emulator.fetch }));
  const ratePerSecond = 300;
  const videos = { intervalMs: 5, ratePerSecond, store };
  // Counted as they are sent: on a busy machine many are on their way.
  let sent = 0;
  const counting: typeof globalThis.fetch = (input, init) => {
    sent++;
    return fetch(input, init);
  };
  const { app } = await bootApp([ModelGatewayModule.forRoot({ ...connection, fetch: counting, videos })]);
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
  await expect.poll(() => told, PATIENT).toBe(WATCHERS * TASKS);

  await expect.poll(() => sent, PATIENT).toBeGreaterThan(0);
  const startedAt = performance.now();
  const before = sent;
  await expect.poll(() => sent - before, { ...PATIENT, interval: 10 }).toBeGreaterThan(600);
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(sent - before).toBeLessThanOrEqual(ratePerSecond * (seconds + 0.2));

  for (const { id } of emulator.videos.list().filter((_task, index) => index % 20 === 0)) {
    await emulator.videos.succeed(id);
  }
  await expect.poll(() => ends.size, PATIENT).toBeGreaterThan(10);
  for (const watchers of ends.values()) expect(watchers).toBe(WATCHERS);
}, 900_000);

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
