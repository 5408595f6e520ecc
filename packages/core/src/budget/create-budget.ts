import type { Spending } from "../config/call-budget.js";
import type { CallPrices } from "../costs/call-prices.js";
import { ConfigurationError } from "../errors/errors.js";
import type { Budget, BudgetUsage, OpenReservation } from "./budget.js";
import { BudgetKeeper } from "./budget-keeper.js";
import { type BudgetOptions, checkBudgetOptions } from "./budget-options.js";
import type { Reservation } from "./budget-store.js";
import { CallExpense } from "./call-expense.js";
import { TaskExpense } from "./task-expense.js";

/**
 * Makes a budget: before a call is sent, what it can cost at most is reserved, and when it is over, what it did cost is
 * settled. A call that does not fit is not sent.
 *
 * @example
 * const budget = createBudget({ limit: 20, currency: "USD", window: "day" });
 * const gateway = new ModelGateway({ prices, budget });
 *
 * @throws ConfigurationError that names the option that is wrong
 */
export function createBudget(options: BudgetOptions): Budget {
  checkBudgetOptions(options);
  return new StoredBudget(new BudgetKeeper({ ...options }));
}

class StoredBudget implements Budget {
  readonly #keeper: BudgetKeeper;

  constructor(keeper: BudgetKeeper) {
    this.#keeper = keeper;
  }

  get limit(): number {
    return this.#keeper.options.limit;
  }

  get currency(): string {
    return this.#keeper.options.currency;
  }

  spendBy(prices: CallPrices | undefined): Spending {
    const keeper = this.#keeper;
    if (prices === undefined)
      throw new ConfigurationError("A budget needs prices: give the client the option prices.", {
        option: "prices",
      });
    const { currency, unitsPerCurrency } = prices;
    if (currency !== this.currency) {
      throw new ConfigurationError(
        `The budget is in ${this.currency}, and the prices are in ${String(currency)}: give both the same currency.`,
        { option: "budget" },
      );
    }
    keeper.unitsPerCurrency ??= unitsPerCurrency;
    if (!(unitsPerCurrency > 0) || keeper.unitsPerCurrency !== unitsPerCurrency) {
      throw new ConfigurationError(
        "Clients that share a budget must have prices with the same unitsPerCurrency: it counts in those units.",
        { option: "prices" },
      );
    }
    return {
      begin(call) {
        if (call.call.cost !== "read") return new CallExpense(keeper, call, prices);
        return call.call.name === "videos.retrieve" ? new TaskExpense(keeper) : undefined;
      },
    };
  }

  async usage(account = ""): Promise<BudgetUsage> {
    const keeper = this.#used();
    const { limit, currency } = this;
    const window = keeper.window();
    const found = await keeper.store.look(keeper.accountName(window, await keeper.whose(account)));
    const [spent, reserved] = [keeper.toAmount(found?.spent ?? 0), keeper.toAmount(found?.reserved ?? 0)];
    return { limit, spent, reserved, currency, since: window.startsAt, renewsAt: window.endsAt };
  }

  async open(): Promise<OpenReservation[]> {
    const keeper = this.#used();
    const all = await keeper.store.list();
    return all
      .filter(({ account }) => account.startsWith(`${keeper.name}/`))
      .map((reservation) => openReservation(reservation, keeper));
  }

  async settle(id: string, amount: number): Promise<boolean> {
    const keeper = this.#used();
    if (typeof amount !== "number" || !(amount >= 0) || amount === Infinity)
      throw new ConfigurationError("What a reservation is settled with must be a number from 0.", {
        option: "amount",
      });
    return (await keeper.store.settle(id, keeper.toUnits(amount))) !== undefined;
  }

  release(id: string): Promise<boolean> {
    return this.settle(id, 0);
  }

  flush(): Promise<void> {
    return this.#keeper.flush();
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }

  /** Amounts are known in the units of a client's prices. */
  #used(): BudgetKeeper {
    if (this.#keeper.unitsPerCurrency !== undefined) return this.#keeper;
    throw new ConfigurationError(
      "The budget belongs to no client yet: give it to one in its option budget.",
      {
        option: "budget",
      },
    );
  }
}

function openReservation(reservation: Reservation, keeper: BudgetKeeper): OpenReservation {
  const { id, amount, state, call, at, owner, model, tag, task, requestKey, account } = reservation;
  const whose = account.split("/").slice(2).join("/");
  return {
    ...{ id, amount: keeper.toAmount(amount), state, call, at, account: whose, owner },
    ...(model !== undefined && { model }),
    ...(tag !== undefined && { tag }),
    ...(task !== undefined && { task }),
    ...(requestKey !== undefined && { requestKey }),
  };
}
