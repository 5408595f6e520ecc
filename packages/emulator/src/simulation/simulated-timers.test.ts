import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { inWorld } from "../testing/in-world.js";

const HOUR_MS = 3_600_000;

/** Runs what code outside the world does, which has none of its context: from a timer that was set before the world. */
function outside<T>(run: () => T): () => Promise<T> {
  let wanted = () => {};
  let told: (result: T) => void = () => {};
  const asked = new Promise<void>((resolve) => {
    wanted = resolve;
  });
  const result = new Promise<T>((resolve) => {
    told = resolve;
  });
  void asked.then(() => told(run()));
  return () => {
    wanted();
    return result;
  };
}

describe("timers of other code of the process", () => {
  it("go by its own clock, while a world is there, and are not left behind in it", async () => {
    const seen: string[] = [];
    const before = setInterval(() => seen.push("interval set before"), 1);
    onTestFinished(() => clearInterval(before));
    let set: NodeJS.Timeout[] = [];
    const setSome = outside(() => {
      set = [
        setTimeout(() => {}, HOUR_MS),
        timers.setTimeout(() => {}, HOUR_MS),
        setInterval(() => {}, HOUR_MS),
      ];
      void timersPromises.setTimeout(HOUR_MS, undefined, { ref: false });
      void timersPromises.scheduler.wait(HOUR_MS, { signal: AbortSignal.abort() }).catch(() => {});
      return AbortSignal.timeout(HOUR_MS);
    });
    const { virtualMs } = await inWorld(async (world) => {
      await setSome();
      await world.sleep(10 * HOUR_MS);
      expect(world.pending()).toEqual([]);
    });
    expect(virtualMs).toBe(10 * HOUR_MS);
    const RealTimeout = before.constructor;
    for (const timer of set) {
      expect(timer).toBeInstanceOf(RealTimeout);
      clearTimeout(timer);
    }
    expect((await setSome()).aborted).toBe(false);
    await vi.waitUntil(() => seen.length > 0);
  });

  it("are cleared by whoever wants, as are those of the world", async () => {
    const fired: string[] = [];
    const real = [setTimeout(() => fired.push("a"), 1), setInterval(() => fired.push("b"), 1)];
    const byNumber = setTimeout(() => fired.push("c"), 1);
    const timersOfWorld: NodeJS.Timeout[] = [];
    const clearThose = outside(() => {
      const [first, second, third] = timersOfWorld;
      clearTimeout(first);
      clearInterval(second);
      timers.clearTimeout(Number(third));
      clearTimeout(undefined);
    });
    await inWorld(async (world) => {
      for (const timer of real) clearTimeout(timer);
      clearInterval(Number(byNumber));
      timersOfWorld.push(
        setTimeout(() => fired.push("d"), 10),
        setInterval(() => fired.push("e"), 10),
      );
      timersOfWorld.push(timers.setTimeout(() => fired.push("f"), 10));
      await clearThose();
      await world.sleep(HOUR_MS);
    });
    const later = new Promise((resolve) => setTimeout(resolve, 20));
    await later;
    expect(fired).toEqual([]);
  });

  it("write to their own console, and have their own fetch", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    const speak = outside(() => console.log("from outside"));
    const reach = outside(() => fetch("http://127.0.0.1:1/").catch((error: Error) => error.message));
    await inWorld(async (world) => {
      console.log("from inside");
      await speak();
      expect(await await reach()).toBe("fetch failed");
      expect(world.log).toEqual(["from inside"]);
      expect(world.trace.lines.join("\n")).not.toContain("GET /");
    });
    expect(log.mock.calls).toEqual([["from outside"]]);
  });
});

describe("timers of a world", () => {
  it("are the world's by every name that the platform has for them", async () => {
    await inWorld(async () => {
      const from = Date.now();
      await promisify(setTimeout)(HOUR_MS);
      await promisify(timers.setTimeout)(HOUR_MS);
      await timersPromises.scheduler.wait(HOUR_MS);
      await new Promise<void>((resolve) => timers.setTimeout(resolve, HOUR_MS));
      expect(Date.now() - from).toBe(4 * HOUR_MS);
      const controller = new AbortController();
      const waiting = timersPromises.scheduler.wait(HOUR_MS, { signal: controller.signal });
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ name: "AbortError", code: "ABORT_ERR" });
    });
  });

  it("tick for whoever iterates, also those that came while nobody asked, until it is left or aborted", async () => {
    await inWorld(async (world) => {
      const from = Date.now();
      const seen: [string, number][] = [];
      for await (const value of timersPromises.setInterval(1_000, "tick")) {
        seen.push([value, Date.now() - from]);
        if (seen.length === 1) await world.sleep(2_500);
        if (seen.length === 4) break;
      }
      expect(seen).toEqual([1_000, 3_500, 3_500, 4_000].map((ms) => ["tick", ms]));
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 10_500);
      let count = 0;
      const counting = (async () => {
        const { signal } = controller;
        for await (const _ of timersPromises.setInterval(1_000, undefined, { signal })) count += 1;
      })();
      await expect(counting).rejects.toMatchObject({ name: "AbortError" });
      expect(count).toBe(10);
    });
  });
});
