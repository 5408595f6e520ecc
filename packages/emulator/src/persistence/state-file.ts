import { closeSync, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import type { KeptChange } from "./change-log.js";
import type { KeptEntry } from "./kept-entry.js";
import type { LargeTexts } from "./large-texts.js";
import { requireStateVersion, STATE_FORMAT, STATE_VERSION } from "./state-document.js";
import { PRIVATE_FILE, writeAside, writeWhole } from "./write-aside.js";

const HEAD = `${JSON.stringify({ format: STATE_FORMAT, version: STATE_VERSION })}\n`;
const LINE_FEED = 10;
/** Below this it is not worth the trouble to write the file anew. */
const SMALLEST_SURPLUS_BYTES = 4 * 1_024 * 1_024;

/**
 * The state as lines of JSON: what the file is, then an entry each, `[part, key, value]`, or `[part, key]` for one that is
 * gone. What changes is added at its end; once that is more than the state itself, the file is written anew.
 */
export class StateFile {
  private readonly path: string;
  private readonly texts: LargeTexts;
  private file: number | undefined;
  private size = 0;
  private compactSize = 0;

  constructor(path: string, texts: LargeTexts) {
    this.path = path;
    this.texts = texts;
  }

  /**
   * The entries, in order; undefined when there is no file yet. What follows the last line feed was being written when
   * the process ended, and is left out.
   *
   * @throws Error that names the line which is broken, or what is wrong with the file
   */
  read(): KeptEntry[] | undefined {
    if (!existsSync(this.path)) return undefined;
    const bytes = readFileSync(this.path);
    const parts = new Map<string, Map<string, object>>();
    let start = 0;
    for (let line = 1; ; line++) {
      const end = bytes.indexOf(LINE_FEED, start);
      if (end < 0) break;
      try {
        const content = this.texts.parse(bytes.toString("utf8", start, end));
        if (line === 1) requireStateVersion(content);
        else apply(parts, content);
      } catch (error) {
        throw new Error(`${this.path}:${line} cannot be read: ${messageOf(error)}`, { cause: error });
      }
      start = end + 1;
    }
    // Written aside, the first line was there before the file was.
    if (start === 0) throw new Error(`${this.path}:1 cannot be read: the file has no first line`);
    return [...parts].flatMap(([part, entries]) =>
      [...entries].map(([key, value]) => ({ part, key, value })),
    );
  }

  /** Replaces all that it holds, at once. */
  rewrite(entries: Iterable<KeptEntry>): void {
    const used = new Set<string>();
    const { texts } = this;
    function* lines() {
      yield HEAD;
      for (const entry of entries) yield lineOf(entry, texts, used);
    }
    writeAside(this.path, batched(lines()));
    this.close();
    this.file = openSync(this.path, "a", PRIVATE_FILE);
    this.size = fstatSync(this.file).size;
    this.compactSize = this.size;
    this.texts.retain(used);
  }

  /** Adds what changed. @throws Error when it cannot be written whole: the file has to be written anew before more is added */
  append(changes: readonly KeptChange[]): void {
    if (this.file === undefined) throw new Error(`${this.path} is closed`);
    this.size += writeWhole(this.file, changes.map((change) => lineOf(change, this.texts)).join(""));
  }

  /** Whether most of it is of the past. */
  get isBloated(): boolean {
    return this.size - this.compactSize > Math.max(SMALLEST_SURPLUS_BYTES, this.compactSize);
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
  }
}

function lineOf({ part, key, value }: KeptChange, texts: LargeTexts, used?: Set<string>): string {
  return `${value === undefined ? JSON.stringify([part, key]) : texts.stringify([part, key, value], used)}\n`;
}

function apply(parts: Map<string, Map<string, object>>, line: unknown): void {
  const [part, key, value, ...rest] = Array.isArray(line) ? (line as unknown[]) : [];
  const isValue = value === undefined || (typeof value === "object" && value !== null);
  if (typeof part !== "string" || typeof key !== "string" || !isValue || rest.length > 0) {
    throw new Error("it must be [part, key] or [part, key, value]");
  }
  const entries = parts.get(part) ?? new Map<string, object>();
  parts.set(part, entries);
  if (value === undefined) entries.delete(key);
  else entries.set(key, value);
}

/** Few large writes in place of many small ones. */
function* batched(lines: Iterable<string>): Generator<string> {
  const most = 1_024 * 1_024;
  let batch = "";
  for (const line of lines) {
    batch += line;
    if (batch.length < most) continue;
    yield batch;
    batch = "";
  }
  yield batch;
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
