import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Download } from "./download.js";
import { piecesOf } from "./memory-download.js";

export interface SaveProgress {
  /** Bytes written so far. */
  received: number;
  /** Bytes of the whole file, when the server told. */
  total: number | undefined;
}

/** Options of `saveDownload`. */
export interface SaveOptions {
  /** Called after each piece. What it throws stops the download, and removes what was written. */
  onProgress?: (progress: SaveProgress) => void;
  /** Stops and removes what was written. */
  signal?: AbortSignal;
}

/**
 * Writes a download to disk without holding it in memory. The file appears under its name only when it is whole:
 * until then it is called `<path>.part`, and a failure removes it.
 *
 * @returns the number of bytes written
 * @throws what the download throws, when it breaks off or is shorter than the server told; what `onProgress` throws
 */
export async function saveDownload(
  download: Download,
  path: string,
  { onProgress, signal }: SaveOptions = {},
): Promise<number> {
  const { body, contentLength: total } = download;
  const part = `${path}.part`;
  let received = 0;
  // A generator and no Transform: what the caller's function throws ends the pipeline, and not the process.
  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      received += chunk.length;
      onProgress?.({ received, total });
      yield chunk;
    }
  }
  const pieces = piecesOf(download);
  const source = pieces
    ? Readable.from(pieces)
    : Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  const file = createWriteStream(part);
  const closed = new Promise<void>((resolve) => file.once("close", resolve));
  try {
    await pipeline(source, counted, file, { signal });
    await rename(part, path);
  } catch (error) {
    // A pipeline that fails waits for nobody: the system may still be about to make the file.
    file.destroy();
    await closed;
    await rm(part, { force: true });
    throw error;
  }
  return received;
}
