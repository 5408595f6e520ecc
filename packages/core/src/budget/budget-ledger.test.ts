import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetStoreContract } from "../testing/budget-store-contract.js";
import { BudgetLedger } from "./budget-ledger.js";
import type { Reservation } from "./budget-store.js";

describe("the books of a budget, as every store", () => {
  for (const { title, run } of budgetStoreContract(() => new BudgetLedger())) it(title, run);
});

describe("the books of a budget", () => {
  const LIMIT = 50;
  const id = fc.constantFrom("a", "b", "c", "d");
  const amount = fc.integer({ min: 0, max: 30 });
  const step = fc.oneof(
    fc.record({ do: fc.constant("reserve" as const), id, amount }),
    fc.record({ do: fc.constant("settle" as const), id, amount }),
    fc.record({ do: fc.constant("task" as const), id, amount }),
    fc.record({ do: fc.constant("unresolved" as const), id, amount }),
    fc.record({ do: fc.constant("sweep" as const) }),
    fc.record({ do: fc.constant("renew" as const), id }),
  );

  it("balance after any steps, and say the same when they are taken up again", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let ledger = new BudgetLedger();
        let settled = 0;
        for (const each of steps) {
          const before = ledger.look("x") ?? { spent: 0, reserved: 0 };
          if (each.do === "reserve") {
            const held = ledger.list().find((known) => known.id === each.id)?.amount ?? 0;
            const { granted, spent, reserved } = ledger.reserve(running(each.id, each.amount), LIMIT, true);
            const more = Math.max(0, each.amount - held);
            expect(granted).toBe(more === 0 || before.spent + before.reserved + more <= LIMIT);
            if (granted) expect(spent + reserved).toBe(before.spent + before.reserved + more);
          } else if (each.do === "settle") {
            if (ledger.settle(each.id, each.amount) !== undefined) settled += each.amount;
          } else if (each.do === "sweep") ledger.sweep(2);
          else if (each.do === "renew") ledger.renew([each.id], 1);
          else ledger.hold({ id: each.id, state: each.do, amount: each.amount, spent: 0 });
          const open = ledger.list();
          const sum = (states: readonly string[]) =>
            open.reduce((total, { state, amount }) => total + (states.includes(state) ? amount : 0), 0);
          const { spent, reserved } = ledger.look("x") ?? { spent: 0, reserved: 0 };
          expect({ spent, reserved }).toEqual({
            spent: settled + sum(["unresolved"]),
            reserved: sum(["running", "task"]),
          });
          ledger = new BudgetLedger(JSON.parse(JSON.stringify(ledger.state)));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are not changed by what was listed of them", () => {
    const ledger = new BudgetLedger();
    ledger.reserve(running("a", 5), LIMIT, true);
    for (const reservation of ledger.list()) reservation.amount = 0;
    expect(ledger.list()).toMatchObject([{ amount: 5 }]);
  });
});

function running(id: string, amount: number): Reservation {
  return {
    ...{ id, account: "x", endsAt: Number.MAX_SAFE_INTEGER, amount, state: "running", at: 0, leaseUntil: 1 },
    ...{ owner: "o", call: "c" },
  };
}
