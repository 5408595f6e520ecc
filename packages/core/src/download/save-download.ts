import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Download } from "./download.js";

export interface SaveProgress {
  /** Bytes written so far. */
  received: number;
  /** Bytes of the whole file, when the server told. */
  total: number | undefined;
}

/** Options of `saveDownload`. */
export interface SaveOptions {
  /** Called after each piece. */
  onProgress?: (progress: SaveProgress) => void;
  /** Stops and removes what was written. */
  signal?: AbortSignal;
}

/**
 * Writes a download to disk without holding it in memory. The file appears under its name only when it is whole:
 * until then it is called `<path>.part`, and a failure removes it.
 *
 * @returns the number of bytes written
 * @throws what the download throws, when it breaks off or is shorter than the server told
 */
export async function saveDownload(
  { body, contentLength: total }: Download,
  path: string,
  { onProgress, signal }: SaveOptions = {},
): Promise<number> {
  const part = `${path}.part`;
  let received = 0;
  const count = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      received += chunk.length;
      onProgress?.({ received, total });
      done(null, chunk);
    },
  });
  try {
    const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(source, count, createWriteStream(part), { signal });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return received;
}
