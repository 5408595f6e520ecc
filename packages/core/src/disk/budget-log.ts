import { constants } from "node:fs";
import { type FileHandle, link, mkdir, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BudgetLedger } from "../budget/budget-ledger.js";
import { decodeLine, doStep, encodeLine } from "./budget-log-line.js";

/** Largest log that is written anew with nothing but how the books stand, in bytes; more where that is much. */
const SEALED_AT_BYTES = 1_000_000;
/** So many times what it began with. */
const SEALED_AT_GROWTH = 4;
const READ_BYTES = 262_144;
const LINE_FEED = 10;
/** Appends, and makes no file: one without a beginning would be taken for a log. */
const APPEND = constants.O_RDWR | constants.O_APPEND;

/**
 * One log of several that follow each other: `<path>.<number>`. All processes append to it, and do what they read in it in
 * its order; so all come to the same, and none has to keep the others out. A step counts when it stands before the seal,
 * which says that the next log goes on from there.
 */
export class BudgetLog {
  readonly #path: string;
  readonly #number: number;
  readonly #file: FileHandle;
  #ledger = new BudgetLedger();
  #readTo = 0;
  /** What was read of a line whose end is not there yet. */
  #rest = Buffer.alloc(0);
  #sealAt = SEALED_AT_BYTES;
  #isSealed = false;

  private constructor(path: string, number: number, file: FileHandle) {
    this.#path = path;
    this.#number = number;
    this.#file = file;
  }

  /** The newest log, which is made where there is none. */
  static async open(path: string): Promise<BudgetLog> {
    await makeFolder(dirname(path));
    for (;;) {
      const number = Math.max(0, ...(await numbersOf(path)));
      if (number === 0) await begin(path, 1, new BudgetLedger());
      const file = await open(`${path}.${Math.max(number, 1)}`, APPEND).catch(undefinedIfMissing);
      // Another process has gone on to the next, and removed it.
      if (file === undefined) continue;
      // Whoever made it may have died before its name was on disk.
      await syncFolder(dirname(path));
      return new BudgetLog(path, Math.max(number, 1), file);
    }
  }

  get ledger(): BudgetLedger {
    return this.#ledger;
  }

  /** Whether no step counts any more: `next` goes on. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** Whether it has become long. */
  get isLong(): boolean {
    return this.#readTo > this.#sealAt;
  }

  /**
   * Appends, in one piece: pieces of one line would mix with lines of others.
   *
   * @throws when it is unknown whether that outlives a power failure
   */
  async append(lines: string): Promise<void> {
    const bytes = Buffer.from(lines);
    const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, null);
    if (bytesWritten < bytes.length) throw new Error(`The disk is full: ${this.#path}.${this.#number}`);
    await this.#file.datasync();
  }

  /** Whether somebody removed it who does not know what it is. */
  async isGone(): Promise<boolean> {
    return (await this.#file.stat()).nlink === 0;
  }

  seal(): Promise<void> {
    return this.append(encodeLine({ seal: true }));
  }

  /** Does all that was appended since, by whomever. @param done told of each step by its name, with what came of it */
  async read(done: (name: string, outcome: unknown) => void): Promise<void> {
    const piece = Buffer.allocUnsafe(READ_BYTES);
    while (!this.#isSealed) {
      const { bytesRead } = await this.#file.read(piece, 0, piece.length, this.#readTo);
      if (bytesRead === 0) return;
      this.#readTo += bytesRead;
      const bytes = Buffer.concat([this.#rest, piece.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      this.#rest = Buffer.from(bytes.subarray(end));
      for (const text of bytes.subarray(0, end).toString("utf8").split("\n")) this.#do(text, done);
    }
  }

  /** What goes on from here, once it is sealed. Of all that make it at once one does, and all make the same. */
  async next(): Promise<BudgetLog> {
    await begin(this.#path, this.#number + 1, this.#ledger);
    const log = await BudgetLog.open(this.#path);
    // With the name of the newest on disk nothing before it is needed, such as one that was begun here too late.
    await removeBefore(this.#path, log.#number);
    await this.close();
    return log;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #do(text: string, done: (name: string, outcome: unknown) => void): void {
    const line = text === "" || this.#isSealed ? undefined : decodeLine(text);
    if (line === undefined) return;
    if ("state" in line) {
      this.#ledger = new BudgetLedger(line.state);
      this.#sealAt = Math.max(SEALED_AT_BYTES, text.length * SEALED_AT_GROWTH);
    } else if ("step" in line) done(line.name, doStep(this.#ledger, line.step));
    else this.#isSealed = true;
  }
}

/** It appears with its beginning at once, by a hard link: nobody finds half of it. */
async function begin(path: string, number: number, ledger: BudgetLedger): Promise<void> {
  const draft = `${path}.${number}.${crypto.randomUUID()}`;
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(encodeLine({ v: 1, state: ledger.state }));
    await file.sync();
    await link(draft, `${path}.${number}`);
  } catch (error) {
    // Somebody else was first, and may have removed this draft, too.
    if (!["EEXIST", "ENOENT"].includes(codeOf(error))) throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}

async function numbersOf(path: string): Promise<number[]> {
  const names = await readdir(dirname(path));
  return names.flatMap((name) => (isLogOf(path, name) ? [numberOf(path, name)] : []));
}

/** Older logs, and drafts of them that were left behind. */
async function removeBefore(path: string, number: number): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const isOurs = name.startsWith(`${basename(path)}.`);
    if (isOurs && numberOf(path, name) < number) await rm(join(dirname(path), name), { force: true });
  }
}

function isLogOf(path: string, name: string): boolean {
  return name.startsWith(`${basename(path)}.`) && /^\d+$/.test(name.slice(basename(path).length + 1));
}

/** @returns not a number for what is no log or draft of one */
function numberOf(path: string, name: string): number {
  return Number(/^(\d+)(?:\.[0-9a-f-]{36})?$/.exec(name.slice(basename(path).length + 1))?.[1]);
}

/** Its name is to be as durable as what will be in it. */
async function makeFolder(path: string): Promise<void> {
  const highest = await mkdir(path, { recursive: true });
  for (let made = path; highest !== undefined && made !== highest; made = dirname(made))
    await syncFolder(dirname(made));
  // Whoever made it may have died before; a folder above that is not ours is nobody's to sync.
  await syncFolder(dirname(highest ?? path)).catch((error: unknown) => {
    if (highest !== undefined) throw error;
  });
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and has names on disk by itself.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}

function codeOf(error: unknown): string {
  return (error as { code?: string } | undefined)?.code ?? "";
}
