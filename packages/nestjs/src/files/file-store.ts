import type { Readable } from "node:stream";
import type { Download, DownloadResume } from "@model-gateway/core";

/** A file that is kept. Plain JSON. */
export interface KeptFile {
  /** Under which the store has it. */
  key: string;
  /** Media type, as the server gave it. */
  contentType: string;
  /** In bytes. */
  length: number;
  /** Of its bytes, in hexadecimal digits. */
  sha256: string;
  /** What it is a file of, as given when it was kept. */
  origin?: string;
}

/** Begins a download, or asks for the rest of one that was begun, as `gateway.download` does with `resume`. */
export type FileSource = (resume?: DownloadResume) => Promise<Download>;

/** Options of `FileStore.keep`. */
export interface KeepOptions {
  /**
   * What the file is of, such as the id of a task. What is kept under the key with the same origin is this file already;
   * without one, and with another one, it is replaced.
   */
  origin?: string;
  /** Stops. What has arrived may serve a later `keep`. */
  signal?: AbortSignal;
}

/**
 * Where result files are kept before their addresses die. Abstract class and not interface, as the other ports are.
 *
 * A key is one or more names with `/` between them, as `fileKey` makes of any texts: letters, digits, `_`, `-`, `~` and
 * inner dots, at most 128 characters each. `fileStoreContract` of `@model-gateway/nestjs/testing` tests all of this.
 */
export abstract class FileStore {
  /**
   * Keeps a file. Durable when it resolves, and whole: until then nothing is under the key, or what was there before. Where
   * a source and an origin are given, what an earlier `keep` of them has received is not asked for again, if the store
   * still has it and the server goes on there. Two at once under one key follow each other.
   *
   * @param source a download, such as speech, or what makes one
   * @throws InvalidRequestError when the key cannot be; what the download throws; what the store's system says, with
   * `arrived: true` when the file was received whole and waits where only some processes have it
   */
  abstract keep(source: Download | FileSource, key: string, options?: KeepOptions): Promise<KeptFile>;

  /** What is kept under this key; undefined when nothing is. */
  abstract find(key: string): Promise<KeptFile | undefined>;

  /** The bytes of a file, for `StreamableFile` or a pipe; undefined when nothing is kept under this key. */
  abstract read(key: string): Promise<Readable | undefined>;

  /** Removes a file, and what was received of one. Does nothing when there is none. */
  abstract remove(key: string): Promise<void>;
}
