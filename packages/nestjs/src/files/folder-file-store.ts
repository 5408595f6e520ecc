import { createReadStream } from "node:fs";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { type Download, GatewayError } from "@model-gateway/core";
import { checkFileKey } from "./file-key.js";
import { type FileSource, FileStore, type KeepOptions, type KeptFile } from "./file-store.js";
import { KeyTurns } from "./key-turns.js";
import { makeFolder } from "./make-folder.js";
import { dropReceived, receiveFile } from "./receive-file.js";
import { syncFolder } from "./sync-folder.js";
import { systemErrorCode } from "./system-error-code.js";
import { writeDurably } from "./write-durably.js";

/** Settings of a `FolderFileStore`. */
export interface FolderFileStoreOptions {
  /** Folder of the files. Default `.model-gateway/files`, in the folder that the process runs in. */
  directory?: string;
}

/** Keeps result files in a folder, under their keys. Beside each, `.<name>.kept` says what it is. */
export class FolderFileStore extends FileStore {
  private readonly directory: string;
  private readonly turns = new KeyTurns();

  constructor({ directory = ".model-gateway/files" }: FolderFileStoreOptions = {}) {
    super();
    this.directory = resolve(directory);
  }

  /** Where the file with this key is, if it is kept. @throws InvalidRequestError when the key cannot be */
  pathOf(key: string): string {
    checkFileKey(key);
    return join(this.directory, ...key.split("/"));
  }

  async keep(source: Download | FileSource, key: string, options: KeepOptions = {}): Promise<KeptFile> {
    checkFileKey(key);
    return this.turns.take(key, () => this.keepInTurn(source, key, options));
  }

  private async keepInTurn(
    source: Download | FileSource,
    key: string,
    options: KeepOptions,
  ): Promise<KeptFile> {
    const { origin } = options;
    const path = this.pathOf(key);
    const before = await this.findOf(key, origin);
    if (before !== undefined) return before;
    await makeFolder(dirname(path));
    const part = beside(path, "part");
    const { file, inode } = await receiveFile(source, part, options);
    const kept = { key, ...file };
    // Another process took this one for dead, and was faster, or has begun anew.
    if ((await inodeOf(part)) !== inode) return this.taken(key, origin);
    // What is there goes first, so that no description ever stands beside another file than its own.
    await rm(path, { force: true });
    await writeDurably(beside(path, "kept"), JSON.stringify(kept));
    await rename(part, path);
    await syncFolder(dirname(path));
    await dropReceived(part);
    return kept;
  }

  /** What another process made of the file on its way. */
  private async taken(key: string, origin: string | undefined): Promise<KeptFile> {
    const there = await this.findOf(key, origin);
    if (there !== undefined) return there;
    throw new Error(`Another process is keeping a file under ${key} at the same time, and has it now.`);
  }

  private async findOf(key: string, origin: string | undefined): Promise<KeptFile | undefined> {
    const there = origin === undefined ? undefined : await this.find(key);
    if (there === undefined || there.origin !== origin) return undefined;
    // Whoever put it there may have died before its name was on disk.
    await syncFolder(dirname(this.pathOf(key)));
    return there;
  }

  async find(key: string): Promise<KeptFile | undefined> {
    const path = this.pathOf(key);
    try {
      const { size } = await stat(path);
      const kept = JSON.parse(await readFile(beside(path, "kept"), "utf8")) as KeptFile;
      return kept.length === size ? kept : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || isMissing(error)) return undefined;
      throw error;
    }
  }

  async read(key: string): Promise<Readable | undefined> {
    if ((await this.find(key)) === undefined) return undefined;
    // Opened here, so that the file of which the store has told is the one that is read.
    const file = await open(this.pathOf(key), "r");
    return createReadStream("", { fd: file });
  }

  async remove(key: string): Promise<void> {
    const path = this.pathOf(key);
    await rm(path, { force: true });
    await rm(beside(path, "kept"), { force: true });
    await dropReceived(beside(path, "part"));
  }
}

/** No key leads there: names in keys begin with no dot. */
function beside(path: string, part: "part" | "kept"): string {
  const folder = dirname(path);
  return join(folder, `.${path.slice(folder.length + 1)}.${part}`);
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  try {
    return (await stat(path, { bigint: true })).ino;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return !GatewayError.isInstance(error) && ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error));
}
