import { describe, expect, it } from "vitest";
import { readRetryAfter } from "./retry-after.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const headers = (values: Record<string, string>) => ({
  get: (name: string) => values[name],
  toRecord: () => values,
});

describe("readRetryAfter", () => {
  it.each([
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" }, 10_000],
    [{ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-1" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{ "retry-after": "  " }, undefined],
    [{ "retry-after": "0" }, 0],
    [{}, undefined],
  ])("reads %j as %s ms", (values, expected) => {
    expect(readRetryAfter(headers(values as Record<string, string>), NOW)).toBe(expected);
  });
});
