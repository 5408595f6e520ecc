import type { Exchange } from "../api/exchange.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { UNITS_PER_CURRENCY_UNIT } from "../state/ledger.js";

/** What routes of this kind say of a key without a limit, in US dollars. */
const UNLIMITED_USD = 100_000_000;
const UNITS_PER_CENT = UNITS_PER_CURRENCY_UNIT / 100;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * `GET /dashboard/billing/subscription`: how much the key may spend. Not of the API description, which leaves the
 * balance open; gateways of this kind answer so.
 */
export function readSubscription({ key }: Exchange): Answer {
  const limit = key.quota === undefined ? UNLIMITED_USD : key.quota / UNITS_PER_CURRENCY_UNIT;
  return Answer.json({
    object: "billing_subscription",
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    // Seconds since the epoch; 0 for a key that does not expire.
    access_until: key.expiresAt === undefined ? 0 : Math.floor(key.expiresAt / 1_000),
  });
}

/**
 * `GET /dashboard/billing/usage`: what the key has spent, in cents. All of it, whatever the days: so do gateways of
 * this kind, and so the limit less the usage is what is left.
 */
export function readUsage({ url, key, services }: Exchange): Answer {
  const query = Field.body(Object.fromEntries(url.searchParams));
  for (const name of ["start_date", "end_date"]) {
    query.get(name).optional((field) => {
      const day = field.string() ?? "";
      return DAY.test(day) && !Number.isNaN(Date.parse(day))
        ? day
        : field.refuse("must be a day as YYYY-MM-DD");
    });
  }
  query.finish();
  return Answer.json({
    object: "list",
    total_usage: services.ledger.total(key.key).units / UNITS_PER_CENT,
  });
}
