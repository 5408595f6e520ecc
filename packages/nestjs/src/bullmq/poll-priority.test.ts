import { describe, expect, it } from "vitest";
import { ASKED_PRIORITY, pollPriority } from "./poll-priority.js";

const NOON = Date.UTC(2026, 10, 21, 12);

describe("the priority of a poll", () => {
  it("is that of its minute: what is due earlier comes first", () => {
    expect(pollPriority(NOON + 59_999)).toBe(pollPriority(NOON));
    expect(pollPriority(NOON + 60_000)).toBe(pollPriority(NOON) + 1);
    expect(pollPriority(NOON - 1)).toBe(pollPriority(NOON) - 1);
  });

  it("comes after those that somebody asked for, and is one that BullMQ takes, at any time", () => {
    for (const year of [1970, 2026, 2029, 2030, 2100]) {
      const priority = pollPriority(Date.UTC(year, 0));
      expect(Number.isInteger(priority)).toBe(true);
      expect(priority).toBeGreaterThan(ASKED_PRIORITY);
      expect(priority).toBeLessThanOrEqual(2_097_151);
    }
  });
});
