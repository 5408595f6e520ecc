import type { IngestCheckpoint } from "../ingest/ingest-checkpoint.js";
import { readVector, writeVector } from "./file-embedding-cache.js";
import { RecordFile } from "./record-file.js";

/**
 * What an ingest remembers, in a file, for Node. It is only ever added to, and what was added is on the disk before the ingest goes
 * on: it survives a kill at any moment, and a power failure. Remove it to begin anew, and to pay anew. A million texts take the 8 GB
 * of their vectors of 1,536 numbers, and 100 MB of memory.
 */
export class FileIngestCheckpoint implements IngestCheckpoint {
  readonly #file: RecordFile;

  /** @param path of the file; it and its folder are made when they are not there */
  constructor(path: string) {
    this.#file = new RecordFile(path, { durable: true });
  }

  async getMany(keys: readonly string[]): Promise<(Float32Array | undefined)[]> {
    return (await this.#file.getMany(keys)).map(readVector);
  }

  setMany(entries: ReadonlyArray<readonly [key: string, vector: Float32Array]>): Promise<void> {
    return this.#file.add(entries.map(([key, vector]) => [key, writeVector(vector)]));
  }

  async getNotes(keys: readonly string[]): Promise<(string | undefined)[]> {
    const values = await this.#file.getMany(keys);
    return values.map((value) => (value === undefined ? undefined : (JSON.parse(value) as string)));
  }

  setNotes(entries: ReadonlyArray<readonly [key: string, note: string]>): Promise<void> {
    return this.#file.add(entries.map(([key, note]) => [key, JSON.stringify(note)]));
  }

  /** Closes the file; it is opened again when it is needed. */
  close(): Promise<void> {
    return this.#file.close();
  }
}
