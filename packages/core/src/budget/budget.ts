import type { CallBudget, Spending } from "../config/call-budget.js";

/** How a budget stands in the window that it is. Amounts are in units of `currency`. */
export interface BudgetUsage {
  limit: number;
  /** With what is `unresolved`. */
  spent: number;
  /** By calls under way, and by video tasks. */
  reserved: number;
  currency: string;
  /** When the window began, in milliseconds since the epoch. */
  since: number;
  /** When the next one begins, in milliseconds since the epoch. */
  renewsAt: number;
}

/** What a call has reserved, and is not settled. */
export interface OpenReservation {
  id: string;
  /** At most what the call comes to, in units of the budget's currency. */
  amount: number;
  /**
   * `running`: the call is under way. `task`: its video task is, or nobody polled it to its end. `unresolved`: nobody will
   * tell what it came to, because its process died or the answer was lost; it counts as spent.
   */
  state: "running" | "task" | "unresolved";
  /** As the user wrote it: `videos.create`. */
  call: string;
  model?: string;
  /** When it was made, in milliseconds since the epoch. */
  at: number;
  /** Whose budget it is, as `per` has it; empty where it is one for all. */
  account: string;
  tag?: string;
  /** Id of the video task. */
  task?: string;
  /** The `Idempotency-Key` that the call was sent with: to be looked for in the usage records of the key. */
  requestKey?: string;
  /** The process that made it. */
  owner: string;
}

/** A limit for what calls cost. For the option `budget` of any number of clients. */
export interface Budget extends CallBudget {
  readonly limit: number;
  readonly currency: string;
  /** @internal */
  spendBy(...values: Parameters<CallBudget["spendBy"]>): Spending;
  /**
   * How it stands.
   *
   * @param account whose it is, as `per` has it: a tag, what the function returned, or an API key. Left out where it is one
   * for all
   */
  usage(account?: string): Promise<BudgetUsage>;
  /** What is reserved and not settled, in all windows of this budget: of this process, of others, of dead ones. */
  open(): Promise<OpenReservation[]>;
  /**
   * Settles a reservation by hand, when the usage records of the key say what its call has cost.
   *
   * @param amount in units of the currency
   * @returns whether it was open
   */
  settle(id: string, amount: number): Promise<boolean>;
  /** Gives a reservation back, when its call turned out not to have been made. @returns whether it was open */
  release(id: string): Promise<boolean>;
  /** Resolves when what calls so far have cost is written, or the store did not take it. */
  flush(): Promise<void>;
  /** Flushes, gives no more signs of life, and closes the store. Calls under way are no longer settled. */
  close(): Promise<void>;
}
