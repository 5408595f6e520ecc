import { NEWLINE, withoutNewline } from "./for-each-line.js";
import { decodeLine, type JournalLine, lineStartsWithin } from "./journal-format.js";
import { mendLine } from "./mend-line.js";

/** A piece of the end of a journal that does not read as it was written, and what it seems to tell. */
export interface Remains {
  /** Key of the video, if that can be read. */
  key?: string;
  /** What can be read as the id of its task; several when the copies differ. */
  taskIds: string[];
  /** In bytes. */
  length: number;
  /** Whether it looks as a crash leaves it: the beginning of a write that was never acknowledged. */
  isTorn: boolean;
}

/** What can be read of the end of a journal. */
export interface TailReading {
  /** Lines that are whole, or of which one bit was put right, in the order of writing. */
  lines: JournalLine[];
  /** How many of them had to be put right. */
  mended: number;
  /** What is left. */
  remains: Remains[];
}

interface Piece {
  lines: JournalLine[];
  mended: number;
  /** How many of the pieces between newlines it took. */
  taken: number;
}

/**
 * Reads what stands behind the whole part of a journal.
 *
 * @param isOfLastWrite whether a line with this length of the file may belong to the last write: others are left over
 * from what was there before
 */
export function readTail(tail: Buffer, isOfLastWrite: (durableLength: number) => boolean): TailReading {
  const reading: TailReading = { lines: [], mended: 0, remains: [] };
  const pieces = splitLines(tail);
  for (let index = 0; index < pieces.length; ) {
    const piece = readPiece(pieces[index] ?? tail, pieces[index + 1]);
    const isCredible = piece?.lines.every(({ durableLength }) => isOfLastWrite(durableLength)) ?? false;
    if (piece !== undefined && isCredible) {
      reading.lines.push(...piece.lines);
      reading.mended += piece.mended;
    } else {
      reading.remains.push(remainsOf(Buffer.concat(pieces.slice(index, index + (piece?.taken ?? 1)))));
    }
    index += piece?.taken ?? 1;
  }
  return reading;
}

function readPiece(bytes: Buffer, next: Buffer | undefined): Piece | undefined {
  const ended = withoutNewline(bytes);
  const line = ended ?? bytes;
  const whole = decodeLine(line);
  if (whole !== undefined) return { lines: [whole], mended: 0, taken: 1 };
  // The newline itself became something else: at the end, or with another line behind it.
  const unended = ended ? undefined : decodeLine(line.subarray(0, -1));
  if (unended !== undefined) return { lines: [unended], mended: 1, taken: 1 };
  const mended = decodeMended(line);
  if (mended !== undefined) return { lines: [mended], mended: 1, taken: 1 };
  for (const start of lineStartsWithin(line)) {
    const [one, other] = [decodeLine(line.subarray(0, start - 1)), decodeLine(line.subarray(start))];
    if (one !== undefined && other !== undefined) return { lines: [one, other], mended: 1, taken: 1 };
  }
  // Something else became a newline.
  const joined = next && ended && decodeMended(Buffer.concat([bytes, withoutNewline(next) ?? next]));
  return joined && { lines: [joined], mended: 1, taken: 2 };
}

function decodeMended(line: Buffer): JournalLine | undefined {
  const mended = mendLine(line);
  const decoded = mended && decodeLine(mended);
  return decoded !== undefined && parseJSON(decoded.entry) !== undefined ? decoded : undefined;
}

function remainsOf(bytes: Buffer): Remains {
  const text = bytes.toString("utf8");
  const key = readString(text, /"key":("(?:[^"\\]|\\.)*")/);
  // A record has its handle before the task, and the gateway's own answer at the end.
  const ids = [/"handle":\{[^{}]*?"id":("(?:[^"\\]|\\.)*")/, /"task":\{.*?"id":("(?:[^"\\]|\\.)*")/s];
  const taskIds = new Set(ids.map((pattern) => readString(text, pattern)).filter((id) => id !== undefined));
  const isTorn = bytes.at(-1) !== NEWLINE;
  return { ...(key !== undefined && { key }), taskIds: [...taskIds], length: bytes.length, isTorn };
}

function readString(text: string, pattern: RegExp): string | undefined {
  const [, found] = pattern.exec(text) ?? [];
  return found === undefined ? undefined : (parseJSON(found) as string | undefined);
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function splitLines(content: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(NEWLINE, start);
    const end = newline === -1 ? content.length : newline + 1;
    lines.push(content.subarray(start, end));
    start = end;
  }
  return lines;
}
