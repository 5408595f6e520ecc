import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TimerEntry, TimerHeap } from "./timer-heap.js";

const entryAt = (due: number): TimerEntry => ({ due, run: () => {}, cancelled: false });

describe("TimerHeap", () => {
  it("gives the earliest first, whatever came, went and was cancelled before", () => {
    const step = fc.oneof(
      fc.record({ push: fc.integer({ min: 0, max: 30 }) }),
      fc.record({ cancel: fc.nat(30) }),
      fc.constant("pop" as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const heap = new TimerHeap();
        const known: TimerEntry[] = [];
        const waiting = () => known.filter(({ cancelled }) => !cancelled);
        const earliest = () => Math.min(...waiting().map(({ due }) => due));
        for (const each of steps) {
          if (each === "pop") {
            const first = heap.peek();
            heap.pop();
            if (first !== undefined) known.splice(known.indexOf(first), 1);
          } else if ("push" in each) {
            const entry = entryAt(each.push);
            known.push(entry);
            heap.push(entry);
          } else {
            const entry = known[each.cancel];
            if (entry !== undefined) entry.cancelled = true;
          }
          if (waiting().length === 0) expect(heap.peek()).toBeUndefined();
          else expect(heap.peek()?.due).toBe(earliest());
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is empty once it was cleared", () => {
    const heap = new TimerHeap();
    for (const due of [3, 1, 2]) heap.push(entryAt(due));
    heap.clear();
    expect(heap.peek()).toBeUndefined();
    heap.push(entryAt(5));
    expect(heap.peek()?.due).toBe(5);
  });

  it("gives in order what was made due", () => {
    const heap = new TimerHeap();
    for (const due of [30, 10, 50, 20, 40]) heap.push(entryAt(due));
    heap.hasten(25);
    const dues: unknown[] = [];
    for (let entry = heap.peek(); entry !== undefined; entry = heap.peek()) {
      dues.push(entry.due);
      heap.pop();
    }
    expect(dues).toEqual([10, 20, 25, 25, 25]);
  });
});
