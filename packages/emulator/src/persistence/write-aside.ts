import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

/** Keys are in these files. */
export const PRIVATE_FILE = 0o600;

/**
 * Writes a file whole or not at all: aside, onto the disk, then under its name. Only its owner may read it.
 *
 * @param pieces what it holds, in order
 */
export function writeAside(path: string, pieces: Iterable<string | Uint8Array>): void {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(aside, "wx", PRIVATE_FILE);
    try {
      for (const piece of pieces) writeWhole(file, piece);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** The system may take less than it was given. */
export function writeWhole(file: number, piece: string | Uint8Array): number {
  const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
  let written = 0;
  while (written < bytes.byteLength) written += writeSync(file, bytes, written);
  return written;
}
