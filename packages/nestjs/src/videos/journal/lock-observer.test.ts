import { expect, it } from "vitest";
import { LockObserver } from "./lock-observer.js";

const LEASE_MS = 30_000;

function useClock() {
  let now = 5_000;
  const observer = new LockObserver(() => now);
  const look = (mark: string, afterMs = 0, token = "a") => {
    now += afterMs;
    return observer.look(token, mark, LEASE_MS);
  };
  return { look };
}

it("calls a lock silent that stood still for the lease, and not before", () => {
  const { look } = useClock();
  expect(look("1")).toBe("unknown");
  for (let ms = 500; ms < LEASE_MS; ms += 500) expect(look("1", 500)).toBe("unknown");
  expect(look("1", 500)).toBe("silent");
});

it("starts anew whenever the lock moves, in whichever direction its time does", () => {
  const { look } = useClock();
  look("2026");
  for (let ms = 0; ms < LEASE_MS - 1_000; ms += 1_000) look("2026", 1_000);
  expect(look("1970", 1_000)).toBe("moving");
  for (let ms = 1_000; ms < LEASE_MS; ms += 1_000) expect(look("1970", 1_000)).toBe("moving");
  expect(look("1970", 1_000)).toBe("silent");
});

it("counts no time in which nobody looked: the owner may have stood still with us", () => {
  const { look } = useClock();
  look("1");
  expect(look("1", 10 * LEASE_MS)).toBe("unknown");
  expect(look("2", 500)).toBe("moving");
});

it("keeps locks apart", () => {
  const { look } = useClock();
  for (let ms = 0; ms <= LEASE_MS; ms += 1_000) look("1", 1_000);
  expect(look("1", 0, "b")).toBe("unknown");
  expect(look("1")).toBe("silent");
});
