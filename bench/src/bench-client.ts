/** One way of using the gateway. Each runs in a fresh process; a client leaves out what it has no part in. */
export interface BenchClient {
  chat?(prompt: string): Promise<unknown>;
  /** @returns the number of characters that came, so that nothing is skipped */
  stream?(prompt: string): Promise<number>;
  /** The same through the framework's own function. */
  streamText?(prompt: string): Promise<number>;
  embed?(inputs: string[], encoding: "float" | "base64"): Promise<unknown>;
  /** @returns the bytes of the picture */
  image?(prompt: string): Promise<Uint8Array>;
  speech?(input: string): Promise<Uint8Array>;
  upload?(file: Uint8Array<ArrayBuffer>): Promise<unknown>;
  /** Watches so many video tasks that go on; resolves when all are watched. */
  watch?(tasks: number): Promise<WatchedTasks>;
  /** A journal of video tasks in a folder. */
  journal?(folder: string): BenchJournal;
}

/** Video tasks that are polled until the process ends. */
export interface WatchedTasks {
  /** Resolves after so many polls more. */
  polls(count: number): Promise<void>;
}

/** A store of video tasks in files. */
export interface BenchJournal {
  /** Reads what is there. @returns how many tasks are kept */
  open(): Promise<number>;
  /** Writes one submission; resolves when it is on disk. */
  append(key: string): Promise<unknown>;
}

/** Makes a client for a base address that ends in `/v1`. */
export type ClientFactory = (baseURL: string) => BenchClient | Promise<BenchClient>;
