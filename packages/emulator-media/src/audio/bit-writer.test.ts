import { expect, test } from "vitest";
import { BitWriter } from "./bit-writer.js";

test("packs numbers of any width, highest bit first", () => {
  const writer = new BitWriter(1);
  writer.write(0b101, 3);
  writer.write(0, 0);
  writer.write(-1, 4);
  writer.write(0xabcdef, 24);
  writer.align();
  expect([...writer.bytes()]).toEqual([0b10111111, 0x57, 0x9b, 0xde]);
});

test.each([0, 7, 15, 16, 40])("writes %i in unary", (zeros) => {
  const writer = new BitWriter(1);
  writer.writeUnary(zeros);
  writer.align();
  const bits = [...writer.bytes()].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  expect(bits).toMatch(new RegExp(`^0{${zeros}}10*$`));
  expect(bits.length - zeros).toBeLessThanOrEqual(8);
});
