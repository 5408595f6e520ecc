import { onAbort } from "../call/abort-signal.js";
import { checkCount, checkDuration } from "../checks/check-numbers.js";
import { checkOptionNames } from "../checks/check-option-names.js";
import { DigestMap } from "../digests/digest-map.js";
import { sha256 } from "../digests/sha256.js";
import { embeddingKeyOf } from "../embeddings/embedding-key.js";
import type { Embeddings } from "../embeddings/embeddings.js";
import { APIUserAbortError, ConfigurationError, InvalidRequestError } from "../errors/errors.js";
import { BatchEmbedder } from "./batch-embedder.js";
import { CheckpointedCache } from "./checkpointed-cache.js";
import type { IngestCounts, IngestItem, IngestOptions } from "./ingest-types.js";

const OPTIONS: Record<keyof IngestOptions<IngestItem>, true> = {
  ...{ signal: true, timeout: true, connectTimeout: true, headers: true, route: true },
  ...{ model: true, dimensions: true, body: true, checkpoint: true, write: true, cache: true },
  ...{ batchSize: true, concurrency: true, patience: true, onInvalid: true, onProgress: true },
};
const DEFAULT_BATCH_SIZE = 64;
const DEFAULT_CONCURRENCY = 4;
const DEFAULT_PATIENCE_MS = 600_000;
/** `patience` is what bounds them. */
const MAX_RETRIES = 1_000;
/** Of what is written already there is nothing else to say. */
const WRITTEN = "";

/** An item with its names in the checkpoint. */
interface Entry<T> {
  item: T;
  id: string;
  key: string;
  writtenKey: string;
  refusedKey: string;
}

/** One run of `ingestTexts`. */
export class Ingest<T extends IngestItem> {
  readonly #options: IngestOptions<T>;
  readonly #batchSize: number;
  readonly #concurrency: number;
  readonly #keyOf: (text: string) => string;
  readonly #cache: CheckpointedCache;
  readonly #embedder: BatchEmbedder;
  readonly #abort = new AbortController();
  readonly #counts = {
    ...{ items: 0, written: 0, unchanged: 0 },
    ...{ embedded: 0, fromCache: 0, duplicates: 0, invalid: 0 },
  };
  /** Texts and items of this run. */
  readonly #seen = new DigestMap();
  #running = 0;
  /** Ends with the batch that was read last: batches are written in turn. */
  #last: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  /** Goes on when a batch is over, or the run has failed. Only the reader waits. */
  #wake = () => {};

  /** @throws ConfigurationError for an option that is none */
  constructor(embeddings: Pick<Embeddings, "create">, options: IngestOptions<T>) {
    checkOptionNames(options, Object.keys(OPTIONS), "ingestTexts()");
    for (const option of ["model", "checkpoint", "write"] as const)
      if (!options[option])
        throw new ConfigurationError(`Option ${option} of ingestTexts() is missing.`, { option });
    const { model, dimensions, checkpoint, cache } = options;
    const { timeout, connectTimeout, headers, route } = options;
    this.#options = options;
    this.#batchSize = checkCount("batchSize", options.batchSize) || DEFAULT_BATCH_SIZE;
    this.#concurrency = checkCount("concurrency", options.concurrency) || DEFAULT_CONCURRENCY;
    const deadline = checkDuration("patience", options.patience) ?? DEFAULT_PATIENCE_MS;
    const body = { ...options.body, model, ...(dimensions !== undefined && { dimensions }) };
    this.#keyOf = embeddingKeyOf(body);
    this.#cache = new CheckpointedCache(checkpoint, cache, (error) => {
      this.#fail(error);
      // What would be paid for now could not be kept.
      this.#abort.abort(error);
    });
    const { signal } = this.#abort;
    this.#embedder = new BatchEmbedder({
      ...{ embeddings, body, cache: this.#cache, batchSize: this.#batchSize },
      onDoubt: () => this.#wake(),
      request: { timeout, connectTimeout, headers, route, deadline, signal, maxRetries: MAX_RETRIES },
    });
  }

  async run(source: AsyncIterable<T> | Iterable<T>): Promise<IngestCounts> {
    const { signal } = this.#options;
    const abort = () => {
      const { reason: cause } = signal as AbortSignal;
      this.#fail(new APIUserAbortError("ingestTexts was aborted by the caller.", { cause }));
      this.#abort.abort(cause);
    };
    const unlink = onAbort(signal, abort);
    if (signal?.aborted) abort();
    try {
      await this.#readAll(source);
    } catch (error) {
      this.#fail(error);
    }
    this.#embedder.end();
    // What is under way is paid for.
    await this.#last;
    unlink();
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#told();
  }

  async #readAll(source: AsyncIterable<T> | Iterable<T>): Promise<void> {
    const iterator: AsyncIterator<T> | Iterator<T> =
      Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    let isOver = false;
    try {
      while (!isOver && this.#failure === undefined) {
        const batch: Entry<T>[] = [];
        while (batch.length < this.#batchSize && !isOver) {
          const next = await this.#next(iterator);
          isOver = next === undefined || next.done === true;
          if (next !== undefined && !next.done) batch.push(this.#entryOf(next.value));
        }
        while (this.#isBusy() && this.#failure === undefined) await this.#change();
        if (batch.length > 0 && this.#failure === undefined) this.#start(batch);
      }
    } finally {
      // One that is in the middle of something may take as long as it likes.
      if (!isOver || this.#failure !== undefined) void (async () => iterator.return?.())().catch(() => {});
    }
  }

  /** Batches that wait for others take no place from them. */
  #isBusy(): boolean {
    return this.#running - this.#embedder.waiting >= this.#concurrency;
  }

  /** @returns undefined when the run has failed: a source that is silent holds up no failure */
  #next(iterator: AsyncIterator<T> | Iterator<T>): Promise<IteratorResult<T> | undefined> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        if (this.#failure !== undefined) resolve(undefined);
      };
      this.#wake = wake;
      wake();
      (async () => iterator.next())().then(resolve, reject);
    });
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  #entryOf(item: T): Entry<T> {
    const { items } = this.#counts;
    if (typeof item?.text !== "string")
      throw new InvalidRequestError([{ field: `items[${items}].text`, message: "must be a string" }]);
    this.#counts.items++;
    const key = this.#keyOf(item.text);
    const id = item.id ?? uuidOf(key);
    return {
      ...{ item, id, key },
      writtenKey: sha256(JSON.stringify(["written", key, id])),
      refusedKey: sha256(JSON.stringify(["refused", key])),
    };
  }

  #start(batch: readonly Entry<T>[]): void {
    const previous = this.#last;
    this.#running++;
    const work = this.#process(batch, previous).catch((error) => this.#fail(error));
    this.#last = Promise.all([work, previous]).then(() => {});
    void work.then(() => {
      this.#running--;
      this.#wake();
    });
  }

  async #process(batch: readonly Entry<T>[], previous: Promise<void>): Promise<void> {
    const { checkpoint, write, onProgress } = this.#options;
    // An item with the id and the text of an earlier one is that one.
    const different = batch.filter(({ writtenKey }) => this.#isFirst(writtenKey));
    const newTexts = new Set(different.filter(({ key }) => this.#isFirst(key)));
    this.#counts.duplicates += batch.length - newTexts.size;
    const open = await this.#withoutKnown(different);
    const texts = [...new Set(open.map(({ item }) => item.text))];
    const { vectors, refused, paid } = await this.#embedder.embed(texts);
    // Calls wait for no cache for ever, and what is not kept yet is not to be written anywhere else.
    await this.#cache.saved();
    const ready = open.filter(({ item }) => vectors.has(item.text));
    this.#counts.embedded += paid;
    this.#counts.fromCache += Math.max(0, ready.filter((entry) => newTexts.has(entry)).length - paid);
    await this.#refuse(open, refused);

    await previous;
    if (this.#failure !== undefined) return;
    if (ready.length > 0) {
      await write(ready.map(({ id, item }) => ({ id, item, vector: [...(vectors.get(item.text) ?? [])] })));
      await checkpoint.setNotes(ready.map(({ writtenKey }) => [writtenKey, WRITTEN]));
    }
    this.#counts.written += ready.length;
    onProgress?.(this.#told());
  }

  /** What an earlier run has neither written nor been refused. */
  async #withoutKnown(batch: readonly Entry<T>[]): Promise<Entry<T>[]> {
    const keys = batch.flatMap(({ writtenKey, refusedKey }) => [writtenKey, refusedKey]);
    const notes = await this.#options.checkpoint.getNotes(keys);
    return batch.filter((entry, index) => {
      const [written, refused] = [notes[2 * index], notes[2 * index + 1]];
      if (written !== undefined) {
        this.#counts.unchanged++;
        this.#embedder.prove();
      } else if (refused !== undefined) this.#tellRefused(entry, refused);
      return written === undefined && refused === undefined;
    });
  }

  #isFirst(key: string): boolean {
    const isFirst = this.#seen.get(key) === undefined;
    if (isFirst) this.#seen.set(key, 1);
    return isFirst;
  }

  async #refuse(entries: readonly Entry<T>[], refused: ReadonlyMap<string, string>): Promise<void> {
    if (refused.size === 0) return;
    const found = entries.flatMap((entry) => {
      const reason = refused.get(entry.item.text);
      return reason === undefined ? [] : [{ entry, reason }];
    });
    await this.#options.checkpoint.setNotes(found.map(({ entry, reason }) => [entry.refusedKey, reason]));
    for (const { entry, reason } of found) this.#tellRefused(entry, reason);
  }

  #tellRefused({ id, item }: Entry<T>, reason: string): void {
    this.#counts.invalid++;
    this.#options.onInvalid?.({ id, item, reason });
  }

  #told(): IngestCounts {
    const { tokens, cost } = this.#embedder;
    return { ...this.#counts, tokens, ...(cost && { cost }) };
  }
}

/** Many stores of vectors take no other names. */
function uuidOf(digest: string): string {
  const part = (start: number, end: number) => digest.slice(start, end);
  return `${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-a${part(17, 20)}-${part(20, 32)}`;
}
