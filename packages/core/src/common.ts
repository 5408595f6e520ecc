export { APIPromise, type GatewayResponse, type WithResponse } from "./call/api-promise.js";
export type { RequestOptions } from "./call/call.js";
export { Connection } from "./call/connection.js";
export type { APIKeySource } from "./checks/check-api-key.js";
export type { Route } from "./config/addresses.js";
export type { CallBudget, Expense, Spending, SpendingCall } from "./config/call-budget.js";
export type { ModelGatewayOptions } from "./config/config.js";
export type { CallPrices, PricedAnswer, PricedAttempt, PricedCall } from "./costs/call-prices.js";
export type { Cost, CostSource, Quote } from "./costs/cost.js";
export type {
  CallEvent,
  FailoverEvent,
  FailureEvent,
  GatewayHooks,
  GatewayLogger,
  LogLevel,
  PollFailedEvent,
  ResponseEvent,
  RetryEvent,
  StreamEndEvent,
} from "./hooks/observer.js";
export type { CallEnd, CallSpan, GatewayTracer, TracedCall } from "./hooks/tracer.js";
export type { TraceContext } from "./tasks/trace-context.js";
export type { AddressKind } from "./transport/address-kind.js";
export type { FetchFunction } from "./transport/fetch-transport.js";
