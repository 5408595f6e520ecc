import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemErrorCode } from "../../files/system-error-code.js";
import { RESERVE_BYTES } from "./space-reserve.js";

/**
 * Finds out whether a journal could be made in a folder that need not be there yet, and leaves nothing behind: what is
 * wrong shows up when an application starts, and not with its first order.
 *
 * @throws the system's error when it could not
 */
export async function probeFolder(directory: string): Promise<void> {
  // A name is refused where there is no right to write, and on a file system that takes nothing at all.
  const probe = await mkdtemp(join(await nearestFolder(directory), ".model-gateway-probe-"));
  try {
    await writeFile(join(probe, "room"), Buffer.alloc(RESERVE_BYTES, "room"));
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

/** The folder itself, or the one in which it would be made. */
async function nearestFolder(directory: string): Promise<string> {
  try {
    // What stands there and is no folder is told by whoever tries to make something in it.
    await stat(directory);
    return directory;
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
    return nearestFolder(dirname(directory));
  }
}
