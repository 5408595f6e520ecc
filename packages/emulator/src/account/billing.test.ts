import { describe, expect, it } from "vitest";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const SUBSCRIPTION = "/dashboard/billing/subscription";
const USAGE = "/dashboard/billing/usage";

describe("the balance", () => {
  it.each(["specialized", "specializedCdn"] as const)(
    "is unlimited, on the base address %s",
    async (base) => {
      const { emulator } = await startEmulator();
      const read = async (path: string) =>
        (await fetch(emulator.urls[base] + path, { headers: bearer("sk-emulator") })).json();
      expect(await read(SUBSCRIPTION)).toEqual({
        object: "billing_subscription",
        has_payment_method: true,
        soft_limit_usd: 100_000_000,
        hard_limit_usd: 100_000_000,
        system_hard_limit_usd: 100_000_000,
        access_until: 0,
      });
      expect(await read(`${USAGE}?start_date=2026-01-01&end_date=2026-01-31`)).toEqual({
        object: "list",
        total_usage: 0,
      });
    },
  );

  it("is the quota of the key and what it spent", async () => {
    const { emulator, post } = await startEmulator({
      keys: [{ key: "sk-paying-0123456789", group: "default", quota: 5_000_000, models: ["local-image"] }],
    });
    const headers = bearer("sk-paying-0123456789");
    const body = { model: "local-image", prompt: "a fox", size: "2000x2000" };
    await post("/images/generations", body, "sk-paying-0123456789");
    await post("/embeddings", { model: "local-embedding", input: "of another key" });
    const read = async (url: string) => (await fetch(url, { headers })).json();
    expect(await read(emulator.urls.specialized + SUBSCRIPTION)).toMatchObject({ hard_limit_usd: 10 });
    // 2000 × 2000 ÷ 256 tokens, a unit each, in cents of 5000 units.
    expect(await read(emulator.urls.specialized + USAGE)).toEqual({ object: "list", total_usage: 3.125 });
    const { origin } = new URL(emulator.url);
    for (const prefix of ["", "/specialized", "/specialized-cdn"]) {
      expect(await read(`${origin}${prefix}/api/usage/token`)).toEqual({
        code: true,
        message: "ok",
        data: {
          object: "token_usage",
          name: "sk-…6789",
          total_granted: 5_000_000,
          total_used: 15_625,
          total_available: 4_984_375,
          unlimited_quota: false,
          model_limits: { "local-image": true },
          model_limits_enabled: true,
          expires_at: 0,
        },
      });
    }
  });

  it("of a key without a quota is unlimited in units too", async () => {
    const { emulator } = await startEmulator();
    const url = `${new URL(emulator.url).origin}/api/usage/token`;
    expect(await (await fetch(url, { headers: bearer("sk-emulator") })).json()).toMatchObject({
      data: { unlimited_quota: true, total_used: 0 },
    });
    expect((await fetch(url)).status).toBe(401);
  });

  it.each(["general", "cdn"] as const)("is unknown to the base address %s", async (base) => {
    const { emulator } = await startEmulator();
    for (const path of [SUBSCRIPTION, USAGE]) {
      const response = await fetch(emulator.urls[base] + path, { headers: bearer("sk-emulator") });
      expect(await errorOf(response)).toMatchObject({ status: 404 });
    }
  });

  it("says until when a key is valid, to nobody without it", async () => {
    const { emulator } = await startEmulator({
      keys: [{ key: "sk-short", group: "default", expiresAt: 4_000_000_000_000 }],
    });
    const url = emulator.urls.specialized + SUBSCRIPTION;
    expect(await (await fetch(url, { headers: bearer("sk-short") })).json()).toMatchObject({
      access_until: 4_000_000_000,
    });
    expect((await fetch(url)).status).toBe(401);
  });

  it("refuses a day that is none", async () => {
    const { emulator } = await startEmulator();
    const url = `${emulator.urls.specialized}${USAGE}?start_date=2026-13-01`;
    expect(await errorOf(await fetch(url, { headers: bearer("sk-emulator") }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("start_date must be a day"),
    });
  });
});
