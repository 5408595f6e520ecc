import fs from "node:fs";
import promises from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { Readable } from "node:stream";
import { type Owner, running } from "./owner.js";
import { replace } from "./seeded-globals.js";
import { integerFrom, type Random } from "./seeded-random.js";
import type { World } from "./world.js";

/** What stands below it is simulated; no such folder is ever made. */
const ROOT = `${sep}simulated-disk`;
/** Below it, so that whoever syncs the folder above its own stays on this disk. */
const VOLUME = `${ROOT}${sep}volume`;
const PAGE_BYTES = 512;
const STREAM_PIECE_BYTES = 65_536;

interface ReadStreamOptions {
  fd?: SimulatedFileHandle;
  start?: number;
  /** The last byte. */
  end?: number;
}

interface SimulatedFile {
  kind: "file";
  /** Never written into: each write makes another one. */
  data: Buffer;
  /** What survives a power failure for certain. */
  synced: Buffer;
  /** Pages that a sync failed to write: the system holds them for clean, and no later sync tries again. */
  forsaken: Set<number>;
  /** Syncs that failed: each handle that was open hears of it once. */
  failures: number;
  links: number;
  number: number;
  mtimeMs: number;
}

interface SimulatedFolder {
  kind: "folder";
  number: number;
  entries: Map<string, Inode>;
  /** Changes of its entries that a power failure may undo, from the last one back. */
  unsynced: { name: string; before: Inode | undefined; after: Inode | undefined; together?: boolean }[];
}

type Inode = SimulatedFile | SimulatedFolder;

/** A disk that forgets what was not synced when the power fails, tears writes and runs full. */
export class SimulatedDisk {
  readonly #world: World;
  readonly #root = folder(1);
  #inodes = 1;
  readonly #watches = new Map<string, Set<(...args: unknown[]) => void>>();

  constructor(world: World) {
    this.#world = world;
    setEntry(this.#root, basename(VOLUME), folder(++this.#inodes));
  }

  /** A path on this disk. */
  path(name: string): string {
    return join(VOLUME, name);
  }

  /** What a power failure leaves. */
  losePower(random: Random): void {
    const lose = (inode: Inode): void => {
      if (inode.kind === "file") {
        inode.data = tear(inode.synced, afterSync(inode), random);
        inode.synced = inode.data;
        inode.forsaken.clear();
        return;
      }
      let undone = integerFrom(random, 0, inode.unsynced.length);
      // What was one change is undone as one.
      while (inode.unsynced.at(-undone)?.together) undone += 1;
      for (let left = undone; left > 0; left--) {
        const change = inode.unsynced.pop();
        if (change === undefined) break;
        setEntry(inode, change.name, change.before);
      }
      inode.unsynced = [];
      for (const entry of inode.entries.values()) lose(entry);
    };
    lose(this.#root);
  }

  /** Has `node:fs` of this process use it for paths on it. @returns puts it back */
  install(): () => void {
    const restore: (() => void)[] = [];
    const simulate = (
      target: object,
      name: string,
      simulated: (...args: never[]) => unknown,
      isOurs: (...args: unknown[]) => boolean = (path) => this.#isOn(path),
    ) => {
      const real = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      restore.push(
        replace(target, name, (...args: unknown[]) =>
          isOurs(...args) ? (simulated as (...args: unknown[]) => unknown)(...args) : real(...args),
        ),
      );
    };
    for (const [name, method] of Object.entries(this.#promises())) simulate(promises, name, method);
    simulate(
      fs,
      "createReadStream",
      (path: string, options?: ReadStreamOptions) => this.#readStream(path, options),
      (path, options) =>
        this.#isOn(path) || (options as ReadStreamOptions | undefined)?.fd instanceof SimulatedFileHandle,
    );
    const isProcess = (path: unknown) => this.#processOf(path) !== undefined;
    simulate(fs, "readFileSync", (path: string) => this.#processFile(path), isProcess);
    simulate(fs, "existsSync", (path: string) => this.#processOf(path)?.alive ?? false, isProcess);
    simulate(
      fs,
      "watchFile",
      (path: string, _options: unknown, listener: () => void) => this.#watch(path, listener),
      isProcess,
    );
    simulate(fs, "unwatchFile", (path: string) => void this.#watches.delete(path), isProcess);
    return () => {
      for (const back of restore.reverse()) back();
    };
  }

  #readStream(
    path: string,
    { fd, start = 0, end = Number.POSITIVE_INFINITY }: ReadStreamOptions = {},
  ): Readable {
    const pieces = async function* () {
      const file = fd ?? (await promises.open(path, "r"));
      const piece = Buffer.alloc(STREAM_PIECE_BYTES);
      for (let at = start; at <= end; ) {
        const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, end - at + 1), at);
        if (bytesRead === 0) break;
        yield Buffer.from(piece.subarray(0, bytesRead));
        at += bytesRead;
      }
      await file.close();
    };
    return Readable.from(pieces(), { objectMode: false });
  }

  /** Tells those who watch a process that it is gone. */
  died(pid: number): void {
    const gone = { nlink: 0, ino: 0, mtimeMs: 0 };
    for (const listener of this.#watches.get(`/proc/${pid}`) ?? []) listener(gone, gone);
  }

  #watch(path: string, listener: () => void): void {
    const listeners = this.#watches.get(path) ?? new Set();
    this.#watches.set(path, listeners.add(listener));
  }

  #processOf(path: unknown): Owner | undefined {
    const pid = typeof path === "string" ? /^\/proc\/(\d+)(\/stat)?$/.exec(path)?.[1] : undefined;
    return pid === undefined ? undefined : this.#world.ownerOf(Number(pid));
  }

  #processFile(path: string): string {
    const owner = this.#processOf(path);
    if (!owner?.alive) throw systemError("ENOENT", "open", path);
    // The fields of proc_pid_stat(5); the twentieth after the state is when it started.
    return `${owner.pid} (node) S ${Array.from({ length: 18 }, () => 0).join(" ")} ${owner.pid}`;
  }

  #isOn(path: unknown): boolean {
    return typeof path === "string" && (path === ROOT || path.startsWith(ROOT + sep));
  }

  /** Each operation takes its time, and may be the last of its process. */
  async #operation(what: string, path: string): Promise<Owner> {
    const owner = running.getStore()?.owner ?? this.#world.gateway;
    await this.#world.step(owner, `disk ${what} ${path.slice(VOLUME.length + 1) || "."}`);
    return owner;
  }

  #promises(): Record<string, (...args: never[]) => Promise<unknown>> {
    return {
      open: async (path: string, flags: string | number | undefined = "r") => {
        await this.#operation("open", path);
        return this.#open(path, flags);
      },
      access: async (path: string) => {
        await this.#operation("access", path);
        this.#find(path, "access");
      },
      stat: async (path: string, options?: { bigint?: boolean }) => {
        await this.#operation("stat", path);
        return statOf(this.#find(path, "stat"), options);
      },
      readdir: async (path: string) => {
        await this.#operation("readdir", path);
        const found = this.#find(path, "scandir");
        if (found.kind === "file") throw systemError("ENOTDIR", "scandir", path);
        return [...found.entries.keys()].sort();
      },
      readFile: async (path: string, encoding?: string | { encoding?: string }) => {
        await this.#operation("read", path);
        const { data } = this.#file(path, "open");
        const name = typeof encoding === "string" ? encoding : encoding?.encoding;
        return name === undefined ? Buffer.from(data) : data.toString(name as BufferEncoding);
      },
      writeFile: async (
        path: string,
        content: string | Uint8Array,
        options?: { flag?: string; flush?: boolean },
      ) => {
        await this.#operation("write", path);
        const handle = this.#open(path, options?.flag ?? "w");
        await handle.writeFile(content);
        if (options?.flush) await handle.sync();
      },
      mkdir: async (path: string, options?: { recursive?: boolean }) => {
        await this.#operation("mkdir", path);
        return this.#makeFolder(path, options?.recursive ?? false);
      },
      mkdtemp: async (prefix: string) => {
        await this.#operation("mkdtemp", prefix);
        const path = `${prefix}${integerFrom(Math.random, 100_000, 999_999)}`;
        this.#makeFolder(path, false);
        return path;
      },
      rename: async (from: string, to: string) => {
        await this.#operation("rename", to);
        const moved = this.#find(from, "rename");
        this.#change(to, moved);
        this.#change(from, undefined, true);
      },
      link: async (from: string, to: string) => {
        await this.#operation("link", to);
        const file = this.#file(from, "link");
        if (this.#look(to) !== undefined) throw systemError("EEXIST", "link", to);
        this.#change(to, file);
      },
      unlink: async (path: string) => {
        await this.#operation("unlink", path);
        this.#file(path, "unlink");
        this.#change(path, undefined);
      },
      rm: async (path: string, options?: { force?: boolean }) => {
        await this.#operation("rm", path);
        if (this.#look(path) === undefined && options?.force) return;
        this.#find(path, "rm");
        this.#change(path, undefined);
      },
      rmdir: async (path: string) => {
        await this.#operation("rmdir", path);
        const found = this.#find(path, "rmdir");
        if (found.kind === "folder" && found.entries.size > 0) throw systemError("ENOTEMPTY", "rmdir", path);
        this.#change(path, undefined);
      },
      truncate: async (path: string, length = 0) => {
        await this.#operation("truncate", path);
        const file = this.#file(path, "open");
        file.data = resized(file.data, length);
      },
      utimes: async (path: string) => {
        await this.#operation("utimes", path);
        this.#file(path, "utimes").mtimeMs = Date.now();
      },
    };
  }

  #open(path: string, flags: string | number): SimulatedFileHandle {
    const found = this.#look(path);
    const { makes, fresh, empties, appends, reads } = meaningOf(flags);
    if (found !== undefined && fresh) throw systemError("EEXIST", "open", path);
    if (found === undefined && !makes) throw systemError("ENOENT", "open", path);
    if (found?.kind === "folder" && !reads) throw systemError("EISDIR", "open", path);
    const inode = found ?? {
      kind: "file",
      data: Buffer.alloc(0),
      synced: Buffer.alloc(0),
      forsaken: new Set(),
      failures: 0,
      links: 0,
      number: ++this.#inodes,
      mtimeMs: Date.now(),
    };
    if (found === undefined) this.#change(path, inode);
    if (inode.kind === "file" && empties) inode.data = Buffer.alloc(0);
    return new SimulatedFileHandle(path, inode, appends, this.#world, (what) => this.#operation(what, path));
  }

  #makeFolder(path: string, recursive: boolean): string | undefined {
    const found = this.#look(path);
    if (found?.kind === "folder" && recursive) return undefined;
    if (found !== undefined) throw systemError("EEXIST", "mkdir", path);
    const parent = dirname(path);
    const first = this.#look(parent) === undefined && recursive ? this.#makeFolder(parent, true) : undefined;
    this.#change(path, folder(++this.#inodes));
    return first ?? path;
  }

  #change(path: string, after: Inode | undefined, together = false): void {
    const parent = this.#find(dirname(path), "open");
    if (parent.kind === "file") throw systemError("ENOTDIR", "open", path);
    const name = basename(path);
    const before = setEntry(parent, name, after);
    parent.unsynced.push({ name, before, after, together });
  }

  #look(path: string): Inode | undefined {
    let at: Inode | undefined = this.#root;
    for (const name of path.slice(ROOT.length).split(sep).filter(Boolean)) {
      if (at?.kind !== "folder") return undefined;
      at = at.entries.get(name);
    }
    return at;
  }

  #find(path: string, syscall: string): Inode {
    const found = this.#look(path);
    if (found === undefined) throw systemError("ENOENT", syscall, path);
    return found;
  }

  #file(path: string, syscall: string): SimulatedFile {
    const found = this.#find(path, syscall);
    if (found.kind === "folder") throw systemError("EISDIR", syscall, path);
    return found;
  }
}

/** What `open` gives. */
class SimulatedFileHandle {
  readonly fd = 1_000;
  readonly #path: string;
  readonly #inode: Inode;
  readonly #appends: boolean;
  readonly #world: World;
  readonly #operation: (what: string) => Promise<Owner>;
  #at = 0;
  /** Failed syncs of the file that it knows of. */
  #heard: number;

  constructor(
    path: string,
    inode: Inode,
    appends: boolean,
    world: World,
    operation: (what: string) => Promise<Owner>,
  ) {
    this.#path = path;
    this.#inode = inode;
    this.#heard = inode.kind === "file" ? inode.failures : 0;
    this.#appends = appends;
    this.#world = world;
    this.#operation = operation;
  }

  async read(buffer: Buffer, offset = 0, length = buffer.length - offset, position?: number | null) {
    await this.#operation("read");
    const { data } = this.#file;
    const from = position ?? this.#at;
    const bytesRead = data.copy(buffer, offset, from, Math.min(data.length, from + length));
    if (position === undefined || position === null) this.#at += bytesRead;
    return { bytesRead, buffer };
  }

  async readFile(options?: string | { encoding?: string }) {
    await this.#operation("read");
    const name = typeof options === "string" ? options : options?.encoding;
    const { data } = this.#file;
    return name === undefined ? Buffer.from(data) : data.toString(name as BufferEncoding);
  }

  async write(content: Uint8Array | string, offset?: number, length?: number, position?: number | null) {
    const bytes = Buffer.from(content as Uint8Array);
    const part = bytes.subarray(offset ?? 0, (offset ?? 0) + (length ?? bytes.length));
    if (position !== undefined && position !== null) this.#at = position;
    await this.#put(part);
    return { bytesWritten: part.length, buffer: content };
  }

  async appendFile(content: string | Uint8Array): Promise<void> {
    this.#at = this.#file.data.length;
    await this.#put(Buffer.from(content as Uint8Array));
  }

  async writeFile(content: string | Uint8Array): Promise<void> {
    await this.#put(Buffer.from(content as Uint8Array));
  }

  async truncate(length = 0): Promise<void> {
    await this.#operation("truncate");
    this.#file.data = resized(this.#file.data, length);
  }

  async sync(): Promise<void> {
    const owner = await this.#operation("sync");
    const occasion = `${owner.name} ${owner.pid} ${owner.operations} sync`;
    if (this.#world.plan.decide(occasion, ["syncFails"]) !== undefined) {
      this.#world.trace.add("disk", `does not confirm ${basename(this.#path)}`);
      if (this.#inode.kind === "file") {
        forsake(this.#inode, this.#world.plan.random(`${occasion} loss`));
        this.#heard = this.#inode.failures;
      }
      throw systemError("EIO", "fsync", this.#path);
    }
    if (this.#inode.kind === "file" && this.#heard < this.#inode.failures) {
      this.#heard = this.#inode.failures;
      throw systemError("EIO", "fsync", this.#path);
    }
    if (this.#inode.kind === "folder") this.#inode.unsynced = [];
    else this.#inode.synced = afterSync(this.#inode);
  }

  async datasync(): Promise<void> {
    await this.sync();
  }

  async stat(options?: { bigint?: boolean }) {
    await this.#operation("stat");
    return statOf(this.#inode, options);
  }

  async utimes(): Promise<void> {
    await this.#operation("utimes");
    this.#file.mtimeMs = Date.now();
  }

  async chmod(): Promise<void> {}

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  async #put(bytes: Buffer): Promise<void> {
    const owner = await this.#operation("write");
    const occasion = `${owner.name} ${owner.pid} ${owner.operations} write`;
    const isFull = this.#world.plan.decide(occasion, ["diskFull"]) !== undefined;
    const written = isFull
      ? bytes.subarray(0, integerFrom(this.#world.plan.random(`${occasion} room`), 0, bytes.length))
      : bytes;
    const { data } = this.#file;
    const at = this.#appends ? data.length : this.#at;
    const grown = resized(this.#file.data, Math.max(data.length, at + written.length));
    written.copy(grown, at);
    const { apiKey, leaks } = this.#world;
    const fresh = grown.subarray(Math.max(0, at - apiKey.length), at + written.length);
    if (fresh.includes(apiKey)) leaks.push(`The key stands in the file ${basename(this.#path)}`);
    this.#file.data = grown;
    for (const page of this.#file.forsaken) {
      if (page < at + written.length && page + PAGE_BYTES > Math.min(at, data.length))
        this.#file.forsaken.delete(page);
    }
    this.#file.mtimeMs = Date.now();
    this.#at = at + written.length;
    if (!isFull) return;
    this.#world.trace.add("disk", `is full: ${basename(this.#path)}`);
    throw systemError("ENOSPC", "write", this.#path);
  }

  get #file(): SimulatedFile {
    if (this.#inode.kind === "folder") throw systemError("EISDIR", "read", this.#path);
    return this.#inode;
  }
}

/** What a file is opened for; numbers are those of `fs.constants`. */
function meaningOf(flags: string | number) {
  if (typeof flags === "string") {
    const [appends, empties] = [flags.startsWith("a"), flags.startsWith("w")];
    return { makes: appends || empties, fresh: flags.includes("x"), empties, appends, reads: flags === "r" };
  }
  const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_WRONLY, O_RDWR } = fs.constants;
  const has = (flag: number) => (flags & flag) !== 0;
  return {
    ...{
      makes: has(O_CREAT),
      fresh: has(O_CREAT) && has(O_EXCL),
      empties: has(O_TRUNC),
      appends: has(O_APPEND),
    },
    reads: !has(O_WRONLY) && !has(O_RDWR),
  };
}

/** @returns what stood there */
function setEntry({ entries }: SimulatedFolder, name: string, inode: Inode | undefined): Inode | undefined {
  const before = entries.get(name);
  if (before?.kind === "file") before.links -= 1;
  if (inode?.kind === "file") inode.links += 1;
  if (inode === undefined) entries.delete(name);
  else entries.set(name, inode);
  return before;
}

function folder(number: number): SimulatedFolder {
  return { kind: "folder", number, entries: new Map(), unsynced: [] };
}

function resized(data: Buffer, length: number): Buffer {
  const made = Buffer.alloc(length);
  data.copy(made, 0, 0, Math.min(data.length, length));
  return made;
}

/** A sync fails: any of the pages that were to be written are not, and count as written from then on. */
function forsake(file: SimulatedFile, random: Random): void {
  for (const page of pagesOf(file.data)) {
    if (!isSame(file.data, file.synced, page) && random() < 0.5) file.forsaken.add(page);
  }
  file.synced = afterSync(file);
  file.failures += 1;
}

/** What a sync leaves on the disk. */
function afterSync({ data, synced, forsaken }: SimulatedFile): Buffer {
  if (forsaken.size === 0) return data;
  const disk = Buffer.from(data);
  for (const page of forsaken) {
    const end = Math.min(page + PAGE_BYTES, data.length);
    if (page >= end) continue;
    disk.fill(0, page, end);
    if (page < synced.length) synced.copy(disk, page, page, Math.min(end, synced.length));
  }
  return disk;
}

function pagesOf({ length }: Buffer): number[] {
  return Array.from({ length: Math.ceil(length / PAGE_BYTES) }, (_, index) => index * PAGE_BYTES);
}

function isSame(one: Buffer, other: Buffer, page: number): boolean {
  return one.subarray(page, page + PAGE_BYTES).equals(other.subarray(page, page + PAGE_BYTES));
}

/** Pages of a file reach the disk in any order; the last one to a part. */
function tear(synced: Buffer, data: Buffer, random: Random): Buffer {
  if (synced === data || synced.equals(data)) return data;
  const [short, long] = [Math.min(synced.length, data.length), Math.max(synced.length, data.length)];
  const length = integerFrom(random, short, long);
  const torn = resized(synced, length);
  for (let page = 0; page < length; page += PAGE_BYTES) {
    if (random() < 0.5) data.copy(torn, page, page, Math.min(page + PAGE_BYTES, length, data.length));
  }
  return torn;
}

function statOf(inode: Inode, { bigint = false }: { bigint?: boolean } = {}) {
  const mtimeMs = inode.kind === "file" ? inode.mtimeMs : 0;
  const numbers = {
    size: inode.kind === "file" ? inode.data.length : 0,
    nlink: inode.kind === "file" ? inode.links : 2,
    ...{ mtimeMs, ino: inode.number, mode: 0o600 },
  };
  const asked = bigint
    ? Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, BigInt(value)]))
    : numbers;
  return {
    ...asked,
    mtime: new Date(mtimeMs),
    isFile: () => inode.kind === "file",
    isDirectory: () => inode.kind === "folder",
  };
}

function systemError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${code}: ${syscall} '${path}'`);
  return Object.assign(error, { code, syscall, path, errno: -1 });
}
