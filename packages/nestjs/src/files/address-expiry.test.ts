import { expect, it } from "vitest";
import { addressExpiry } from "./address-expiry.js";

const AT = Date.UTC(2026, 10, 22, 9);

it.each([
  ["X-Amz-Date=20261122T080000Z&X-Amz-Expires=3600&X-Amz-Signature=s", AT],
  ["X-Goog-Date=20261122T080000Z&X-Goog-Expires=3600", AT],
  ["x-tos-date=20261122T080000Z&x-tos-expires=3600", AT],
  [`Expires=${AT / 1_000}&Signature=s`, AT],
  [`expires=${AT}`, AT],
  [`exp=${AT / 1_000}&e=${AT / 1_000 + 60}`, AT],
  ["se=2026-11-22T09%3A00%3A00Z&sig=s", AT],
  ["se=2026-11-22T09%3A00%3A00Z", undefined],
  ["X-Amz-Expires=3600", undefined],
  ["X-Amz-Date=nonsense&X-Amz-Expires=3600", undefined],
  ["expires=3600", undefined],
  ["expires=soon", undefined],
  ["expires=99999999999999999", undefined],
  ["e=2", undefined],
  ["", undefined],
])("an address with %s", (query, expiry) => {
  expect(addressExpiry(`https://files.example.com/1.mp4?${query}`)).toBe(expiry);
});

it("is not known of what is no address", () => {
  expect(addressExpiry("/files/1.mp4?expires=1795334400")).toBeUndefined();
});
