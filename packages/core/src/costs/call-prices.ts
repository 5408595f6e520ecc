import type { Quote } from "./cost.js";

/** What is priced of a call. */
export interface PricedCall {
  /** As the user wrote it: `chat.completions.create`. */
  name: string;
  body?: unknown;
  /** What was asked for, where the body is no JSON. */
  request?: unknown;
}

/** An attempt of it. The status is what the answer means, where that is another. */
export interface PricedAttempt {
  phase: "unsent" | "answered" | "no_answer";
  status?: number;
  meaning?: number;
}

/** What came of it, as far as prices need it. */
export interface PricedAnswer {
  /** Parsed, where the answer is no stream. */
  body: unknown;
  reader?: { readonly complete: boolean; usage?(): unknown; partial?(): unknown } | undefined;
  info: { headers: { get(name: string): string | undefined }; timeline: readonly PricedAttempt[] };
}

/** What a client is given to say what its calls cost: `priceBook()` of `@model-gateway/core/prices`. */
export interface CallPrices {
  /** What costs are in, such as `USD`. */
  readonly currency: string;
  /** Units that the gateway counts in, per unit of the currency. */
  readonly unitsPerCurrency: number;
  /**
   * @param isOneRequest the body is sent as it is, and not as several requests
   * @returns undefined for what has no price
   */
  quote(name: string, body: unknown, isOneRequest?: boolean): Quote | undefined;
  /** Called by the client: writes `cost` into the result of a call; of a stream, for when it is over. */
  settle(call: PricedCall, answer: PricedAnswer, result: unknown): void;
}
