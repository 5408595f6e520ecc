import { ConfigurationError } from "@model-gateway/core";
import { forEachLine, withoutNewline } from "./for-each-line.js";
import { decodeLine, HEADER, headerLine, type JournalLine, lineStartsWithin } from "./journal-format.js";

/** What was found of a journal. */
export interface JournalReading {
  /** Length of the part that is whole, in bytes; 0 when there is no file yet. */
  length: number;
  /** Entries in that part. */
  lines: number;
  /** What the last line of that part says was on disk before it. */
  durableLength: number;
  /** What stands behind it: a write that a crash cut short, or the last one, damaged. */
  tail: Buffer;
}

/**
 * Reads a journal, a piece at a time. A crash may leave anything behind the part that was on disk for certain, since a
 * system writes the pages of a file in any order; that part is left to the caller. Anything wrong before it is damage.
 *
 * @param take is given each entry, in the order of writing
 * @throws ConfigurationError when the file is damaged or none of ours: names the line
 */
export async function readJournal(path: string, take: (entry: string) => void): Promise<JournalReading> {
  const reading = { length: 0, lines: -1, durableLength: 0 };
  const tail: Buffer[] = [];
  await forEachLine(path, (bytes) => {
    const line = withoutNewline(bytes);
    const decoded = line && decodeLine(line);
    if (tail.length > 0 || decoded === undefined) {
      tail.push(Buffer.from(bytes));
      for (const { durableLength } of wholeLines(bytes, decoded)) {
        // Whoever wrote this knew of a file on disk that was longer than what is whole of it now.
        if (durableLength > reading.length) throw damaged(path, reading.lines + 2);
      }
      return;
    }
    if (reading.lines >= 0) take(decoded.entry);
    else if (decoded.entry !== HEADER) throw foreign(path, decoded.entry);
    reading.lines += 1;
    reading.length += bytes.length;
    reading.durableLength = decoded.durableLength;
  });
  const rest = Buffer.concat(tail);
  const isNew = reading.length === 0 && isUnfinishedHeader(rest);
  if (reading.length === 0 && !isNew) throw foreign(path, rest.toString("utf8", 0, 100));
  return { ...reading, lines: Math.max(0, reading.lines), tail: rest };
}

/** A crash during the very first write leaves a piece of the header, or zeros where the system had only made room. */
function isUnfinishedHeader(bytes: Buffer): boolean {
  const header = headerLine();
  return bytes.length <= header.length && bytes.every((byte, at) => byte === 0 || byte === header[at]);
}

/** The line, or those in one that lost the newline before them. */
function wholeLines(bytes: Buffer, decoded: JournalLine | undefined): JournalLine[] {
  if (decoded !== undefined) return [decoded];
  const line = withoutNewline(bytes);
  if (line === undefined) return [];
  return lineStartsWithin(line).flatMap((start) => decodeLine(line.subarray(start)) ?? []);
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
