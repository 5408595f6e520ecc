import { describe, expect, it } from "vitest";
import { Bill } from "./bill.js";
import { Ledger } from "./ledger.js";
import { ModelStore } from "./model-store.js";

const key = { key: "sk-team", group: "default", quota: 10 };

function openBill(ledger: Ledger): Bill {
  const bill = new Bill(ledger, new ModelStore(), {
    key,
    endpoint: "/chat/completions",
    requestId: "request-1",
  });
  bill.expect("local-chat", { inputTokens: 20 });
  return bill;
}

describe("a bill", () => {
  it("sets aside what it expects until it is settled by what it came to", () => {
    const ledger = new Ledger(() => 0);
    const bill = openBill(ledger);
    expect([ledger.available(key), ledger.total().units]).toEqual([5, 0]);
    bill.count({ inputTokens: 20, outputTokens: 7 });
    bill.settle();
    bill.settle();
    expect([ledger.available(key), ledger.total()]).toEqual([-2, { calls: 1, units: 12, amount: 0.000024 }]);
  });

  it("that is dropped leaves no trace", () => {
    const ledger = new Ledger(() => 0);
    const bill = openBill(ledger);
    bill.drop();
    bill.settle();
    expect([ledger.available(key), ledger.list()]).toEqual([10, []]);
  });
});
