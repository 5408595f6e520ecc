import { describe, expect, it } from "vitest";
import { type BudgetWindow, windowAt } from "./budget-window.js";

const at = (text: string) => Date.parse(text);

describe("the window of a time", () => {
  it.each<[BudgetWindow, string, string, string, string]>([
    ["day", "2026-11-22T13:27:30.123Z", "2026-11-22", "2026-11-22T00:00Z", "2026-11-23T00:00Z"],
    ["day", "2026-12-31T23:59:59.999Z", "2026-12-31", "2026-12-31T00:00Z", "2027-01-01T00:00Z"],
    ["day", "2028-02-29T00:00:00.000Z", "2028-02-29", "2028-02-29T00:00Z", "2028-03-01T00:00Z"],
    ["month", "2026-11-22T13:27:30.123Z", "2026-11", "2026-11-01T00:00Z", "2026-12-01T00:00Z"],
    ["month", "2026-12-31T23:59:59.999Z", "2026-12", "2026-12-01T00:00Z", "2027-01-01T00:00Z"],
    ["month", "2028-02-29T12:00:00.000Z", "2028-02", "2028-02-01T00:00Z", "2028-03-01T00:00Z"],
  ])("%s at %s is %s, in UTC", (window, now, id, startsAt, endsAt) => {
    expect(windowAt(window, at(now))).toEqual({ id, startsAt: at(startsAt), endsAt: at(endsAt) });
  });

  it("of so many milliseconds is one of those that follow each other", () => {
    expect(windowAt({ ms: 1_000 }, 1_999)).toEqual({ id: "1000ms-1", startsAt: 1_000, endsAt: 2_000 });
    expect(windowAt({ ms: 1_000 }, 2_000)).toEqual({ id: "1000ms-2", startsAt: 2_000, endsAt: 3_000 });
  });
});
