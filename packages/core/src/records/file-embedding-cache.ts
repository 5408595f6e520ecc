import { decodeBase64, encodeBase64 } from "../download/base64.js";
import type { EmbeddingCache } from "../embeddings/embedding-cache.js";
import { decodeVector, encodeVector } from "../embeddings/vector-bytes.js";
import { RecordFile } from "./record-file.js";

/**
 * Vectors in a file, for Node. It is only ever added to, so that nothing is lost when the process is killed in the middle, and several
 * processes may share it; to forget, remove it. A million vectors of 1,536 numbers take 8 GB on disk, and the list of them 50 MB of
 * memory.
 */
export class FileEmbeddingCache implements EmbeddingCache {
  readonly #file: RecordFile;

  /** @param path of the file; it and its folder are made when they are not there */
  constructor(path: string) {
    this.#file = new RecordFile(path, { durable: false });
  }

  async getMany(keys: readonly string[]): Promise<(Float32Array | undefined)[]> {
    return (await this.#file.getMany(keys)).map(readVector);
  }

  setMany(entries: ReadonlyArray<readonly [key: string, vector: Float32Array]>): Promise<void> {
    return this.#file.add(entries.map(([key, vector]) => [key, writeVector(vector)]));
  }

  /** Closes the file; it is opened again when it is needed. */
  close(): Promise<void> {
    return this.#file.close();
  }
}

export function writeVector(vector: Float32Array): string {
  return encodeBase64(encodeVector(vector));
}

/** @returns undefined for what `writeVector` has not written */
export function readVector(value: string | undefined): Float32Array | undefined {
  const bytes = value === undefined ? undefined : decodeBase64(value);
  return bytes && decodeVector(bytes);
}
