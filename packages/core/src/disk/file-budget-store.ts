import { resolve } from "node:path";
import type {
  AccountState,
  BudgetStore,
  HoldRequest,
  Reservation,
  ReserveOutcome,
} from "../budget/budget-store.js";
import { BudgetLog } from "./budget-log.js";
import { type BudgetStep, encodeLine } from "./budget-log-line.js";

interface Waiting {
  name: string;
  /** Absent for one who only wants to know how things are. */
  step?: BudgetStep;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
}

/**
 * Keeps budgets in files on a local disk, for all processes of one machine: `<path>.<number>`. What a call has reserved is
 * on disk before the call is sent. There is no lock, so a process may be killed at any moment: all append their steps to
 * one log, and its order is theirs. Not for network drives, which mix up what several append.
 *
 * @example
 * const budget = createBudget({ limit: 20, currency: "USD", window: "day", store: new FileBudgetStore("data/budget") });
 */
export class FileBudgetStore implements BudgetStore {
  readonly shared = true;
  readonly #path: string;
  readonly #id = crypto.randomUUID().slice(0, 8);
  #steps = 0;
  #log: BudgetLog | undefined;
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #isClosed = false;

  /** @param path of the files, without their number; its folder is made where there is none */
  constructor(path: string) {
    this.#path = resolve(path);
  }

  reserve(reservation: Reservation, limit: number, refuses: boolean): Promise<ReserveOutcome> {
    return this.#do<ReserveOutcome>(["reserve", reservation, limit, refuses]);
  }

  settle(id: string, amount: number | undefined): Promise<AccountState | undefined> {
    return this.#do<AccountState | undefined>(["settle", id, amount ?? null]);
  }

  hold(request: HoldRequest): Promise<AccountState | undefined> {
    return this.#do<AccountState | undefined>(["hold", request]);
  }

  renew(ids: readonly string[], leaseUntil: number): Promise<void> {
    return this.#do<void>(["renew", ids, leaseUntil]);
  }

  async sweep(now: number): Promise<readonly Reservation[]> {
    const open = await this.list();
    // Mostly there is nothing, and every step makes the log longer.
    const isNeeded = open.some(({ state, leaseUntil }) => state === "running" && leaseUntil <= now);
    return isNeeded ? this.#do<readonly Reservation[]>(["sweep", now]) : [];
  }

  async list(): Promise<readonly Reservation[]> {
    return (await this.#read()).ledger.list();
  }

  async look(account: string): Promise<Pick<AccountState, "spent" | "reserved"> | undefined> {
    return (await this.#read()).ledger.look(account);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
    await this.#log?.close();
    this.#log = undefined;
  }

  #read(): Promise<BudgetLog> {
    return this.#do<BudgetLog>();
  }

  #do<T>(step?: BudgetStep): Promise<T> {
    if (this.#isClosed) return Promise.reject(new Error("The store of the budget is closed."));
    const done = new Promise<T>((resolve, reject) => {
      const name = `${this.#id}-${++this.#steps}`;
      this.#waiting.push({
        ...{ name, resolve: resolve as (outcome: unknown) => void, reject },
        ...(step !== undefined && { step }),
      });
    });
    this.#working ??= this.#work();
    return done;
  }

  /** All that waits goes to the disk at once: one flush for any number of calls. */
  async #work(): Promise<void> {
    // Those that come in the same turn belong to the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = new Map(this.#waiting.splice(0).map((each) => [each.name, each]));
      try {
        await this.#doAll(batch);
      } catch (error) {
        for (const { reject } of batch.values()) reject(error);
      }
    }
    this.#working = undefined;
  }

  /** @param batch from which is taken what is done */
  async #doAll(batch: Map<string, Waiting>): Promise<void> {
    this.#log ??= await BudgetLog.open(this.#path);
    const done = (name: string, outcome: unknown) => {
      batch.get(name)?.resolve(outcome);
      batch.delete(name);
    };
    for (;;) {
      if (this.#log.isSealed) this.#log = await this.#log.next();
      const steps = [...batch.values()].flatMap(({ step, name }) =>
        step ? [encodeLine({ step, name })] : [],
      );
      if (steps.length > 0) await this.#log.append(steps.join(""));
      await this.#log.read(done);
      // What came behind a seal does not count, and is said again.
      if (!this.#log.isSealed) break;
    }
    if (await this.#log.isGone()) {
      await this.#log.close();
      this.#log = undefined;
      throw new Error(`${this.#path} was removed while it was in use: what it said is lost.`);
    }
    for (const { step, resolve, reject } of batch.values())
      step === undefined
        ? resolve(this.#log)
        : reject(new Error(`${this.#path} does not say what was written to it.`));
    batch.clear();
    if (!this.#log.isLong) return;
    await this.#log.seal();
    await this.#log.read(done);
  }
}
