import type { CallPrices, PricedCall } from "../costs/call-prices.js";
import type { AttemptRecord } from "../errors/gateway-error.js";

/** A call of which a budget is asked. It is looked at whenever something becomes of the call. */
export interface SpendingCall {
  readonly call: PricedCall & {
    readonly method: string;
    readonly path: string;
    /** `read` for what costs nothing, `billable` for what is never repeated in doubt. */
    readonly cost: "read" | "repeatable" | "billable";
  };
  readonly options: { readonly budgetTag?: string | undefined };
  /** Those it is sent with, but for the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The attempts that were made so far. */
  readonly timeline: readonly AttemptRecord[];
}

/** What one call spends. Nothing but `reserve` throws, and nothing that it is told of is waited for. */
export interface Expense {
  /**
   * Called before each attempt: makes room for it. A call that fails meanwhile gives back what it is given later.
   *
   * @throws BudgetExceededError when it does not fit, BudgetUnavailableError when nobody can tell
   */
  reserve(apiKey: string): void | Promise<void>;
  /** @param streams whether the answer is a stream that goes on until `ended` */
  answered(result: unknown, streams: boolean): void;
  /** Nothing more of the stream comes, however it ended. May be called before `answered`. */
  ended(): void;
  /** The caller gets an error. */
  failed(): void;
}

/** What a client asks, about its own calls. */
export interface Spending {
  /** @returns undefined for a call that spends nothing */
  begin(call: SpendingCall): Expense | undefined;
}

/** What a client is given to hold its calls to a limit: `createBudget()` of `@model-gateway/core/budget`. */
export interface CallBudget {
  /**
   * Called once by each client that is given it.
   *
   * @throws ConfigurationError when the client's prices do not fit
   */
  spendBy(prices: CallPrices | undefined): Spending;
}
