import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { useCappedGateway } from "./capped-gateway.js";
import { compileChild, startChild } from "./child.js";
import type { QueueArgument, QueueFinding, QueueMessage } from "./children/queue-application.js";

let program: Awaited<ReturnType<typeof compileChild>>;
beforeAll(async () => {
  program = await compileChild("queue-application");
});
afterAll(() => program.remove());

const MAX_OPEN = 8;
const KEYS = Array.from({ length: 64 }, (_, index) => `${index % 4 === 0 ? "b" : "a"}-${index}`);

async function useQueue() {
  const gateway = await useCappedGateway();
  const directory = await mkdtemp(join(tmpdir(), "killed-queue-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  /** Found not to have been paid for. */
  const freed = new Set<string>();
  const start = (keys: string[]) => {
    const argument: QueueArgument = { ...gateway.connection, directory, maxOpen: MAX_OPEN, keys };
    const child = startChild(program.file, argument);
    const unknown: string[] = [];
    const submitted = (async () => {
      for (let told = await child.next(); told !== undefined; told = await child.next()) {
        const message = told as QueueMessage;
        if (message.told === "submitted") return;
        unknown.push(message.key);
      }
    })();
    /** Answers for each submission of unknown outcome what the gateway knows of it, as an operator does. */
    const reconcile = async () => {
      await submitted;
      const find = (key: string) => {
        const taskId = gateway.idOf(key);
        if (taskId === undefined) freed.add(key);
        const finding: QueueFinding = taskId === undefined ? { key } : { key, taskId };
        child.send(finding);
      };
      for (const key of unknown) find(key);
      for (let told = await child.next(); told !== undefined; told = await child.next()) {
        const message = told as QueueMessage;
        if (message.told === "unknown") find(message.key);
      }
    };
    const kill = async () => {
      child.process.kill("SIGKILL");
      expect(await child.exit).toBe("SIGKILL");
    };
    return { submitted, unknown, reconcile, kill };
  };
  return { gateway, start, freed };
}

describe("a process that is killed while submissions wait", () => {
  it("has them sent by the next one, each once, and never more open than may be", async () => {
    const { gateway, start } = await useQueue();
    const first = start(KEYS);
    await first.submitted;
    await expect.poll(() => gateway.taken().length, { timeout: 60_000 }).toBe(MAX_OPEN);
    // All that were sent are written down: the polls ask for each of them.
    await expect.poll(() => gateway.polled.size, { timeout: 60_000 }).toBe(MAX_OPEN);
    await first.kill();
    expect(gateway.creates).toHaveLength(MAX_OPEN);
    const second = start([]);
    await second.submitted;
    gateway.endAfter(2);
    await expect.poll(() => gateway.ended(), { timeout: 60_000 }).toBe(KEYS.length);
    expect(gateway.mostOpen()).toBe(MAX_OPEN);
    expect(gateway.creates.map(({ prompt }) => prompt).sort()).toEqual([...KEYS].sort());
    expect(second.unknown).toEqual([]);
    await second.kill();
  });

  it("loses none and pays for none twice when it is killed over and over, whatever it is doing", async () => {
    const { gateway, start, freed } = await useQueue();
    gateway.endAfter(3);
    const first = start(KEYS);
    await first.submitted;
    await first.kill();
    for (const killAt of [10, 17, 31, 46]) {
      const next = start([]);
      void next.reconcile();
      await expect
        .poll(() => gateway.taken().length, { timeout: 60_000, interval: 1 })
        .toBeGreaterThan(killAt);
      await next.kill();
    }
    const last = start([]);
    void last.reconcile();
    // What was being sent and did not arrive, somebody has to submit again: nothing here can know that.
    await expect.poll(() => gateway.ended() + freed.size, { timeout: 60_000 }).toBe(KEYS.length);
    expect(gateway.open()).toBe(0);
    const created = gateway.creates.map(({ prompt }) => prompt);
    expect([...created, ...freed].sort()).toEqual([...KEYS].sort());
    expect(gateway.mostOpen()).toBeLessThanOrEqual(MAX_OPEN);
    await last.kill();
  });
});
