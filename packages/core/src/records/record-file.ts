import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { DigestMap } from "../digests/digest-map.js";
import { ConfigurationError } from "../errors/errors.js";

/** The first line: nothing is added to a file that is another's. */
const HEADER = "model-gateway records 1";
const NEWLINE = 10;
const SPACE = 32;
/** Read at once, and the longest record that there can be. */
const CHUNK_BYTES = 2 ** 20;
const CHECK_DIGITS = 8;
/** Digits of a key; a line begins with one. */
const KEY_DIGITS = 64;
/** A space before the value, one before the checksum, and the checksum. */
const LINE_OVERHEAD = KEY_DIGITS + 2 + CHECK_DIGITS;

/** Settings of a `RecordFile`. */
export interface RecordFileOptions {
  /** Wait until records are on the disk, and not only with the system: they outlive a power failure then. */
  durable: boolean;
}

/**
 * A file of keys and values that is only ever added to. A record is a line with a checksum, and what is added begins with a line
 * break: a line that a killed process left behind spoils no other. Several processes may read and add at once.
 */
export class RecordFile {
  readonly #path: string;
  readonly #durable: boolean;
  /** Where the line of a key begins. */
  readonly #places = new DigestMap();
  #handle: FileHandle | undefined;
  /** What is before is known. */
  #scanned = 0;
  #longest = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, { durable }: RecordFileOptions) {
    this.#path = path;
    this.#durable = durable;
  }

  /**
   * @param keys 64 hexadecimal digits each
   * @returns one value per key, undefined for what is not there or cannot be read
   */
  getMany(keys: readonly string[]): Promise<(string | undefined)[]> {
    return this.#inTurn(async (handle) => {
      await this.#scan(handle);
      return Promise.all(keys.map((key) => this.#read(handle, key)));
    });
  }

  /**
   * Adds records; a key that is there already has the new value.
   *
   * @param entries values that are not empty, without line breaks, shorter than a mebibyte
   */
  add(entries: ReadonlyArray<readonly [key: string, value: string]>): Promise<void> {
    return this.#inTurn(async (handle) => {
      const lines = entries.map(([key, value]) => {
        const line = lineOf(key, value);
        if (line.length > CHUNK_BYTES) throw new Error("A record is too long to be kept.");
        return line;
      });
      await append(handle, lines);
      if (this.#durable) await this.#sync(handle, entries, lines);
    });
  }

  /** A system whose sync failed may hold what it did not write for clean, and leave it out of later syncs. */
  async #sync(
    handle: FileHandle,
    entries: ReadonlyArray<readonly [key: string, value: string]>,
    lines: readonly string[],
  ): Promise<void> {
    try {
      await handle.datasync().catch(async () => {
        await append(handle, lines);
        await handle.datasync();
      });
    } catch (error) {
      // What is not known to last is not there, for whoever reads it before the power fails.
      const without = entries.map(([key]) => lineOf(key, ""));
      await append(handle, without).catch(() => undefined);
      throw error;
    }
  }

  /** Later calls open it again. */
  async close(): Promise<void> {
    const close = async () => {
      const handle = this.#handle;
      this.#handle = undefined;
      await handle?.close();
    };
    this.#last = this.#last.then(close, close);
    await this.#last;
  }

  #inTurn<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const run = async () => {
      this.#handle ??= await this.#open();
      return work(this.#handle);
    };
    const result = this.#last.then(run, run);
    this.#last = result;
    return result;
  }

  async #open(): Promise<FileHandle> {
    const folder = dirname(this.#path);
    const made = await mkdir(folder, { recursive: true });
    const handle = await open(this.#path, "a+");
    try {
      if (this.#durable) {
        // A file is lost when its name is, or that of a folder above it: also of one that an earlier run could not sync.
        await syncFolders(folder, dirname(made ?? folder));
        // What a killed process has written can be read, and need not be on the disk.
        await handle.datasync();
      }
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
      const start = buffer.subarray(0, bytesRead).toString("latin1");
      // A power failure may leave zeros, and a kill some letters.
      const [first = ""] = start.replaceAll("\0", "").split("\n");
      if (HEADER.startsWith(first)) return handle;
      throw new ConfigurationError(
        `${this.#path} is no file of this package. Nothing was written there: name another.`,
      );
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Takes note of what was added since, by whomever. */
  async #scan(handle: FileHandle): Promise<void> {
    const { size } = await handle.stat();
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(0, size - this.#scanned)));
    while (this.#scanned < size) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, this.#scanned);
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start);
        if (end === -1 || end >= bytesRead) break;
        this.#note(chunk.subarray(start, end), this.#scanned + start);
        start = end + 1;
      }
      // No line is longer than a chunk: what holds no line break holds no record.
      if (start === 0 && bytesRead === CHUNK_BYTES) start = bytesRead;
      // The end of the last line is still to come, or never will.
      if (start === 0) return;
      this.#scanned += start;
    }
  }

  #note(line: Buffer, at: number): void {
    if (!isRecord(line)) return;
    this.#longest = Math.max(this.#longest, line.length);
    this.#places.set(line.toString("latin1", 0, KEY_DIGITS), at);
  }

  async #read(handle: FileHandle, key: string): Promise<string | undefined> {
    const at = this.#places.get(key);
    if (at === undefined) return undefined;
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(this.#longest), 0, this.#longest, at);
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    const line = buffer.subarray(0, end === -1 ? bytesRead : end);
    if (!isRecord(line) || line.toString("latin1", 0, KEY_DIGITS) !== key) return undefined;
    return line.toString("utf8", KEY_DIGITS + 1, line.length - CHECK_DIGITS - 1) || undefined;
  }
}

function lineOf(key: string, value: string): string {
  const text = `${key} ${value}`;
  return `${text} ${checkOf(Buffer.from(text))}\n`;
}

async function append(handle: FileHandle, lines: readonly string[]): Promise<void> {
  const { size } = await handle.stat();
  const start = size === 0 ? `${HEADER}\n` : "\n";
  const bytes = Buffer.from(start + lines.join(""));
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
}

/** Makes the names in a folder durable, and in those above it. */
async function syncFolders(from: string, to: string): Promise<void> {
  // Windows opens no folders, and has names on disk by itself.
  if (process.platform === "win32") return;
  for (let path = from; ; path = dirname(path)) {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    if (path === to || path === dirname(path)) return;
  }
}

function isRecord(line: Buffer): boolean {
  const body = line.length - CHECK_DIGITS - 1;
  if (line.length < LINE_OVERHEAD || line[KEY_DIGITS] !== SPACE || line[body] !== SPACE) return false;
  return line.toString("latin1", body + 1) === checkOf(line.subarray(0, body));
}

function checkOf(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(CHECK_DIGITS, "0");
}
