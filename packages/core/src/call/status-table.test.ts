import { describe, expect, it } from "vitest";
import { judgeStatus } from "./status-table.js";

describe("judgeStatus", () => {
  it.each([
    [408, "unless_billable", true, false],
    [429, "always", false, false],
    [500, "unless_billable", true, true],
    [501, "never", false, false],
    [502, "unless_billable", true, true],
    [503, "unless_billable", true, true],
    [504, "unless_billable", true, true],
    [599, "unless_billable", true, true],
    [200, "never", false, false],
    [302, "never", false, false],
    [400, "never", false, false],
    [401, "never", false, false],
    [403, "never", false, false],
    [404, "never", false, false],
    [409, "never", false, false],
    [422, "never", false, false],
    [499, "never", false, false],
  ])("%i is repeated %s; in doubt: %s; to another address: %s", (status, retry, doubtful, failover) => {
    expect(judgeStatus(status)).toEqual({ retry, doubtful, failover });
  });
});
