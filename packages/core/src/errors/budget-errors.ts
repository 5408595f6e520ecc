import { defineKnown, GatewayError, type GatewayErrorDetails, markErrorClass } from "./gateway-error.js";

/** What a budget says of a call that it refuses. Amounts are in units of `currency`. */
export interface BudgetRefusal {
  limit: number;
  /** In the window, with what may have been spent. */
  spent: number;
  /** By calls under way, and by video tasks. */
  reserved: number;
  /** What the call can cost at most; `Infinity` when nothing bounds it: see `missing`. */
  needed: number;
  currency: string;
  /** When the next window begins, in milliseconds since the epoch. */
  renewsAt: number;
  /** What would bound its cost: fields of the body or of the model's price. */
  missing?: readonly string[];
}

/** A call that does not fit into its budget any more, or of which nobody knows whether it does. It was not sent. */
export class BudgetExceededError extends GatewayError {
  readonly kind = "budget_exceeded";
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  readonly needed: number;
  readonly currency: string;
  /** When the next window begins, in milliseconds since the epoch. */
  readonly renewsAt: number;
  declare readonly missing?: readonly string[];

  constructor(message: string, details: GatewayErrorDetails & BudgetRefusal) {
    super(message, details);
    this.limit = details.limit;
    this.spent = details.spent;
    this.reserved = details.reserved;
    this.needed = details.needed;
    this.currency = details.currency;
    this.renewsAt = details.renewsAt;
    defineKnown(this, { missing: details.missing });
  }

  declare static readonly isInstance: (error: unknown) => error is BudgetExceededError;
}
markErrorClass(BudgetExceededError, "BudgetExceededError");

/** The store of a budget did not answer, so that nobody knows whether a call fits. It was not sent. */
export class BudgetUnavailableError extends GatewayError {
  readonly kind = "budget_unavailable";

  declare static readonly isInstance: (error: unknown) => error is BudgetUnavailableError;
}
markErrorClass(BudgetUnavailableError, "BudgetUnavailableError");
