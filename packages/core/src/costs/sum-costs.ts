import type { Cost } from "./cost.js";

/** @returns undefined when one of them is: the sum of the others would be too little */
export function sumCosts(costs: ReadonlyArray<Cost | undefined>): Cost | undefined {
  return costs.reduce((sum, cost) => {
    if (sum === undefined || cost === undefined) return undefined;
    const source = sum.source === cost.source ? cost.source : "price-book";
    const maybeMore = sum.maybeMore ?? cost.maybeMore;
    const { currency } = cost;
    const added = { amount: sum.amount + cost.amount, currency, units: sum.units + cost.units, source };
    return { ...added, ...(maybeMore && { maybeMore }) } as Cost;
  });
}
