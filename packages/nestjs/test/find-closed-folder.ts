import { stat } from "node:fs/promises";
import { dirname } from "node:path";

const ENTER = 0o001;

/** The outermost folder on the way to a file that not every user may enter. */
export async function findClosedFolder(file: string): Promise<string | undefined> {
  const folders: string[] = [];
  for (let folder = dirname(file); folders[0] !== folder; folder = dirname(folder)) folders.unshift(folder);
  for (const folder of folders) if (((await stat(folder)).mode & ENTER) === 0) return folder;
  return undefined;
}
