import type { Expense, SpendingCall } from "../config/call-budget.js";
import type { CallPrices } from "../costs/call-prices.js";
import type { Cost } from "../costs/cost.js";
import { readObject } from "../json/read-json-value.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import { billedAttempts } from "./billed-attempts.js";
import { type BudgetKeeper, type CallAccount, modelOf } from "./budget-keeper.js";

/** What is spent by a call that costs something: one reservation, for each of its attempts that may be billed. */
export class CallExpense implements Expense {
  readonly #id = crypto.randomUUID();
  /** What an attempt can cost, in units; 0 where nothing bounds it and such calls pass. */
  readonly #upper: number;
  /** What would bound it. */
  readonly #missing: readonly string[];
  #account: CallAccount | undefined;
  #taken: number | undefined;
  #result: { cost?: Cost } | undefined;
  #hasEnded = false;
  #isOver = false;

  constructor(
    private readonly keeper: BudgetKeeper,
    private readonly call: SpendingCall,
    prices: CallPrices,
  ) {
    const { name, body, request } = call.call;
    const quote = prices.quote(name, body ?? request, true);
    const isBounded = quote !== undefined && Number.isFinite(quote.units);
    this.#upper = isBounded ? quote.units : 0;
    this.#missing = isBounded ? [] : (quote?.missing ?? [`a price of the model ${modelOf(call)}`]);
  }

  reserve(apiKey: string): void | Promise<void> {
    const account = this.#account ?? this.keeper.accountOf(this.call, apiKey);
    return account instanceof Promise
      ? account.then((known) => this.#reserve(known))
      : this.#reserve(account);
  }

  answered(result: unknown, streams: boolean): void {
    const found = (readObject(result) ?? {}) as { cost?: Cost; handle?: VideoTaskHandle };
    if (found.handle !== undefined) this.#handOver(found.handle);
    else {
      this.#result = found;
      if (!streams || this.#hasEnded) this.#settle(found.cost);
    }
  }

  ended(): void {
    this.#hasEnded = true;
    if (this.#result !== undefined) this.#settle(this.#result.cost);
  }

  failed(): void {
    if (!this.#finish()) return;
    const { call, timeline } = this.call;
    const billed = billedAttempts(timeline);
    const amount = billed * this.#upper;
    // Nobody will say what came of a paid call in doubt: that is for people to find out.
    if (billed > 0 && call.cost === "billable")
      this.keeper.hold({ id: this.#id, state: "unresolved", amount, spent: 0 });
    else this.keeper.settle(this.#id, amount);
    if (billed > 0) this.#tellIfUncounted();
  }

  #reserve(account: CallAccount): void | Promise<void> {
    this.#account = account;
    if (this.#missing.length > 0 && this.keeper.options.unpriced !== "allow") return this.#refuse(account);
    const needed = (billedAttempts(this.call.timeline) + 1) * this.#upper;
    // An attempt that surely did nothing leaves its room to the next one.
    if (this.#taken !== undefined && needed <= this.#taken) return;
    const taken = this.keeper.take(this.#id, this.call, account, needed, needed - (this.#taken ?? 0));
    if (!(taken instanceof Promise)) {
      this.#taken = needed;
      return;
    }
    return taken.then(() => {
      // Nobody waited for it: the call has failed, and has told what it spent.
      if (this.#isOver) this.keeper.settle(this.#id, 0);
      else this.#taken = needed;
    });
  }

  async #refuse(account: CallAccount): Promise<never> {
    throw await this.keeper.refuse(this.call, account, Number.POSITIVE_INFINITY, this.#missing);
  }

  /** A task is paid for when it has succeeded: until then it is reserved, and its handle knows where. */
  #handOver(handle: VideoTaskHandle): void {
    const { cost } = handle;
    if (cost?.source === "gateway") this.#settle(cost);
    if (!this.#finish()) return;
    handle.reservation = this.#id;
    this.keeper.hold({
      ...{ id: this.#id, state: "task", task: handle.id },
      ...{ amount: this.#upper, spent: this.#before * this.#upper },
    });
  }

  #settle(cost: Cost | undefined): void {
    if (!this.#finish()) return;
    this.keeper.settle(this.#id, this.#before * this.#upper + (cost?.units ?? this.#upper));
    if (cost === undefined) this.#tellIfUncounted();
  }

  /** Attempts that may have been billed before the one that was answered. */
  get #before(): number {
    return billedAttempts(this.call.timeline.slice(0, -1));
  }

  #tellIfUncounted(): void {
    if (this.#missing.length > 0) this.keeper.tellUncounted(this.call);
  }

  /** @returns whether there is something to settle, which is the case once */
  #finish(): boolean {
    const isOpen = !this.#isOver && this.#taken !== undefined;
    this.#isOver = true;
    return isOpen;
  }
}
