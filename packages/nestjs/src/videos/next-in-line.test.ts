import { describe, expect, it } from "vitest";
import { type LineRules, nextInLine } from "./next-in-line.js";
import type { WaitingVideo } from "./video-task-store.js";

let submitted = 0;

function waiting(key: string, more: Partial<WaitingVideo["waiting"]> = {}): WaitingVideo {
  const wait = { since: 0, priority: 0, attempts: 0, ...more };
  // The tenant is what the key begins with.
  return { key, tenant: key.slice(0, 1), createdAt: ++submitted, waiting: wait };
}

const RULES: LineRules = { limits: {}, lastTurns: new Map(), now: 1_000, isHeld: () => false };
const line = (keys: WaitingVideo[], open: string[] = []) => ({ waiting: keys, open });

describe("whose turn it is", () => {
  it("is nobody's without a place, or without anybody who waits", () => {
    const limits = { maxOpen: 2 };
    expect(nextInLine(line([waiting("a1")], ["x", "y"]), { ...RULES, limits })).toBeUndefined();
    expect(nextInLine(line([waiting("a1")], ["x"]), { ...RULES, limits })?.key).toBe("a1");
    expect(nextInLine(line([]), RULES)).toBeUndefined();
  });

  it("is that of the tenant who has not had one for the longest time, or never", () => {
    const all = [waiting("a1"), waiting("b1"), waiting("c1")];
    const lastTurns = new Map([
      ["a", 3],
      ["b", 1],
      ["c", 2],
    ]);
    expect(nextInLine(line(all), { ...RULES, lastTurns })?.key).toBe("b1");
    lastTurns.delete("c");
    expect(nextInLine(line(all), { ...RULES, lastTurns })?.key).toBe("c1");
    expect(nextInLine(line(all), RULES)?.key).toBe("a1");
  });

  it("passes over a tenant who has all it may have, one that is held, and what was turned away until its time", () => {
    const all = [waiting("a1"), waiting("b1"), waiting("c1", { nextAttemptAt: 1_001 }), waiting("d1")];
    const rules = {
      ...RULES,
      limits: { perTenant: 1 },
      isHeld: (tenant: string | undefined) => tenant === "b",
    };
    expect(nextInLine(line(all, ["a"]), rules)?.key).toBe("d1");
    expect(nextInLine(line(all, ["a", "d"]), rules)).toBeUndefined();
    expect(nextInLine(line(all, ["a", "d"]), { ...rules, now: 1_001 })?.key).toBe("c1");
  });

  it("is within a tenant that of the highest priority, and of equals that of the first", () => {
    const all = [waiting("a1"), waiting("a2", { priority: 7 }), waiting("a3", { priority: 7 })];
    expect(nextInLine(line(all), RULES)?.key).toBe("a2");
    // It reaches over to no other tenant.
    expect(nextInLine(line([waiting("b0"), ...all]), { ...RULES, lastTurns: new Map([["a", 1]]) })?.key).toBe(
      "b0",
    );
  });
});
