import { type Call, type RequestOptions, SHORT_TIMEOUT_MS } from "../call/call.js";
import type { Sender } from "../call/sender.js";
import { checkRate } from "../checks/check-numbers.js";
import { APIError } from "../errors/api-error.js";
import { InvalidRequestError, InvalidResponseError } from "../errors/errors.js";
import { findPathProblem } from "../request/check-path.js";
import { type Balance, isSubscription, readBilling, readQuota } from "./read-balance.js";

/** Options of `account.balance`. */
export interface BalanceOptions extends Omit<RequestOptions, "idempotencyKey" | "retryBillable"> {
  /**
   * Where to ask. Below the specialised address; a path that begins with `/api/` is taken from its root, without
   * the `/v1`. Default: `/dashboard/billing/subscription`, and where that is not served `/api/usage/token`.
   */
  path?: string;
  /** Where to ask for the usage beside a billing subscription. Default `/dashboard/billing/usage`. */
  usagePath?: string;
  /** Quota units per dollar, for gateways that count in such. Default 500000. */
  quotaPerUnit?: number;
}

const SUBSCRIPTION_PATH = "/dashboard/billing/subscription";
const USAGE_PATH = "/dashboard/billing/usage";
const TOKEN_USAGE_PATH = "/api/usage/token";
const QUOTA_PER_UNIT = 500_000;
/** The usage convention takes at most this many days. */
const USAGE_DAYS = 99;
const DAY_MS = 86_400_000;
const NOT_SERVED =
  "Where a gateway serves balances is a convention and no part of its API: give the right path in the option path.";

/** The account behind the key. Unofficial: see `balance`. */
export class Account {
  constructor(private readonly sender: Sender) {}

  /**
   * What is left on the key, from the specialised address. Unofficial: the API description names the address and
   * shows no path, so this follows the conventions of gateways of its kind, and `raw` holds what they said.
   *
   * @throws ConfigurationError when there is no specialised address, APIError when the gateway refuses, also with
   * status 200, InvalidResponseError when the answer is no balance
   */
  async balance(options: BalanceOptions = {}): Promise<Balance> {
    const { path, usagePath = USAGE_PATH, quotaPerUnit = QUOTA_PER_UNIT, ...requestOptions } = options;
    checkRate("quotaPerUnit", quotaPerUnit);
    const sender = this.sender.asOneCall(requestOptions);
    const ask = (asked: string) => askBalance(sender, asked, usagePath, quotaPerUnit, requestOptions);
    if (path !== undefined) return ask(path);
    try {
      return await ask(SUBSCRIPTION_PATH);
    } catch (error) {
      if (!isNotServed(error)) throw error;
      return ask(TOKEN_USAGE_PATH);
    }
  }
}

async function askBalance(
  sender: Pick<Sender, "json">,
  path: string,
  usagePath: string,
  quotaPerUnit: number,
  options: RequestOptions,
): Promise<Balance> {
  let subscription: unknown;
  const balance = await sender.json(balanceCall("path", path), options, (body, unreadable) => {
    if (isSubscription(body)) {
      subscription = body;
      return undefined;
    }
    const read = readQuota(body, quotaPerUnit);
    if (read === undefined) throw unreadable("JSON that holds no balance of a known form");
    return read;
  });
  if (balance !== undefined) return balance;
  const usageCall: Call = { ...balanceCall("usagePath", usagePath), query: usageDays() };
  return sender.json(usageCall, options, (usage, unreadable) => {
    const read = readBilling(subscription, usage);
    if (read === undefined) throw unreadable("JSON that holds no usage of a known form");
    return read;
  });
}

function balanceCall(field: string, path: string): Call {
  return {
    name: "account.balance",
    method: "GET",
    path,
    cost: "read",
    specialized: true,
    unversioned: typeof path === "string" && path.startsWith("/api/"),
    check: () => {
      const message = findPathProblem(path);
      if (message !== undefined) throw new InvalidRequestError([{ field, message, value: path }]);
    },
    hint: (meaning) => (meaning === 404 ? NOT_SERVED : undefined),
    defaultTimeoutMs: SHORT_TIMEOUT_MS,
  };
}

/** The longest span that the convention takes, in days of UTC; its end is exclusive. */
function usageDays(): string {
  const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
  return new URLSearchParams({ start_date: day(1 - USAGE_DAYS), end_date: day(1) }).toString();
}

/** Gateways answer an unknown path with 404, or with the page of their console. */
function isNotServed(error: unknown): boolean {
  return error instanceof InvalidResponseError || (error instanceof APIError && error.kind === "not_found");
}
