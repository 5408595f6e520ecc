import type { SpendingCall } from "../config/call-budget.js";
import { BudgetExceededError, BudgetUnavailableError } from "../errors/budget-errors.js";
import { describeThrown } from "../hooks/observer.js";
import { readObject } from "../json/read-json-value.js";
import { repeatEvery } from "../resumable/repeat-every.js";
import { AccountDigests } from "./account-digest.js";
import { billedAttempts } from "./billed-attempts.js";
import { BudgetLedger } from "./budget-ledger.js";
import type { BudgetLevelEvent, BudgetOptions, BudgetTrouble } from "./budget-options.js";
import type { AccountState, BudgetStore, HoldRequest, Reservation, ReserveOutcome } from "./budget-store.js";
import { type CurrentWindow, windowAt } from "./budget-window.js";
import { BudgetWrites } from "./budget-writes.js";

const DEFAULT_LEASE_MS = 30_000;
/** Signs of life in one lease: one may be late. */
const BEATS_PER_LEASE = 3;

/** From what a call is paid. */
export interface CallAccount {
  /** As stores have it: `<budget>/<window>/<whose>`. */
  name: string;
  window: CurrentWindow;
}

/** What one budget is for its calls: takes from the store, gives back, says that this process lives, and tells. */
export class BudgetKeeper {
  readonly store: BudgetStore;
  readonly name: string;
  /** Of the prices of the first client; all have the same. */
  unitsPerCurrency: number | undefined;
  readonly writes = new BudgetWrites((id, cause) => this.#tellUnsettled(id, cause));
  /** Calls that the store has not heard the end of. */
  readonly #running = new Map<string, SpendingCall>();
  readonly #digests = new AccountDigests();
  readonly #closing = new AbortController();
  readonly #owner = ownerName();
  #beats: Promise<void> | undefined;
  #window: CurrentWindow | undefined;

  constructor(readonly options: BudgetOptions) {
    this.store = options.store ?? new BudgetLedger();
    this.name = options.name ?? "default";
  }

  /** The one that it is. */
  window(): CurrentWindow {
    const now = Date.now();
    const last = this.#window;
    if (last !== undefined && now >= last.startsAt && now < last.endsAt) return last;
    this.#window = windowAt(this.options.window, now);
    return this.#window;
  }

  /** @param apiKey that the call is made with */
  accountOf(call: SpendingCall, apiKey: string): CallAccount | Promise<CallAccount> {
    const window = this.window();
    const whose = this.#whose(call, apiKey);
    return typeof whose === "string"
      ? { name: this.accountName(window, whose), window }
      : whose.then((digest) => ({ name: this.accountName(window, digest), window }));
  }

  accountName({ id }: CurrentWindow, whose: string): string {
    return `${this.name}/${id}/${whose}`;
  }

  /** Whose account `per` makes of what the user calls it. */
  whose(account: string): string | Promise<string> {
    return this.options.per === "key" && account !== "" ? this.#digests.of(account) : account;
  }

  #whose(call: SpendingCall, apiKey: string): string | Promise<string> {
    const { per } = this.options;
    const tag = call.options.budgetTag;
    if (per === undefined) return "";
    if (per === "key") return this.#digests.of(apiKey);
    if (per === "tag") return tag ?? "";
    const model = modelOf(call);
    return String(
      per({ name: call.call.name, ...(model !== undefined && { model }), ...(tag !== undefined && { tag }) }),
    );
  }

  get limitUnits(): number {
    return this.toUnits(this.options.limit);
  }

  toUnits(amount: number): number {
    return Math.round(amount * (this.unitsPerCurrency ?? 1) * 1e6) / 1e6;
  }

  toAmount(units: number): number {
    return units / (this.unitsPerCurrency ?? 1);
  }

  /**
   * Reserves for a call, or raises what it has reserved.
   *
   * @param amount of all of its attempts, in units
   * @param more what is new of it
   * @throws BudgetExceededError, BudgetUnavailableError
   */
  take(
    id: string,
    call: SpendingCall,
    account: CallAccount,
    amount: number,
    more: number,
  ): void | Promise<void> {
    this.#beat();
    const now = Date.now();
    const model = modelOf(call);
    const requestKey = call.headers["idempotency-key"];
    const tag = call.options.budgetTag;
    const wanted: Reservation = {
      id,
      account: account.name,
      endsAt: account.window.endsAt,
      amount,
      state: "running",
      at: now,
      leaseUntil: now + this.#leaseMs,
      owner: this.#owner,
      call: call.call.name,
    };
    if (model !== undefined) wanted.model = model;
    if (requestKey !== undefined) wanted.requestKey = requestKey;
    if (tag !== undefined) wanted.tag = tag;
    const ask = (refuses: boolean) => this.store.reserve(wanted, this.limitUnits, refuses);
    const { isIdle } = this.writes;
    this.#running.set(id, call);
    let outcome: ReserveOutcome | Promise<ReserveOutcome>;
    try {
      outcome = ask(isIdle);
    } catch (cause) {
      throw this.#lost(id, call, cause);
    }
    if (!(outcome instanceof Promise)) return this.#judge(id, call, more, outcome);
    return outcome
      .then(async (first) => {
        if (first.granted || isIdle) return first;
        // Calls that were over in this process may leave room, and the store had not heard of it.
        await this.writes.settled();
        return ask(true);
      })
      .then(
        (last) => this.#judge(id, call, more, last),
        (cause: unknown) => {
          throw this.#lost(id, call, cause);
        },
      );
  }

  /** @param amount in units; undefined for what was reserved */
  settle(id: string, amount: number | undefined): void {
    this.#write(id, () => this.store.settle(id, amount));
  }

  hold(request: HoldRequest): void {
    this.#write(request.id, () => this.store.hold(request));
  }

  /** The error for a call that is refused. */
  async refuse(
    call: SpendingCall,
    { name, window }: CallAccount,
    needed: number,
    missing: readonly string[],
  ) {
    try {
      const { spent, reserved } = (await this.store.look(name)) ?? { spent: 0, reserved: 0 };
      return this.#exceeded(call, needed, { spent, reserved, endsAt: window.endsAt }, missing);
    } catch (cause) {
      return this.#unavailable(call, cause);
    }
  }

  /** Nobody knows what a call costs that was let through. */
  tellUncounted({ call, ...rest }: SpendingCall): void {
    const model = modelOf({ call, ...rest });
    this.#tell({
      kind: "uncounted",
      call: call.name,
      ...(model !== undefined && { model }),
      message:
        `${call.name}${model === undefined ? "" : ` of ${model}`} was made, and nobody can say what it cost: the budget ` +
        `${this.name} does not count it. Add a price that bounds it, or leave out unpriced: "allow".`,
    });
  }

  async flush(): Promise<void> {
    await this.writes.settled();
    await this.writes.tryAgain();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.flush();
    await this.#beats;
    await this.store.close?.();
  }

  get #leaseMs(): number {
    return this.options.leaseMs ?? DEFAULT_LEASE_MS;
  }

  #judge(id: string, call: SpendingCall, more: number, outcome: ReserveOutcome): void {
    this.#tellLevels(outcome);
    if (outcome.granted) return;
    // What the call had reserved before stays, until it is settled.
    if (billedAttempts(call.timeline) === 0) this.#running.delete(id);
    throw this.#exceeded(call, more, outcome, []);
  }

  #write(id: string, write: () => AccountState | undefined | Promise<AccountState | undefined>): void {
    const written = (state: AccountState | undefined) => {
      this.#running.delete(id);
      this.#tellLevels(state);
    };
    this.writes.run(id, () => {
      const state = write();
      return state instanceof Promise ? state.then(written) : written(state);
    });
  }

  /** The first one at once: who died before this process was started is found when it begins. */
  #beat(): void {
    if (!this.store.shared || this.#beats !== undefined) return;
    const beat = () => this.#giveSign();
    this.#beats = beat().then(() => repeatEvery(this.#leaseMs / BEATS_PER_LEASE, this.#closing.signal, beat));
  }

  async #giveSign(): Promise<void> {
    try {
      await this.writes.tryAgain();
      const ids = [...this.#running.keys()];
      const now = Date.now();
      if (ids.length > 0) await this.store.renew(ids, now + this.#leaseMs);
      for (const found of await this.store.sweep(now)) this.#tellUnresolved(found);
    } catch {
      // Calls fail for the same reason, and say so.
    }
  }

  /** The store may have heard, and only its answer was lost. What a call has reserved before, it settles itself. */
  #lost(id: string, call: SpendingCall, cause: unknown): BudgetUnavailableError {
    if (call.timeline.length === 0) this.settle(id, 0);
    return this.#unavailable(call, cause);
  }

  #unavailable(call: SpendingCall, cause: unknown): BudgetUnavailableError {
    const { name, method, path } = call.call;
    const what = call.timeline.length === 0 ? "sent" : "repeated";
    return new BudgetUnavailableError(
      `${name} was not ${what}: the store of the budget ${this.name} failed (${describeThrown(cause)}), so that nobody ` +
        "knows whether the call fits. Nothing was paid for it. See that the store can be reached, and call again.",
      { method, path, retryable: true, cause, ...doubtOf(call) },
    );
  }

  #exceeded(
    call: SpendingCall,
    units: number,
    { spent, reserved, endsAt }: Pick<AccountState, "spent" | "reserved" | "endsAt">,
    missing: readonly string[],
  ): BudgetExceededError {
    const { limit, currency } = this.options;
    const { name, method, path } = call.call;
    const needed = this.toAmount(units);
    const money = (amount: number) => `${Number(amount.toFixed(6))} ${currency}`;
    const doubt = doubtOf(call);
    const why =
      missing.length > 0
        ? `nothing bounds what it can cost. Give it, or its price, ${missing.join(", ")}; unpriced: "allow" lets such calls pass.`
        : `it can cost up to ${money(needed)}, and of the budget ${this.name} of ${money(limit)}, ` +
          `${money(this.toAmount(spent))} are spent and ${money(this.toAmount(reserved))} reserved. ` +
          (needed > limit
            ? "It never fits: ask for less, or raise the limit."
            : `The next window begins at ${new Date(endsAt).toISOString()}.`);
    const hint = doubt.maybeProcessed
      ? ` An earlier attempt may have been carried out and billed. Before you repeat ${name}, check the usage records of the key.`
      : "";
    return new BudgetExceededError(
      `${name} was not ${call.timeline.length === 0 ? "sent" : "repeated"}: ${why}${hint}`,
      {
        ...{ method, path, limit, currency, needed, renewsAt: endsAt },
        ...{ spent: this.toAmount(spent), reserved: this.toAmount(reserved) },
        ...(missing.length > 0 && { missing }),
        ...doubt,
      },
    );
  }

  #tellLevels(state: AccountState | undefined): void {
    if (state === undefined || state.reached.length === 0) return;
    const [budget = "", , ...whose] = state.account.split("/");
    for (const level of state.reached) {
      const event: BudgetLevelEvent = {
        ...{ level: level as BudgetLevelEvent["level"], budget, account: whose.join("/") },
        ...{ limit: this.toAmount(state.limit), currency: this.options.currency, renewsAt: state.endsAt },
        ...{ spent: this.toAmount(state.spent), reserved: this.toAmount(state.reserved) },
      };
      safely(() => this.options.onLevel?.(event));
    }
  }

  #tellUnresolved({ id, call, model, at, requestKey, amount, owner }: Reservation): void {
    const worth = `${Number(this.toAmount(amount).toFixed(6))} ${this.options.currency}`;
    this.#tell({
      ...{ kind: "unresolved", call, id, at },
      ...(model !== undefined && { model }),
      ...(requestKey !== undefined && { requestKey }),
      message:
        `The process ${owner} ended during ${call} of ${new Date(at).toISOString()}. The call may have been carried out ` +
        `and billed: it counts as ${worth} spent. Look into the usage records of the key` +
        `${requestKey === undefined ? "" : ` (request ${requestKey})`}, then call settle("${id}", amount) or ` +
        `release("${id}") of the budget.`,
    });
  }

  #tellUnsettled(id: string, cause: unknown): void {
    this.#tell({
      ...{ kind: "unsettled", call: this.#running.get(id)?.call.name ?? "a call", id, cause },
      message:
        `The store of the budget ${this.name} did not take what a call has cost (${describeThrown(cause)}): what was ` +
        "reserved for it counts until it does. It is tried again.",
    });
  }

  #tell(trouble: BudgetTrouble): void {
    const tell = this.options.onTrouble ?? (({ message }) => console.warn(`Model Gateway: ${message}`));
    safely(() => tell(trouble));
  }
}

export function modelOf({ call }: Pick<SpendingCall, "call">): string | undefined {
  const body = readObject(call.body ?? call.request);
  const model = body?.["model_name"] ?? body?.["model"];
  return typeof model === "string" ? model : undefined;
}

function doubtOf({ call, timeline }: SpendingCall) {
  const maybeProcessed = call.cost === "billable" && billedAttempts(timeline) > 0;
  return { timeline: [...timeline], maybeProcessed };
}

/** For people: a budget that is told of by a function that fails is held all the same. */
function safely(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    console.warn(`Model Gateway: a function that a budget tells failed: ${describeThrown(error)}`);
  }
}

function ownerName(): string {
  const { process } = globalThis as { process?: { pid?: number } };
  const random = crypto.randomUUID().slice(0, 8);
  return process?.pid === undefined ? random : `${process.pid}-${random}`;
}
