import { open } from "node:fs/promises";

/** Makes the names in a folder durable: a file that is on disk is lost when its name is not. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and has names on disk by itself.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
