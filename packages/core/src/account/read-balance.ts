import { readNumber, readObject } from "../json/read-json-value.js";

/** What is left on a key. Unofficial: the API description says where balances are served, and not how. */
export interface Balance {
  unofficial: true;
  currency: string;
  /** In units of `currency`; `Infinity` when the key has no limit. */
  remaining: number;
  granted?: number;
  used?: number;
  /** True when the key has no limit of its own; the account behind it may have one. */
  unlimited?: boolean;
  /** The convention that the answer followed. */
  source: BalanceSource;
  /** The answers as they came. */
  raw: unknown;
}

/**
 * - `billing`: a subscription with limits in dollars, and a usage in cents;
 * - `token_usage`: the quota of a key, in quota units;
 * - `user_balance`: an amount in dollars.
 */
export type BalanceSource = "billing" | "token_usage" | "user_balance";

/** One-api style gateways report this limit, in dollars, for keys without one. */
const UNLIMITED_USD = 100_000_000;
const CURRENCY = "USD";

/** Whether an answer is a billing subscription, which needs the usage beside it. */
export function isSubscription(body: unknown): boolean {
  return readLimit(body) !== undefined;
}

/** @returns undefined when either answer is none */
export function readBilling(subscription: unknown, usage: unknown): Balance | undefined {
  const granted = readLimit(subscription);
  const cents = readNumber(readObject(usage)?.["total_usage"]);
  if (granted === undefined || cents === undefined) return undefined;
  const used = cents / 100;
  const known = {
    unofficial: true,
    currency: CURRENCY,
    used,
    source: "billing",
    raw: { subscription, usage },
  } as const;
  if (granted >= UNLIMITED_USD) return { ...known, remaining: Number.POSITIVE_INFINITY, unlimited: true };
  return { ...known, remaining: granted - used, granted };
}

/**
 * Reads the quota of a key or an amount in dollars, bare or inside `data`.
 * @param quotaPerUnit quota units per unit of the currency
 * @returns undefined when the answer is neither
 */
export function readQuota(raw: unknown, quotaPerUnit: number): Balance | undefined {
  const body = readObject(readObject(raw)?.["data"]) ?? readObject(raw);
  const known = { unofficial: true, currency: CURRENCY, raw } as const;
  const amount = readNumber(body?.["balance_usd"]);
  if (amount !== undefined) {
    return {
      ...known,
      remaining: amount,
      ...defined({ used: readNumber(body?.["used_amount_usd"]) }),
      source: "user_balance",
    };
  }
  const inUnits = (name: string) => {
    const quota = readNumber(body?.[name]);
    return quota === undefined ? undefined : quota / quotaPerUnit;
  };
  const used = inUnits("total_used");
  if (body?.["unlimited_quota"] === true) {
    return {
      ...known,
      remaining: Number.POSITIVE_INFINITY,
      ...defined({ used }),
      unlimited: true,
      source: "token_usage",
    };
  }
  const remaining = inUnits("total_available");
  if (remaining === undefined) return undefined;
  return {
    ...known,
    remaining,
    ...defined({ granted: inUnits("total_granted"), used }),
    source: "token_usage",
  };
}

function readLimit(subscription: unknown): number | undefined {
  const body = readObject(subscription);
  return readNumber(body?.["hard_limit_usd"]) ?? readNumber(body?.["system_hard_limit_usd"]);
}

function defined<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
