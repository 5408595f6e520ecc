import { open } from "node:fs/promises";
import { tmpdir } from "node:os";

/** The platform's file handles, to count what is asked of the disk and to make it fail. */
export async function fileHandles() {
  const handle = await open(tmpdir());
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  return prototype;
}
