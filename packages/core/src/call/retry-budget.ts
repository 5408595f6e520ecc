/** What a success gives back when it came at the first attempt; one that came by a retry gives the whole retry back. */
const REFUND = 0.1;

/**
 * How many retries a client may make while nothing succeeds: a token bucket. In a long outage each call is then made once
 * and fails, instead of every call being made three times against a gateway that is already down.
 */
export class RetryBudget {
  #tokens: number;
  readonly #capacity: number;

  /** @param capacity retries; `Infinity` for no limit */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#tokens = capacity;
  }

  /** Takes a retry. @returns false when there is none left */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** A call was answered. @param attempts how many it took */
  succeeded(attempts: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (attempts > 1 ? 1 : REFUND));
  }
}
