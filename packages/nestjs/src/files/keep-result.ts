import { randomUUID } from "node:crypto";
import { InvalidRequestError } from "@model-gateway/core";
import { pause } from "../streams/pause.js";
import { fileKey } from "./file-key.js";
import type { FileSource, FileStore, KeptFile } from "./file-store.js";
import { isRefusal } from "./is-refusal.js";
import { ResultNotKeptError } from "./result-not-kept-error.js";

/** Where a call keeps its result. */
export interface KeepResultOptions {
  /** A `FolderFileStore`, an `S3FileStore` of `@model-gateway/nestjs/s3`, or one of your own. */
  store: FileStore;
  /**
   * Your own name for the result, any text: its files are under `fileKey(key, "0.png")` and so on. What was kept under it
   * before is replaced.
   */
  key: string;
}

/** A file of a result. */
export interface ResultFile {
  /** Last part of its key. */
  name: string;
  source: FileSource;
}

/** A store or a server that fails for a moment is no reason to hand a result back that was paid for. */
const WAITS_MS = [250, 750, 1_000];

/** @throws InvalidRequestError before anything is paid, when the result could not be kept */
export function checkKeepResult({ store, key }: KeepResultOptions): void {
  const problems = [
    ...(typeof store?.keep === "function"
      ? []
      : [{ field: "keep.store", message: "must be a FileStore", value: store }]),
    ...(typeof key === "string" && key !== ""
      ? []
      : [{ field: "keep.key", message: "must be a non-empty string", value: key }]),
  ];
  if (problems.length > 0) throw new InvalidRequestError(problems);
}

/**
 * Keeps the files of a result that was paid for, each with some patience.
 *
 * @throws ResultNotKeptError with the result, when not all of them could be kept
 */
export async function keepResult<Files extends readonly ResultFile[]>(
  { store, key }: KeepResultOptions,
  result: unknown,
  files: Files,
): Promise<{ [Index in keyof Files]: KeptFile }> {
  // Of this call, and of no other: what was kept under the key before is not taken for its result.
  const origin = randomUUID();
  const kept: KeptFile[] = [];
  const failures: unknown[] = [];
  for (const { name, source } of files) {
    try {
      kept.push(await keepPatiently(() => store.keep(source, fileKey(key, name), { origin })));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new ResultNotKeptError(result, kept, failures.length, failures[0]);
  return kept as { [Index in keyof Files]: KeptFile };
}

async function keepPatiently(keep: () => Promise<KeptFile>): Promise<KeptFile> {
  for (const waitMs of WAITS_MS) {
    try {
      return await keep();
    } catch (error) {
      if (isRefusal(error)) throw error;
      await pause(waitMs);
    }
  }
  return keep();
}
