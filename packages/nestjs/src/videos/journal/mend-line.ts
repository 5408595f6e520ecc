import { crc32 } from "node:zlib";
import { PREFIX_LENGTH, prefixOf } from "./journal-format.js";

/** Lines are some kilobytes; what is longer than this is none. */
const MAX_LENGTH = 4_194_304;

/**
 * Puts right a line of a journal in which one bit is wrong. No two lines that have the same checksum differ in fewer
 * than three bits, so there is one line at most that this one can have been.
 *
 * @param line without its newline
 * @returns undefined when more is wrong with it
 */
export function mendLine(line: Buffer): Buffer | undefined {
  if (line.length <= PREFIX_LENGTH || line.length > MAX_LENGTH) return undefined;
  const body = line.subarray(PREFIX_LENGTH);
  const prefix = Buffer.from(prefixOf(body));
  if (differingBits(prefix, line.subarray(0, PREFIX_LENGTH)) === 1) return Buffer.concat([prefix, body]);
  const written = line.toString("latin1", 0, PREFIX_LENGTH);
  if (!/^[0-9a-f]{8} $/.test(written)) return undefined;
  const bit = findBit(body.length, crc32(body) ^ Number.parseInt(written, 16));
  if (bit === undefined) return undefined;
  const mended = Buffer.from(line);
  mended.writeUInt8(mended.readUInt8(PREFIX_LENGTH + bit.index) ^ bit.mask, PREFIX_LENGTH + bit.index);
  return mended;
}

/** Which bit of a body changes its checksum so. */
function findBit(length: number, difference: number): { index: number; mask: number } | undefined {
  // What each bit of the last byte changes; one byte further from the end, it is that with a byte of zeros behind.
  let changes = Array.from({ length: 8 }, (_, bit) => TABLE[1 << bit] ?? 0);
  for (let index = length - 1; index >= 0; index -= 1) {
    const bit = changes.indexOf(difference | 0);
    if (bit !== -1) return { index, mask: 1 << bit };
    changes = changes.map((change) => (change >>> 8) ^ (TABLE[change & 0xff] ?? 0));
  }
  return undefined;
}

/** What each last byte does to a checksum of zeros. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => crc32(Buffer.of(byte)) ^ crc32(Buffer.of(0)));

function differingBits(one: Buffer, other: Buffer): number {
  let count = 0;
  for (const [index, byte] of one.entries()) {
    for (let rest = byte ^ other.readUInt8(index); rest > 0; rest >>= 1) count += rest & 1;
  }
  return count;
}
