import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  folder: string;
  /** Takes all room that is left, but for so many bytes, until the returned function is called. */
  fill: (leave?: number) => Promise<() => Promise<void>>;
  /** Takes no writes any more, until it is told otherwise. */
  setReadOnly: (isReadOnly: boolean) => Promise<void>;
  remove: () => Promise<void>;
}

/**
 * A file system of so many bytes, in the name space of a process of its own: when that ends, nothing is left to
 * unmount. Undefined, with a word on it, where the system does not allow one.
 */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk | undefined> {
  const mountPoint = await mkdtemp(join(tmpdir(), "small-disk-"));
  const mount = `mount -t tmpfs -o size=${bytes} tmpfs ${mountPoint} && echo mounted && while read -r mode; do mount -o remount,$mode ${mountPoint} && echo $mode; done`;
  const options = process.getuid?.() === 0 ? ["-m"] : ["-rm"];
  const holder = spawn("unshare", [...options, "sh", "-c", mount], { stdio: ["pipe", "pipe", "ignore"] });
  const mounted = await Promise.race([
    once(holder.stdout, "data").then(() => true),
    once(holder, "close").then(() => false),
    once(holder, "error").then(() => false),
  ]);
  const remove = async () => {
    if (mounted) {
      holder.stdin.end();
      await once(holder, "close");
    }
    await rm(mountPoint, { recursive: true, force: true });
  };
  if (!mounted) {
    await remove();
    console.warn(
      "SKIPPED: tests on a disk that is really full. This system lets nobody mount one; run them as root.",
    );
    return undefined;
  }
  const folder = `/proc/${holder.pid}/root${mountPoint}`;
  const fill = async (leave = 0) => {
    const filler = join(folder, "filler");
    // A write that finds no more room has used up what there was.
    await writeFile(filler, Buffer.alloc(2 * bytes)).catch(() => undefined);
    if (leave > 0) await truncate(filler, (await stat(filler)).size - leave);
    return () => rm(filler);
  };
  const setReadOnly = async (isReadOnly: boolean) => {
    const remounted = once(holder.stdout, "data");
    holder.stdin.write(isReadOnly ? "ro\n" : "rw\n");
    await remounted;
  };
  return { folder, fill, setReadOnly, remove };
}
