/** What calls cost: `@model-gateway/core/prices`. */
export type { CallPrices, PricedAnswer, PricedAttempt, PricedCall } from "./costs/call-prices.js";
export type { Cost, CostSource, Quote } from "./costs/cost.js";
export type { BillableCalls } from "./prices/billable-calls.js";
export type { ModelPrice, ModelPrices, PriceByKind, PriceList, Rounding } from "./prices/model-price.js";
export { type PriceBook, priceBook } from "./prices/price-book.js";
export {
  type GatewayPricing,
  type ReadPricingOptions,
  readGatewayPricing,
} from "./prices/read-gateway-pricing.js";
