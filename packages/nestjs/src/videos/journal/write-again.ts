import { open } from "node:fs/promises";
import { isLackOfRoom } from "./journal-write-error.js";

/**
 * Writes a part of a file as it is, and syncs it. A system whose sync failed may hold what it did not write for clean: it
 * reads as it should, later syncs leave it out, and it is gone when the power fails.
 */
export async function writeAgain(path: string, from: number, to: number): Promise<void> {
  const file = await open(path, "r+");
  try {
    const bytes = Buffer.alloc(to - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    await file.write(bytes, 0, bytesRead, from).catch((error) => {
      // Some file systems need room for what is there already; what is read is polled all the same.
      if (!isLackOfRoom(error)) throw error;
    });
    await file.datasync();
  } finally {
    await file.close();
  }
}
