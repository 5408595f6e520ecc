import { checkRate } from "../checks/check-numbers.js";
import { checkOptionNames } from "../checks/check-option-names.js";
import { ConfigurationError } from "../errors/errors.js";
import type { BudgetStore } from "./budget-store.js";
import type { BudgetWindow } from "./budget-window.js";

/** What is told of a call to who decides on whose account it is. */
export interface BudgetedCall {
  /** As the user wrote it: `chat.completions.create`. */
  name: string;
  model?: string;
  /** The option `budgetTag` of the call. */
  tag?: string;
}

/** A part of the limit has been spent. Amounts are in units of `currency`. */
export interface BudgetLevelEvent {
  /** The part: 1 when the limit is spent, or a call that alone would fit into it did not. */
  level: 0.5 | 0.8 | 1;
  budget: string;
  /** Whose budget it is, as `per` has it; empty where it is one for all. */
  account: string;
  limit: number;
  spent: number;
  reserved: number;
  currency: string;
  /** When the next window begins, in milliseconds since the epoch. */
  renewsAt: number;
}

/** Something that a limit could not be held for, or that somebody has to look at. */
export interface BudgetTrouble {
  /**
   * `unresolved`: a process died during a call, which counts as spent at what it can cost until somebody settles or releases
   * it. `uncounted`: a call was made that nobody can say the cost of. `unsettled`: the store did not take what a call has
   * cost, which counts at what was reserved until it does.
   */
  kind: "unresolved" | "uncounted" | "unsettled";
  /** What happened, what it means, what to do. */
  message: string;
  /** As the user wrote it: `videos.create`. */
  call: string;
  model?: string;
  /** The reservation, for `settle` and `release`. */
  id?: string;
  /** When it was made, in milliseconds since the epoch. */
  at?: number;
  /** The `Idempotency-Key` of the call. */
  requestKey?: string;
  cause?: unknown;
}

/** Options of `createBudget`. */
export interface BudgetOptions {
  /** In units of the currency, for each window. */
  limit: number;
  /** What the limit is in, such as `USD`: the one of the client's prices. */
  currency: string;
  /**
   * How long it holds before it holds anew: a day or a month in UTC, or so many milliseconds, counted from the epoch. What
   * is settled later belongs to the window in which it was reserved.
   */
  window: BudgetWindow;
  /**
   * Whose limit it is: each `key` has its own, each `budgetTag`, or each text that a function returns. A key is known by
   * its digest. Default: one for all calls.
   */
  per?: "key" | "tag" | ((call: BudgetedCall) => string);
  /** Where it is kept. Default: in memory, for the clients of this process that are given this budget. */
  store?: BudgetStore;
  /**
   * Calls without a price, and those that nothing bounds the cost of. `refuse` (default): they are not sent. `allow`: they
   * are, and count when it is known what they cost; for what never is, `onTrouble` is called.
   */
  unpriced?: "refuse" | "allow";
  /** Names it among those of its store. Default `default`. */
  name?: string;
  /**
   * After so many milliseconds without a sign of life a process counts as dead, where a store has several. Costs no money
   * if it is wrong: what its calls have reserved counts as spent until they are settled. Default 30000.
   */
  leaseMs?: number;
  /** Told when 50 %, 80 % and all of the limit are spent, once for each window by all processes together. */
  onLevel?: (event: BudgetLevelEvent) => void;
  /** Told what the budget cannot settle alone. Default: `console.warn` of the message. */
  onTrouble?: (trouble: BudgetTrouble) => void;
}

const OPTION_NAMES = Object.keys({
  limit: true,
  currency: true,
  window: true,
  per: true,
  store: true,
  unpriced: true,
  name: true,
  leaseMs: true,
  onLevel: true,
  onTrouble: true,
} satisfies Record<keyof BudgetOptions, true>);

/** @throws ConfigurationError that names what is wrong */
export function checkBudgetOptions(options: BudgetOptions): void {
  checkOptionNames(options, OPTION_NAMES, "createBudget()");
  const { limit, currency, window, per, store, unpriced, name } = options;
  const refuse = (option: string, must: string) => {
    throw new ConfigurationError(`Option ${option} of a budget must be ${must}.`, { option });
  };
  if (typeof limit !== "number" || !(limit >= 0) || limit === Infinity)
    refuse("limit", "a number from 0, in units of the currency");
  if (typeof currency !== "string" || currency === "") refuse("currency", "a text such as USD");
  const ms = (window as { ms?: number } | undefined)?.ms;
  const isWindow = window === "day" || window === "month" || (Number.isSafeInteger(ms) && (ms as number) > 0);
  if (!isWindow) refuse("window", '"day", "month" or { ms }, with a whole number of milliseconds above 0');
  if (per !== undefined && per !== "key" && per !== "tag" && typeof per !== "function")
    refuse("per", '"key", "tag" or a function');
  if (store !== undefined && typeof store?.reserve !== "function")
    refuse("store", "a BudgetStore, such as FileBudgetStore or RedisBudgetStore");
  if (unpriced !== undefined && unpriced !== "refuse" && unpriced !== "allow")
    refuse("unpriced", '"refuse" or "allow"');
  if (name !== undefined && !/^[^/]+$/.test(name)) refuse("name", "a text without a slash");
  checkRate("leaseMs", options.leaseMs);
}
