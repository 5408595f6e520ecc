import { expect, test } from "vitest";
import { Crc } from "./crc.js";

// The check values of the catalogue of parametrised CRC algorithms (CRC-8/SMBUS, CRC-16/UMTS, CRC-32/CKSUM without
// its final inversion).
test.each([
  [8, 0x07, 0xf4],
  [16, 0x8005, 0xfee8],
  [32, 0x04c11db7, 0x89a1897f],
] as const)("has the known value of 123456789 with %i bits", (bits, polynomial, value) => {
  expect(new Crc({ bits, polynomial }).of(Buffer.from("123456789"))).toBe(value);
});
