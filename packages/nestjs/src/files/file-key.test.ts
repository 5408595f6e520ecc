import fc from "fast-check";
import { expect, it } from "vitest";
import { checkFileKey, fileKey } from "./file-key.js";

it("leaves plain names as they are", () => {
  expect(fileKey("default", "order-7_b", "0.mp4")).toBe("default/order-7_b/0.mp4");
});

it.each([
  "..",
  ".",
  "",
  "a/b",
  "A",
  "con",
  "nul.txt",
  "a.",
  ".a",
  "x".repeat(500),
  "Ünal & Co.",
  "a~b",
  "a\0b",
])("makes a name of %j that leads nowhere else, on any file system", (text) => {
  const name = fileKey(text);
  expect(name).toMatch(/^[a-z0-9-]{0,40}~[0-9a-f]{24}$/);
  expect(() => checkFileKey(name)).not.toThrow();
});

it("makes different keys of different texts, also where case does not count", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(() => checkFileKey(fileKey(one, other))).not.toThrow();
      expect(fileKey(one).toLowerCase() === fileKey(other).toLowerCase()).toBe(one === other);
    }),
  );
  expect(fileKey("Order")).not.toBe(fileKey("order"));
  expect(fileKey(fileKey("Order"))).not.toBe(fileKey("Order"));
});
