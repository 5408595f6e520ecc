import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./sync-folder.js";
import { systemErrorCode } from "./system-error-code.js";

/** What a folder answers that belongs to somebody else, or to another file system: its names are not ours. */
const NOT_OURS = ["EACCES", "EPERM", "EROFS", "EINVAL"];

/**
 * Makes a folder whose name is as durable as what will be in it. One that is there may be what a process made that died
 * before its name was.
 *
 * @returns whether it was not there
 */
export async function makeFolder(directory: string): Promise<boolean> {
  // From the top down: then only the lowest that is there can lack a durable name.
  if (await isMissing(directory)) await makeFolder(dirname(directory));
  // An octal number, as chmod takes it.
  const isNew = (await mkdir(directory, { recursive: true, mode: "700" })) !== undefined;
  try {
    await syncFolder(dirname(directory));
  } catch (error) {
    if (isNew || !NOT_OURS.includes(systemErrorCode(error))) throw error;
  }
  return isNew;
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    // Whatever else is wrong is told by making it.
    return systemErrorCode(error) === "ENOENT";
  }
}
