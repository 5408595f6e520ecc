import { type Cost, ModelGateway, type Quote } from "@model-gateway/core";
import {
  type BillableCalls,
  type PriceBook,
  priceBook,
  readGatewayPricing,
} from "@model-gateway/core/prices";
import { createEmulator, type Emulator, type Fault } from "@model-gateway/emulator";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BOUNDS, fault, type PricedCall, pricedCall } from "./priced-calls.js";

/** As many as a machine of any speed does within the time of a test; each is a client, a key and a call. */
const CALLS = 400;
const AT_ONCE = 16;

let emulator: Emulator;
let book: PriceBook;
let gateway: ModelGateway;

beforeAll(async () => {
  emulator = await createEmulator({ seed: 1, videoTimings: { queuedMs: 0, runningMs: 0 } }).listen({
    port: 0,
  });
  book = priceBook();
  gateway = new ModelGateway({
    apiKey: "sk-emulator",
    baseURL: emulator.urls.general,
    prices: book,
    maxRetries: 2,
    retryBudget: Number.POSITIVE_INFINITY,
  });
  book.add((await readGatewayPricing(gateway)).models);
  book.add(BOUNDS);
});

afterAll(() => emulator.close());

let keys = 0;

/** A key of its own for each call: what the ledger holds of it is this call's. */
async function check({ name, body, run, settled }: PricedCall, faults: readonly Fault[]): Promise<boolean> {
  const key = `sk-cost-${++keys}-0123456789`;
  emulator.keys.add({ key, group: "default", moderation: true });
  for (const each of faults) emulator.faults.add({ ...each, key, times: 1 });
  const quote = gateway.costs.quote(name as "videos.create", body as BillableCalls["videos.create"]) as Quote;
  expect(quote.missing, `${name} is bounded`).toBeUndefined();
  expect(quote.expected).toBeLessThanOrEqual(quote.upper);
  let cost: Cost | undefined;
  let failed = false;
  try {
    cost = await run(gateway.withKey(key), emulator);
  } catch (error) {
    if ((error as { kind?: string }).kind === undefined) throw error;
    failed = true;
  }
  const { units: sum } = emulator.ledger.total(key);
  const charges = emulator.ledger.list({ key, kind: "charge" }).map(({ units }) => units);
  for (const units of charges) expect(units).toBeLessThanOrEqual(quote.units);
  if (failed) return false;
  expect(cost, name).toBeDefined();
  const { units, maybeMore } = cost as Cost;
  if (maybeMore) expect(units).toBeLessThanOrEqual(sum);
  else expect(units, `${name} ${JSON.stringify(body)}`).toBe(sum);
  expect((cost as Cost).amount).toBeCloseTo(units / 500_000, 12);
  expect(units, `${name} ${JSON.stringify(body)}`).toBeLessThanOrEqual(quote.units);
  if (settled && units > 0)
    expect(quote.units, `${name} ${JSON.stringify(body)}`).toBeLessThanOrEqual(Math.ceil(units * 1.05));
  return true;
}

describe("what the client says that calls cost", () => {
  it("is what the emulator's ledger says, to the unit, and never more than was quoted", async () => {
    const cases = fc.sample(fc.tuple(pricedCall, fc.array(fault, { maxLength: 2 })), {
      numRuns: CALLS,
      seed: 16,
    });
    let succeeded = 0;
    const work = async () => {
      for (let next = cases.shift(); next; next = cases.shift()) if (await check(...next)) succeeded++;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(succeeded).toBeGreaterThan(CALLS / 3);
  });
});
