export type { Account, BalanceOptions } from "./account/account.js";
export { createAccount } from "./account/create-account.js";
export type { Balance, BalanceSource } from "./account/read-balance.js";
export * from "./common.js";
