import { expect, test } from "vitest";
import { requestKey } from "./request-key.js";

test("is equal for equal requests, whatever holds their bytes", () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect(requestKey({ seed: 1, inputs: [bytes] })).toBe(requestKey({ seed: 1, inputs: [bytes.slice()] }));
});

test("differs with any value and any byte, and stays short", () => {
  const inputs = [new Uint8Array(100_000)];
  const keys = [
    { seed: 1, inputs },
    { seed: 2, inputs },
    { seed: 1, inputs: [new Uint8Array(100_000).fill(1, 99_999)] },
    { seed: 1, inputs: [...inputs, ...inputs] },
  ].map(requestKey);
  expect(new Set(keys).size).toBe(4);
  for (const key of keys) expect(key.length).toBeLessThan(200);
});
