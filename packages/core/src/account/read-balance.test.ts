import { describe, expect, it } from "vitest";
import { isSubscription, readBilling, readQuota } from "./read-balance.js";

const UNIT = 500_000;

describe("readBilling", () => {
  const usage = { object: "list", total_usage: 250 };

  it("takes the usage, in cents, off the limit, in dollars", () => {
    const subscription = { object: "billing_subscription", hard_limit_usd: 10, system_hard_limit_usd: 10 };
    expect(isSubscription(subscription)).toBe(true);
    expect(readBilling(subscription, usage)).toEqual({
      unofficial: true,
      currency: "USD",
      remaining: 7.5,
      granted: 10,
      used: 2.5,
      source: "billing",
      raw: { subscription, usage },
    });
  });

  it("knows the limit that means none", () => {
    const balance = readBilling({ hard_limit_usd: 100_000_000 }, usage);
    expect(balance).toMatchObject({ remaining: Number.POSITIVE_INFINITY, unlimited: true, used: 2.5 });
    expect(balance).not.toHaveProperty("granted");
  });

  it.each<[unknown, unknown]>([
    [{}, usage],
    [{ hard_limit_usd: "much" }, usage],
    [{ hard_limit_usd: 10 }, {}],
    [undefined, undefined],
  ])("makes nothing of %j and %j", (subscription, used) => {
    expect(readBilling(subscription, used)).toBeUndefined();
  });
});

describe("readQuota", () => {
  it.each<[string, unknown, object]>([
    [
      "quota units",
      {
        code: true,
        data: {
          object: "token_usage",
          total_granted: 1_000_000,
          total_used: 250_000,
          total_available: 750_000,
          unlimited_quota: false,
        },
      },
      { remaining: 1.5, granted: 2, used: 0.5, source: "token_usage" },
    ],
    [
      "a key without limit",
      { data: { total_granted: 0, total_used: 500_000, total_available: 0, unlimited_quota: true } },
      { remaining: Number.POSITIVE_INFINITY, used: 1, unlimited: true, source: "token_usage" },
    ],
    [
      "a bare summary",
      { object: "credit_summary", total_granted: 500_000, total_used: 0, total_available: 500_000 },
      { remaining: 1, granted: 1, used: 0, source: "token_usage" },
    ],
    [
      "an amount",
      { data: { object: "user_balance", balance_usd: "12.5", used_amount_usd: 3 } },
      { remaining: 12.5, used: 3, source: "user_balance" },
    ],
    ["an amount of zero", { balance_usd: 0 }, { remaining: 0, source: "user_balance" }],
    ["a debt", { data: { total_available: -500_000 } }, { remaining: -1, source: "token_usage" }],
  ])("reads %s", (_what, body, expected) => {
    expect(readQuota(body, UNIT)).toEqual({ unofficial: true, currency: "USD", raw: body, ...expected });
  });

  it("counts in the units that the gateway counts in", () => {
    expect(readQuota({ total_available: 300 }, 100)?.remaining).toBe(3);
  });

  it.each<unknown>([
    undefined,
    null,
    [],
    {},
    { data: null },
    { data: { total_available: null } },
    { balance_usd: "" },
  ])("makes nothing of %j", (body) => {
    expect(readQuota(body, UNIT)).toBeUndefined();
  });
});
