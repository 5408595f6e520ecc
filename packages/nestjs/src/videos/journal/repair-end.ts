import { open } from "node:fs/promises";
import { cutFiles } from "./cut-files.js";
import { encodeLine } from "./journal-format.js";
import { isLackOfRoom } from "./journal-write-error.js";
import type { JournalReading } from "./read-journal.js";
import { readTail } from "./read-tail.js";
import type { SpaceReserve } from "./space-reserve.js";

/** What became of the end of a journal. */
export interface RepairedEnd {
  /** Entries that are whole, or could be put right, in the order of writing. */
  entries: string[];
  /** In bytes, of the whole file. */
  length: number;
  /** What to say of it. */
  message: string;
  /** Whether what had been acknowledged was not as it was written. */
  isDamage: boolean;
}

/**
 * Leaves of the end of a journal what is certain, and keeps the bytes as they were in a file of their own. When this
 * is interrupted, it is done again by the next start.
 */
export async function repairEnd(
  path: string,
  { length, durableLength, tail }: JournalReading,
  reserve: SpaceReserve,
): Promise<RepairedEnd> {
  const isOfLastWrite = (known: number) => known === length || known === durableLength;
  const { lines, mended, remains } = readTail(tail, isOfLastWrite);
  const isLost = mended > 0 || remains.length > 0;
  const cutPath = isLost ? await keep(path, tail, reserve) : undefined;
  const entries = lines.map(({ entry }) => entry);
  const bytes = Buffer.concat(entries.map((entry) => encodeLine(entry, length)));
  await overwriteEnd(path, bytes, length);

  const lost = remains.reduce((sum, piece) => sum + piece.length, 0);
  const isTorn = remains.every((piece) => piece.isTorn);
  const isDamage = mended > 0 || !isTorn;
  const sentences = [
    mended > 0 &&
      `${mended} of the last records in ${path} had a bit that was wrong, and could be put right for certain.`,
    lost > 0 &&
      !isTorn &&
      `${path} ended with ${lost} bytes that are not what was written; they are cut off.`,
    !isDamage &&
      `${path} ended with ${lost} bytes of a write that a crash cut short. They were never acknowledged, so nothing ` +
        "was paid on the strength of them; they are cut off.",
    cutPath !== undefined && `The end as it was is kept in ${cutPath}.`,
    isDamage && "Check the disk and the memory of this machine.",
  ];
  return {
    entries,
    length: length + bytes.length,
    message: sentences.filter((sentence) => sentence !== false).join(" "),
    isDamage,
  };
}

async function keep(path: string, bytes: Buffer, reserve: SpaceReserve): Promise<string> {
  try {
    return await cutFiles.keep(path, bytes);
  } catch (error) {
    if (!isLackOfRoom(error)) throw error;
    await reserve.giveUp();
    return cutFiles.keep(path, bytes);
  }
}

async function overwriteEnd(path: string, bytes: Buffer, offset: number): Promise<void> {
  const file = await open(path, "r+");
  try {
    // In this order a crash leaves what was there, or more than is wanted, and never less.
    await file.write(bytes, 0, bytes.length, offset);
    await file.datasync();
    await file.truncate(offset + bytes.length);
    await file.datasync();
  } finally {
    await file.close();
  }
}
