import { describe, expect, it } from "vitest";
import { RetryBudget } from "./retry-budget.js";

const taken = (budget: RetryBudget) => {
  let count = 0;
  while (count < 1_000 && budget.take()) count++;
  return count;
};

describe("RetryBudget", () => {
  it("holds as many retries as it was made with", () => {
    expect(taken(new RetryBudget(3))).toBe(3);
    expect(taken(new RetryBudget(0))).toBe(0);
    expect(taken(new RetryBudget(1))).toBe(1);
  });

  it("gets a whole retry back from a success that took one, and a tenth from any other", () => {
    const budget = new RetryBudget(2);
    taken(budget);
    budget.succeeded(2);
    expect(taken(budget)).toBe(1);
    for (let success = 0; success < 9; success++) budget.succeeded(1);
    expect(budget.take()).toBe(false);
    for (let success = 0; success < 2; success++) budget.succeeded(1);
    expect(taken(budget)).toBe(1);
  });

  it("never holds more than it was made with", () => {
    const budget = new RetryBudget(2);
    for (let success = 0; success < 100; success++) budget.succeeded(3);
    expect(taken(budget)).toBe(2);
  });

  it("is never empty when it has no limit", () => {
    const budget = new RetryBudget(Number.POSITIVE_INFINITY);
    expect(taken(budget)).toBe(1_000);
    budget.succeeded(1);
    expect(budget.take()).toBe(true);
  });
});
