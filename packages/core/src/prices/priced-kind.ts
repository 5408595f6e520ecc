import type { ModelPrice } from "./model-price.js";
import type { Range } from "./price-range.js";

/** What is told of a call that is over. */
export interface CountedCall {
  /** What was asked for. */
  body: Record<string, unknown>;
  usage: Record<string, unknown> | undefined;
  /** The answer, or of a stream what it came to. */
  answer: Record<string, unknown> | undefined;
}

/** What a call comes to before anything is rounded. */
export interface Estimate extends Range {
  /** Requests that it may be sent as: each is rounded by itself. */
  requests?: number;
  /** What would bound it. */
  missing?: readonly string[];
}

/** How calls of a kind are paid. Amounts are in units of the currency. */
export interface PricedKind {
  /** @returns undefined when what was counted, or its price, is not known */
  amountOf(price: ModelPrice, call: CountedCall): number | undefined;
  /**
   * @param isOneRequest not as many as the client may send it as
   * @returns undefined when the model has no price that such calls are paid by
   */
  estimate(price: ModelPrice, body: Record<string, unknown>, isOneRequest?: boolean): Estimate | undefined;
}

export const MILLION = 1_000_000;
