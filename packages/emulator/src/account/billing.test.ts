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
