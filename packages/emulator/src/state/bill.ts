import { APIError } from "../http/api-error.js";
import { maskKey, type StoredKey } from "./key-store.js";
import type { CountedUsage, Hold, Ledger } from "./ledger.js";
import type { ModelStore } from "./model-store.js";

/** What one call costs, from before it is answered until it stands in the ledger. */
export class Bill {
  private readonly ledger: Ledger;
  private readonly models: ModelStore;
  private readonly about: { key: StoredKey; endpoint: string; requestId: string };
  /** The units that the call was charged, once it was. */
  charged: number | undefined;
  private open: { model: string; counted: CountedUsage; hold: Hold } | undefined;

  constructor(
    ledger: Ledger,
    models: ModelStore,
    about: { key: StoredKey; endpoint: string; requestId: string },
  ) {
    this.ledger = ledger;
    this.models = models;
    this.about = about;
  }

  /**
   * Opens the bill with the least that the call can come to, before anything is done for it.
   *
   * @throws APIError 403 `insufficient_user_quota` when the key cannot pay that
   */
  expect(model: string, counted: CountedUsage): void {
    const { key } = this.about;
    const units = this.models.priceOf(model, counted);
    const available = this.ledger.available(key);
    if (available <= 0 || units > available) {
      throw new APIError(
        `The quota of the API key ${maskKey(key.key)} cannot pay for this call: it costs at least ${units} units and ${Math.max(0, available)} are left. Raise the quota of the key, or use another.`,
        { status: 403, code: "insufficient_user_quota" },
      );
    }
    this.open = { model, counted, hold: this.ledger.hold(key.key, units) };
  }

  /** Replaces what was expected by what it came to. */
  count(counted: CountedUsage): void {
    if (this.open) this.open.counted = counted;
  }

  /** Charges an open bill; what was let in is charged though it costs more than there was. */
  settle(taskId?: string): void {
    if (!this.open) return;
    const { model, counted, hold } = this.open;
    this.open = undefined;
    this.ledger.release(hold);
    const units = this.models.priceOf(model, counted);
    this.ledger.charge({ ...this.about, model, counted, units, taskId });
    this.charged = units;
  }

  /** Forgets an open bill: the call came to nothing. */
  drop(): void {
    if (this.open) this.ledger.release(this.open.hold);
    this.open = undefined;
  }
}
