import { createReadStream } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { ConfigurationError, type Download } from "@model-gateway/core";
import { checkFileKey, fileKey } from "../files/file-key.js";
import { type FileSource, FileStore, type KeepOptions, type KeptFile } from "../files/file-store.js";
import { KeyTurns } from "../files/key-turns.js";
import { makeFolder } from "../files/make-folder.js";
import { dropReceived, receiveFile } from "../files/receive-file.js";
import { S3Bucket, type S3Credentials } from "./s3-bucket.js";
import { S3FileStoreError } from "./s3-file-store-error.js";

/** Settings of an `S3FileStore`. */
export interface S3FileStoreOptions {
  /**
   * Address of the bucket, with a folder in it if you like, in whichever style the server has:
   * `https://s3.eu-central-1.amazonaws.com/films`, `https://films.s3.eu-central-1.amazonaws.com/gateway`.
   */
  bucketURL: string | URL;
  /** What requests are signed for. Default `us-east-1`, which many servers that are not AWS take. */
  region?: string;
  /** Or what gives them, asked before each request: for those that expire. */
  credentials: S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
  /**
   * Folder for files on their way, on a disk that outlives the process: a file is there until the bucket has it. Default
   * `.model-gateway/spool`, in the folder that the process runs in.
   */
  spoolDirectory?: string;
  /** How long the server may neither take nor send a byte, in milliseconds. Default 60000. */
  idleTimeoutMs?: number;
}

const DEFAULT_SPOOL = ".model-gateway/spool";
const DEFAULT_IDLE_TIMEOUT_MS = 60_000;
const SHA256 = "x-amz-meta-sha256";
const ORIGIN = "x-amz-meta-origin";
const UNKNOWN_TYPE = "application/octet-stream";
const CHUNK_BYTES = 2 ** 18;
const NOT_FOUND = 404;
const THERE_ALREADY = 412;
const NOT_IMPLEMENTED = 501;

/**
 * Keeps result files in a bucket of any S3-compatible server, under their keys. A file is received on disk first, and goes to
 * the bucket in one request, signed with its SHA-256: nothing shows up there that is not whole. While the bucket cannot be
 * reached, files that have arrived wait on disk, and their addresses may die.
 */
export class S3FileStore extends FileStore {
  private readonly bucket: S3Bucket;
  private readonly spool: string;
  private readonly address: string;
  private readonly turns = new KeyTurns();
  /** Some servers do not know a PUT that does not overwrite. */
  private knowsConditions = true;
  /** Keys whose PUT with a condition broke off: a server that refuses one early may hang up before it is heard. */
  private readonly unheard = new Set<string>();

  /** @throws ConfigurationError when an option cannot be */
  constructor(options: S3FileStoreOptions) {
    super();
    const { region = "us-east-1", spoolDirectory = DEFAULT_SPOOL } = options;
    const { idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
    const url = bucketURLOf(options.bucketURL);
    if (!(idleTimeoutMs > 0)) throw refused("idleTimeoutMs", "a number above 0", idleTimeoutMs);
    const credentials = credentialsOf(options.credentials);
    this.bucket = new S3Bucket({ url, region, credentials, idleTimeoutMs });
    this.address = url.href;
    this.spool = join(resolve(spoolDirectory), fileKey(url.href));
  }

  /** @throws S3FileStoreError also when the file has arrived, and waits in the spool folder for the bucket */
  async keep(source: Download | FileSource, key: string, options: KeepOptions = {}): Promise<KeptFile> {
    checkFileKey(key);
    return this.turns.take(key, () => this.keepInTurn(source, key, options));
  }

  private async keepInTurn(
    source: Download | FileSource,
    key: string,
    options: KeepOptions,
  ): Promise<KeptFile> {
    const { origin, signal } = options;
    const part = this.partOf(key);
    const seen = origin === undefined ? {} : await this.look(key, signal);
    if (origin !== undefined && seen.file?.origin === origin) {
      await dropReceived(part);
      return seen.file;
    }
    await makeFolder(this.spool);
    // Whatever the bucket said: its time is not that of the file's address.
    const { file: received } = await receiveFile(source, part, options);
    const file = { ...received, contentType: headerOf(received.contentType), key };
    try {
      const kept = await this.put(part, file, "refusal" in seen, signal);
      await dropReceived(part);
      return kept;
    } catch (error) {
      if (!(error instanceof S3FileStoreError)) throw error;
      const { status, code } = error;
      throw new S3FileStoreError(
        `${error.message} The file itself has arrived and is safe in ${part}: its address is not needed any more.`,
        { status, code, arrived: true, cause: error },
      );
    }
  }

  async find(key: string): Promise<KeptFile | undefined> {
    checkFileKey(key);
    return this.head(key);
  }

  async read(key: string): Promise<Readable | undefined> {
    checkFileKey(key);
    const answer = await this.bucket.request("GET", key, { expected: [NOT_FOUND] });
    if (answer.statusCode === NOT_FOUND || keptFileOf(key, answer.headers) === undefined) {
      answer.destroy();
      return undefined;
    }
    return Readable.from(this.bucket.read(answer), { objectMode: false });
  }

  async remove(key: string): Promise<void> {
    checkFileKey(key);
    (await this.bucket.request("DELETE", key, { expected: [NOT_FOUND] })).resume();
    await dropReceived(this.partOf(key));
  }

  /** What is there. A server that does not say it keeps no file from being received. */
  private async look(
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<{ file?: KeptFile | undefined; refusal?: S3FileStoreError }> {
    try {
      return { file: await this.head(key, signal) };
    } catch (error) {
      if (error instanceof S3FileStoreError) return { refusal: error };
      throw error;
    }
  }

  private async head(key: string, signal?: AbortSignal): Promise<KeptFile | undefined> {
    const answer = await this.bucket.request("HEAD", key, { signal, expected: [NOT_FOUND] });
    answer.resume();
    return answer.statusCode === NOT_FOUND ? undefined : keptFileOf(key, answer.headers);
  }

  private async put(
    path: string,
    file: KeptFile,
    wasRefused: boolean,
    signal: AbortSignal | undefined,
  ): Promise<KeptFile> {
    const { key, origin } = file;
    // A server that refuses a large file may do so by hanging up: a small question has an answer.
    if (wasRefused || origin === undefined) await this.head(key, signal);
    // Whoever comes second with the same file leaves the first one alone.
    if (origin !== undefined && this.knowsConditions && !this.unheard.delete(key)) {
      const status = await this.send(path, file, { "if-none-match": "*" }, signal).catch((error) => {
        if (error instanceof S3FileStoreError && error.status === undefined) this.unheard.add(key);
        throw error;
      });
      if (status === THERE_ALREADY) {
        const there = await this.head(key, signal);
        if (there !== undefined && there.origin === origin) return there;
      } else if (status === NOT_IMPLEMENTED) this.knowsConditions = false;
      else return this.confirm(file, signal);
    }
    await this.send(path, file, {}, signal);
    return this.confirm(file, signal);
  }

  /** @returns the status of the answer, where it refused a condition */
  private async send(
    path: string,
    { key, contentType, length, sha256, origin }: KeptFile,
    condition: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<number | undefined> {
    const expected = Object.keys(condition).length > 0 ? [THERE_ALREADY, NOT_IMPLEMENTED] : [];
    const answer = await this.bucket.request("PUT", key, {
      headers: {
        "content-type": contentType,
        "content-length": `${length}`,
        // Signed, so that the server takes no other bytes.
        "x-amz-content-sha256": sha256,
        [SHA256]: sha256,
        ...(origin !== undefined && { [ORIGIN]: encodeOrigin(origin) }),
        ...condition,
      },
      ...(length > 0 && { body: bytesOf(path, length) }),
      signal,
      expected,
    });
    answer.resume();
    return answer.statusCode;
  }

  /** Whether it is there as it was sent. */
  private async confirm(file: KeptFile, signal: AbortSignal | undefined): Promise<KeptFile> {
    const there = await this.head(file.key, signal);
    if (there !== undefined && there.sha256 === file.sha256 && there.length === file.length) return file;
    throw new S3FileStoreError(
      there === undefined
        ? `The S3 store ${this.address} took ${file.key} and does not have it, or lost its metadata (${SHA256}), without ` +
            "which no file counts as kept. Look for a proxy or a rule of the bucket that removes either."
        : `The S3 store ${this.address} took ${file.key} and has another one: ${there.length} bytes instead of ` +
            `${file.length}. Look for another process that writes there.`,
    );
  }

  private partOf(key: string): string {
    return join(this.spool, `${fileKey(key)}.part`);
  }
}

/** Opens the file when it is read, which may never happen. */
async function* bytesOf(path: string, length: number): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { end: length - 1, highWaterMark: CHUNK_BYTES });
}

/** What a server may have called a file so far is no reason not to keep it. */
function headerOf(contentType: string): string {
  return /^[ -~]{1,255}$/.test(contentType) ? contentType : UNKNOWN_TYPE;
}

/** @returns undefined for what this store has not put there */
function keptFileOf(key: string, headers: IncomingHttpHeaders): KeptFile | undefined {
  const sha256 = String(headers[SHA256]);
  const length = Number(headers["content-length"]);
  if (!/^[0-9a-f]{64}$/.test(sha256) || !Number.isSafeInteger(length)) return undefined;
  const origin = headers[ORIGIN];
  const contentType = headers["content-type"] ?? UNKNOWN_TYPE;
  return {
    key,
    contentType,
    length,
    sha256,
    ...(origin !== undefined && { origin: decodeOrigin(String(origin)) }),
  };
}

/** Headers hold ASCII only; half a character cannot be encoded. */
function encodeOrigin(origin: string): string {
  return encodeURIComponent(origin.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

function decodeOrigin(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function bucketURLOf(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(String(given)) : undefined;
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol) && `${url.search}${url.hash}` === "";
  if (!isAddress) throw refused("bucketURL", "an http(s) address of a bucket, without a query", given);
  if (url.username !== "") throw refused("bucketURL", "an address without credentials", "one with them");
  return url;
}

function credentialsOf(
  given: S3FileStoreOptions["credentials"],
): () => S3Credentials | Promise<S3Credentials> {
  if (typeof given === "function") return given;
  for (const name of ["accessKeyId", "secretAccessKey"] as const) {
    const value: unknown = given?.[name];
    if (typeof value === "string" && value !== "") continue;
    throw refused(`credentials.${name}`, "a non-empty string", typeof value);
  }
  // A function, so that nothing that shows the store shows them.
  return () => given;
}

function refused(option: string, wanted: string, value: unknown): ConfigurationError {
  return new ConfigurationError(
    `Option ${option} of S3FileStore must be ${wanted}, and not ${String(value)}.`,
  );
}
