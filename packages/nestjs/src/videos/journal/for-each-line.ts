import { type FileHandle, open } from "node:fs/promises";
import { systemErrorCode } from "../../files/system-error-code.js";

const CHUNK_BYTES = 1_048_576;
export const NEWLINE = 0x0a;

/**
 * Reads a file line by line, and holds no more of it than a piece. A file that is not there has no lines.
 *
 * @param visit is given each line with its newline, and what stands behind the last one; the bytes are good during
 * the call only
 */
export async function forEachLine(path: string, visit: (line: Buffer) => void): Promise<void> {
  const file = await open(path, "r").catch(undefinedIfMissing);
  try {
    if (file !== undefined) await visitLines(file, visit);
  } finally {
    await file?.close();
  }
}

async function visitLines(file: FileHandle, visit: (line: Buffer) => void): Promise<void> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let held = 0;
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * held);
    const { bytesRead } = await file.read(buffer, held, buffer.length - held);
    if (bytesRead === 0) break;
    const filled = buffer.subarray(0, held + bytesRead);
    let start = 0;
    for (let end = filled.indexOf(NEWLINE, held); end !== -1; end = filled.indexOf(NEWLINE, start)) {
      visit(filled.subarray(start, end + 1));
      start = end + 1;
    }
    filled.copyWithin(0, start);
    held = filled.length - start;
  }
  if (held > 0) visit(buffer.subarray(0, held));
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemErrorCode(error) === "ENOENT") return undefined;
  throw error;
}

/** A line without its newline; undefined when it has none. */
export function withoutNewline(line: Buffer): Buffer | undefined {
  return line.at(-1) === NEWLINE ? line.subarray(0, -1) : undefined;
}
