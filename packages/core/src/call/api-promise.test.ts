import { describe, expect, it, vi } from "vitest";
import { APIPromise, type WithResponse } from "./api-promise.js";

const outcome: WithResponse<number> = {
  data: 7,
  response: { status: 200, headers: new Headers(), url: "u" },
  requestId: "r1",
  attempts: 2,
};
const fulfilled = () => new APIPromise(Promise.resolve(outcome));
const why = new Error("why");
const rejected = () => new APIPromise<number>(Promise.reject(why));

describe("the promise of a call", () => {
  it("gives the result, or all that is known of its answer", async () => {
    expect(await fulfilled()).toBe(7);
    expect(await fulfilled().withResponse()).toBe(outcome);
    expect(await fulfilled().then((value) => value + 1)).toBe(8);
    expect(String(fulfilled())).toBe("[object Promise]");
  });

  it("fails as promises do", async () => {
    await expect(rejected()).rejects.toBe(why);
    await expect(rejected().withResponse()).rejects.toBe(why);
    expect(await rejected().catch((error) => [error])).toEqual([why]);
    expect(await fulfilled().catch(() => 0)).toBe(7);
    expect(await rejected().then(undefined, () => 1)).toBe(1);
  });

  it("tells a finally, and changes nothing by it", async () => {
    const told = vi.fn(() => 1);
    expect(await fulfilled().finally(told)).toBe(7);
    await expect(rejected().finally(told)).rejects.toBe(why);
    expect(told).toHaveBeenCalledTimes(2);
  });

  it("maps to another result of the same answer", async () => {
    const mapped = fulfilled().map((value) => `${value}`);
    expect(await mapped).toBe("7");
    expect(await mapped.withResponse()).toEqual({ ...outcome, data: "7" });
    await expect(rejected().map(String)).rejects.toBe(why);
  });
});
