import { describe, expect, it } from "vitest";
import { VirtualClock } from "./virtual-clock.js";

describe("the clock", () => {
  it("runs what became due in order, each at its own time, before advance resolves", async () => {
    const clock = new VirtualClock();
    const start = clock.now();
    const seen: [name: string, after: number][] = [];
    const note = (name: string) => () => {
      seen.push([name, Math.round((clock.now() - start) / 1_000)]);
    };
    clock.schedule(start + 20_000, note("second"));
    clock.schedule(start + 10_000, async () => {
      await Promise.resolve();
      note("first")();
      clock.schedule(start + 15_000, note("between"));
    });
    clock.schedule(start + 90_000, note("later"));

    await clock.advance(60_000);

    expect(seen).toEqual([
      ["first", 10],
      ["between", 15],
      ["second", 20],
    ]);
    expect(Math.round((clock.now() - start) / 1_000)).toBe(60);
  });

  it("runs nothing that was cancelled", async () => {
    const clock = new VirtualClock();
    let ran = false;
    const cancel = clock.schedule(clock.now() + 1_000, () => {
      ran = true;
    });
    cancel();
    await clock.advance(5_000);
    expect(ran).toBe(false);
  });

  it("can be set to a point in time, also in the past", async () => {
    const clock = new VirtualClock();
    await clock.set(Date.UTC(2001, 0, 1));
    expect(new Date(clock.now()).getUTCFullYear()).toBe(2001);
    await expect(clock.advance(-1)).rejects.toThrow("Use clock.set to go back");
    await expect(clock.set(Number.NaN)).rejects.toThrow("milliseconds since the epoch");
  });

  it("takes moves that overlap one after the other", async () => {
    const clock = new VirtualClock();
    const start = clock.now();
    await Promise.all([clock.advance(10_000), clock.advance(10_000), clock.advance(10_000)]);
    expect(Math.round((clock.now() - start) / 1_000)).toBe(30);
  });
});
