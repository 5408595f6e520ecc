import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { type Download, InvalidResponseError } from "@model-gateway/core";
import type { FileSource, KeepOptions, KeptFile } from "./file-store.js";

/** A file that has arrived, and is on disk under the name for what is on its way. */
export interface ReceivedFile {
  file: Omit<KeptFile, "key">;
  /** Names it on its disk: under that name there may be another one by now, of a process that took this one for dead. */
  inode: bigint;
}

/** What is known of a file on its way. */
interface Begun {
  origin: string;
  contentType: string;
  version?: string;
  /** Bytes of the whole file, when the server told. */
  length?: number;
  /** Bytes that are surely on disk: what comes after them a crash of the machine may have made up. */
  synced: number;
}

/** What is received is on disk at least so often. */
const SYNC_BYTES = 2 ** 20;

/**
 * Writes a download to `path` durably, and goes on with what an earlier call left there, however that ended: `path` is for a
 * file on its way, and `<path>.begun` says how far it has come. Both stay when it fails.
 */
export async function receiveFile(
  source: Download | FileSource,
  path: string,
  { origin, signal }: KeepOptions,
): Promise<ReceivedFile> {
  signal?.throwIfAborted();
  if (typeof source !== "function") return receive(await startAnew(source, path, origin), origin, signal);
  const begun = origin === undefined ? undefined : await readBegun(path, origin);
  if (begun === undefined) return receive(await startAnew(await source(), path, origin), origin, signal);
  if (begun.synced === begun.length) return confirm(path, begun);
  return receive(await goOn(source, path, begun), origin, signal);
}

/** Removes a file on its way. */
export async function dropReceived(path: string): Promise<void> {
  // The note first: without it nobody takes the rest for a part of something.
  await rm(`${path}.begun`, { force: true });
  await rm(path, { force: true });
}

/** A download and the file that it goes to. */
interface Transfer {
  download: Download;
  path: string;
  /** Bytes of the file that are there. */
  offset: number;
  hash: Hash;
  file: FileHandle;
}

async function startAnew(download: Download, path: string, origin: string | undefined): Promise<Transfer> {
  try {
    // Not the file that is there, made shorter: whoever has lost the task to this process may still write into that.
    await dropReceived(path);
    const file = await open(path, "wx", 0o600);
    const transfer = { download, path, offset: 0, hash: createHash("sha256"), file };
    await note(transfer, 0, origin);
    return transfer;
  } catch (error) {
    await download.body.cancel().catch(() => undefined);
    throw error;
  }
}

async function goOn(source: FileSource, path: string, begun: Begun): Promise<Transfer> {
  const { synced, version, length, origin } = begun;
  const download = await source({ from: synced, ...(version !== undefined && { version }) }).catch(
    async (error: unknown) => {
      // It sends nonsense when it is asked to go on: the next attempt starts anew.
      if (InvalidResponseError.isInstance(error)) await dropReceived(path);
      throw error;
    },
  );
  if (download.offset === undefined) return startAnew(download, path, origin);
  const isTheSame =
    download.offset === synced &&
    download.version === version &&
    (length === undefined || lengthOf(download) === length);
  if (!isTheSame) {
    await download.body.cancel();
    return startAnew(await source(), path, origin);
  }
  try {
    const hash = await hashOf(path, synced);
    const file = await open(path, "r+");
    await file.truncate(synced);
    return { download, path, offset: synced, hash, file };
  } catch (error) {
    await download.body.cancel().catch(() => undefined);
    throw error;
  }
}

async function receive(
  transfer: Transfer,
  origin: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ReceivedFile> {
  const { download, hash, file, offset } = transfer;
  const reader = download.body.getReader();
  const stop = () => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener("abort", stop, { once: true });
  let received = offset;
  let synced = offset;
  let isDiskWell = true;
  const sync = async (length = lengthOf(download)) => {
    await file.sync().catch((error) => {
      isDiskWell = false;
      throw error;
    });
    synced = received;
    await note(transfer, synced, origin, length);
  };
  let inode: bigint;
  try {
    inode = (await file.stat({ bigint: true })).ino;
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) break;
      await writeAll(file, value, received);
      hash.update(value);
      received += value.length;
      if (received - synced >= SYNC_BYTES) await sync();
    }
    const expected = lengthOf(download);
    if (expected !== undefined && received !== expected)
      throw new Error(`The file has ${received} bytes, and not the ${expected} that were announced.`);
    await sync(received);
  } catch (error) {
    await reader.cancel(error).catch(() => undefined);
    // So that the next attempt goes on here. After a sync that failed the next may confirm what it left out.
    if (received > synced && isDiskWell) await sync().catch(() => undefined);
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    await file.close();
  }
  return { file: described(download.contentType, received, hash, origin), inode };
}

/** What had arrived when the process ended. */
async function confirm(path: string, { contentType, synced, origin }: Begun): Promise<ReceivedFile> {
  const { ino } = await stat(path, { bigint: true });
  return { file: described(contentType, synced, await hashOf(path, synced), origin), inode: ino };
}

function described(
  contentType: string,
  length: number,
  hash: Hash,
  origin: string | undefined,
): ReceivedFile["file"] {
  return { contentType, length, sha256: hash.digest("hex"), ...(origin !== undefined && { origin }) };
}

/** Writes down how far it has come. Of no file that could not be gone on with: two of those may be of different content. */
async function note(
  { download, path }: Transfer,
  synced: number,
  origin: string | undefined,
  length = lengthOf(download),
): Promise<void> {
  const { contentType, version } = download;
  if (origin === undefined || (version === undefined && length === undefined)) return;
  const begun: Begun = {
    origin,
    contentType,
    ...(version !== undefined && { version }),
    ...(length !== undefined && { length }),
    synced,
  };
  await writeFile(`${path}.begun.new`, JSON.stringify(begun), { mode: 0o600 });
  await rename(`${path}.begun.new`, `${path}.begun`);
}

/** @returns undefined when there is nothing to go on with */
async function readBegun(path: string, origin: string): Promise<Begun | undefined> {
  try {
    const begun = JSON.parse(await readFile(`${path}.begun`, "utf8")) as Begun;
    const { size } = await stat(path);
    return begun.origin === origin && begun.synced > 0 && size >= begun.synced ? begun : undefined;
  } catch {
    // Not there, or what a crash of the machine left of it.
    return undefined;
  }
}

function lengthOf({ offset = 0, contentLength }: Download): number | undefined {
  return contentLength === undefined ? undefined : offset + contentLength;
}

async function hashOf(path: string, length: number): Promise<Hash> {
  const hash = createHash("sha256");
  if (length === 0) return hash;
  let read = 0;
  for await (const chunk of createReadStream(path, { end: length - 1 })) {
    hash.update(chunk);
    read += (chunk as Buffer).length;
  }
  if (read !== length) throw new Error(`${path} has ${read} bytes, and not the ${length} that were written.`);
  return hash;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
