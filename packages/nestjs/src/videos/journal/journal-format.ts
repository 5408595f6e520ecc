import { crc32 } from "node:zlib";

/** First entry of every journal: tells what the file is, and which form the rest has. */
export const HEADER = JSON.stringify({ format: "model-gateway video tasks", version: 1 });
/** What stands before the body of a line: its checksum, and a blank. */
export const PREFIX_LENGTH = 9;

/** What a line holds. */
export interface JournalLine {
  /** JSON. */
  entry: string;
  /** Length of the file that was known to be on disk when the line was written. */
  durableLength: number;
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
  return Buffer.from(`${prefixOf(body)}${body}\n`);
}

/**
 * @param line without its newline
 * @returns undefined when it is not what was written
 */
export function decodeLine(line: Buffer): JournalLine | undefined {
  const body = line.subarray(PREFIX_LENGTH);
  if (line.toString("latin1", 0, PREFIX_LENGTH) !== prefixOf(body)) return undefined;
  const blank = body.indexOf(" ");
  if (blank < 1) return undefined;
  return {
    durableLength: Number(body.toString("latin1", 0, blank)),
    entry: body.toString("utf8", blank + 1),
  };
}

/** What stands before a body. */
export function prefixOf(body: string | Buffer): string {
  return `${crc32(body)
    .toString(16)
    .padStart(PREFIX_LENGTH - 1, "0")} `;
}

/** Where in these bytes a line may begin that lost the newline before it. */
export function lineStartsWithin(line: Buffer): number[] {
  return [...line.toString("latin1").matchAll(/[0-9a-f]{8} \d+ /g)]
    .map(({ index }) => index)
    .filter((index) => index > 0);
}
