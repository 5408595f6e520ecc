/** What stores of one's own are tested with, in Node and with any test runner: `@model-gateway/core/testing`. */
export { budgetStoreContract } from "./testing/budget-store-contract.js";
export { embeddingCacheContract } from "./testing/embedding-cache-contract.js";
export type { StoreContractCase } from "./testing/store-contract-case.js";
export { streamStoreContract } from "./testing/stream-store-contract.js";
