import type { CallBudget, CallPrices, Cost, Expense, Spending, SpendingCall } from "@model-gateway/core";
import type { CostEvent } from "./metrics-event.js";

/** Tasks that ended are read again at times: so many are remembered. */
const MOST_TASKS = 10_000;

/** Sees what each call has cost, where a budget would; and asks the application's own budget, if it has one. */
export class CostTellingBudget implements CallBudget {
  private readonly toldTasks = new Set<string>();

  constructor(
    private readonly own: CallBudget | undefined,
    private readonly tell: (event: CostEvent) => void,
  ) {}

  spendBy(prices: CallPrices | undefined): Spending {
    const own = this.own?.spendBy(prices);
    return { begin: (call) => new ToldExpense(own?.begin(call), (result) => this.settled(call, result)) };
  }

  private settled({ call, options, timeline }: SpendingCall, { cost, handle }: Result): void {
    if (cost === undefined || (handle !== undefined && !this.isNews(handle.id))) return;
    const { model = handle?.model, model_name = model } = (call.body ?? call.request ?? {}) as Asked;
    const requestId = timeline.at(-1)?.requestId;
    this.tell({
      ...{ call: call.name, cost },
      ...(model_name !== undefined && { model: String(model_name) }),
      ...(options.budgetTag !== undefined && { tag: options.budgetTag }),
      ...(handle !== undefined && { task: handle.id }),
      ...(requestId !== undefined && { requestId }),
    });
  }

  private isNews(task: string): boolean {
    if (this.toldTasks.has(task)) return false;
    this.toldTasks.add(task);
    for (const oldest of this.toldTasks) {
      if (this.toldTasks.size <= MOST_TASKS) break;
      this.toldTasks.delete(oldest);
    }
    return true;
  }
}

interface Asked {
  model?: unknown;
  model_name?: unknown;
}

interface Result {
  cost?: Cost;
  /** Of a video task. */
  handle?: { id: string; model?: string };
}

/** The expense of a call, which also learns when it is known what the call has cost: of a stream, when it is over. */
class ToldExpense implements Expense {
  private result: Result | undefined;
  private hasEnded = false;

  constructor(
    private readonly own: Expense | undefined,
    private readonly settled: (result: Result) => void,
  ) {}

  reserve(apiKey: string): void | Promise<void> {
    return this.own?.reserve(apiKey);
  }

  answered(result: unknown, streams: boolean): void {
    this.own?.answered(result, streams);
    if (typeof result !== "object" || result === null) return;
    this.result = result;
    if (!streams || this.hasEnded) this.settled(this.result);
  }

  ended(): void {
    this.own?.ended();
    this.hasEnded = true;
    if (this.result !== undefined) this.settled(this.result);
  }

  failed(): void {
    this.own?.failed();
  }
}
