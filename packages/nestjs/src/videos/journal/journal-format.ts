import { crc32 } from "node:zlib";
import { ConfigurationError } from "@model-gateway/core";

/** First entry of every journal: tells what the file is, and which form the rest has. */
const HEADER = JSON.stringify({ format: "model-gateway video tasks", version: 1 });
const NEWLINE = 0x0a;
const CHECKSUM_LENGTH = 8;

/** What a journal holds. */
export interface JournalContent {
  /** The entries, without the header. */
  entries: string[];
  /** Length of the part that is whole, in bytes. Anything behind it was never acknowledged. */
  length: number;
}

/** The line that every journal begins with. */
export function headerLine(): Buffer {
  return encodeLine(HEADER, 0);
}

/**
 * One line: checksum, the length of the file that was known to be on disk when the line was written, and the entry.
 *
 * @param entry JSON, so that it holds no newline
 */
export function encodeLine(entry: string, durableLength: number): Buffer {
  const body = `${durableLength} ${entry}`;
  return Buffer.from(`${checksum(body)} ${body}\n`);
}

/**
 * Reads a journal. A crash may leave anything behind the part that was on disk for certain, since a system writes
 * the pages of a file in any order; that part is left out. Anything wrong before it is damage.
 *
 * @throws ConfigurationError when the file is damaged or none of ours: names the line
 */
export function decodeJournal(path: string, content: Buffer): JournalContent {
  const lines = splitLines(content);
  const broken = lines.findIndex(({ entry }) => entry === undefined);
  const whole = broken === -1 ? lines : lines.slice(0, broken);
  const end = whole.at(-1)?.end ?? 0;
  if (broken !== -1) {
    const later = lines.slice(broken + 1).some(({ durableLength = 0 }) => durableLength > end);
    if (later) throw damaged(path, broken + 1);
  }
  const [header, ...entries] = whole.map(({ entry = "" }) => entry);
  // A crash during the very first write leaves a piece of the header.
  const isNew = header === undefined && headerLine().subarray(0, content.length).equals(content);
  if (header !== HEADER && !isNew) throw foreign(path, header ?? content.toString("utf8", 0, 100));
  return { entries, length: end };
}

interface Line {
  /** Undefined when the line is not what was written. */
  entry?: string;
  durableLength?: number;
  /** Offset behind it. */
  end: number;
}

function splitLines(content: Buffer): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < content.length) {
    const newline = content.indexOf(NEWLINE, start);
    const end = newline === -1 ? content.length : newline + 1;
    const text = content.toString("utf8", start, end);
    const line = text.endsWith("\n") ? decodeLine(text.slice(0, -1)) : {};
    lines.push({ ...line, end });
    if (line.entry === undefined) lines.push(...lineWithin(text).map((inner) => ({ ...inner, end })));
    start = end;
  }
  return lines;
}

/** The whole line, if any, in one that lost the newline before it. */
function lineWithin(text: string): Array<Pick<Line, "entry" | "durableLength">> {
  return [...text.matchAll(/[0-9a-f]{8} \d+ /g)]
    .filter(({ index }) => index > 0)
    .map(({ index }) => decodeLine(text.slice(index).trimEnd()))
    .filter(({ entry }) => entry !== undefined);
}

function decodeLine(line: string): Pick<Line, "entry" | "durableLength"> {
  const body = line.slice(CHECKSUM_LENGTH + 1);
  const blank = body.indexOf(" ");
  if (blank < 1 || line !== `${checksum(body)} ${body}`) return {};
  return { durableLength: Number(body.slice(0, blank)), entry: body.slice(blank + 1) };
}

function foreign(path: string, beginning: string): ConfigurationError {
  return new ConfigurationError(
    `${path} is no journal that this version of @model-gateway/nestjs can read: it begins with ` +
      `${JSON.stringify(beginning)}. Nothing was changed. Use the version that wrote it, or set the store's option ` +
      "directory to another folder.",
  );
}

function damaged(path: string, line: number): ConfigurationError {
  const remedy = line === 1 ? `replace line 1 with ${headerLine().toString().trim()}` : `delete line ${line}`;
  return new ConfigurationError(
    `${path} is damaged in line ${line}, in a part that had been written completely. Nothing was changed: other ` +
      "lines tell of video tasks that were paid for. Restore the file from a backup, or keep a copy of it, " +
      `${remedy} and start again; the task of that line may then be missing, or stand as it did before.`,
  );
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(CHECKSUM_LENGTH, "0");
}
