import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./sync-folder.js";

/** Makes a folder whose name is as durable as what will be in it. */
export async function makeFolder(directory: string): Promise<void> {
  // An octal number, as chmod takes it.
  const first = await mkdir(directory, { recursive: true, mode: "700" });
  if (first === undefined) return;
  for (let folder = directory; folder !== dirname(first); folder = dirname(folder)) {
    await syncFolder(dirname(folder));
  }
}
