/** A limit for what calls cost: `@model-gateway/core/budget`. */
export type { Budget, BudgetUsage, OpenReservation } from "./budget/budget.js";
export { BudgetLedger as MemoryBudgetStore } from "./budget/budget-ledger.js";
export type {
  BudgetedCall,
  BudgetLevelEvent,
  BudgetOptions,
  BudgetTrouble,
} from "./budget/budget-options.js";
export type {
  AccountState,
  BudgetStore,
  HoldRequest,
  Reservation,
  ReservationState,
  ReserveOutcome,
} from "./budget/budget-store.js";
export type { BudgetWindow } from "./budget/budget-window.js";
export { createBudget } from "./budget/create-budget.js";
export type { CallBudget, Expense, Spending, SpendingCall } from "./config/call-budget.js";
export { BudgetExceededError, BudgetUnavailableError } from "./errors/budget-errors.js";
