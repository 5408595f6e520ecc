import type { BudgetLedger, LedgerState } from "../budget/budget-ledger.js";
import type { HoldRequest, Reservation } from "../budget/budget-store.js";

/** A step as a log has it: what is done, and with what. */
export type BudgetStep =
  | ["reserve", Reservation, limit: number, refuses: boolean]
  | ["settle", id: string, amount: number | null]
  | ["hold", HoldRequest]
  | ["renew", ids: readonly string[], leaseUntil: number]
  | ["sweep", now: number];

/** A line of a log: what it goes on from, a step under a name of its own, or that the next log goes on from here. */
export type BudgetLogLine =
  | { v: 1; state: LedgerState }
  | { step: BudgetStep; name: string }
  | { seal: true };

/**
 * Whatever stands before it may have been cut in the middle, by a full disk or a power failure: what is left of that is a
 * line of its own, which nobody can read.
 */
export function encodeLine(line: BudgetLogLine): string {
  return `\n${JSON.stringify(line)}\n`;
}

/** @returns undefined for what is left of a line that was cut */
export function decodeLine(text: string): BudgetLogLine | undefined {
  try {
    const line = JSON.parse(text) as Partial<Record<"state" | "step" | "seal", unknown>> | null;
    const isLine = line?.state !== undefined || Array.isArray(line?.step) || line?.seal === true;
    return isLine ? (line as BudgetLogLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Does a step. The same ones in the same order come to the same, whoever does them. */
export function doStep(ledger: BudgetLedger, step: BudgetStep): unknown {
  switch (step[0]) {
    case "reserve":
      return ledger.reserve(step[1], step[2], step[3]);
    case "settle":
      return ledger.settle(step[1], step[2] ?? undefined);
    case "hold":
      return ledger.hold(step[1]);
    case "renew":
      return ledger.renew(step[1], step[2]);
    case "sweep":
      return ledger.sweep(step[1]);
  }
}
