import type { Expense } from "../config/call-budget.js";
import { isTerminal } from "../videos/video-status.js";
import type { VideoTask } from "../videos/video-types.js";
import type { BudgetKeeper } from "./budget-keeper.js";

/** Looking at a video task, which costs nothing, and settles what was reserved for the task when it is over. */
export class TaskExpense implements Expense {
  constructor(private readonly keeper: BudgetKeeper) {}

  reserve(): void {}

  answered(result: unknown): void {
    const { handle, status, cost } = result as VideoTask;
    if (handle.reservation === undefined || !isTerminal(status)) return;
    // What was asked for is what was reserved: an estimate says no more. What fails is refunded.
    const known = cost?.source === "estimate" ? undefined : cost?.units;
    this.keeper.settle(handle.reservation, status === "succeeded" ? known : 0);
  }

  ended(): void {}

  failed(): void {}
}
