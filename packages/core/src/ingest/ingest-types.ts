import type { RequestOptions } from "../call/call.js";
import type { Cost } from "../costs/cost.js";
import type { EmbeddingCache } from "../embeddings/embedding-cache.js";
import type { IngestCheckpoint } from "./ingest-checkpoint.js";

/** A text that is to be embedded, and whatever else belongs to it. */
export interface IngestItem {
  text: string;
  /** What it is called in the store of vectors. Default: a UUID that follows from the model and the text. */
  id?: string;
}

/** A text with its vector, as `write` is given it. */
export interface IngestedText<T extends IngestItem> {
  /** The same in every run: write it as an upsert. */
  id: string;
  /** As it came from the source. */
  item: T;
  /** Of 32-bit floats. */
  vector: number[];
}

/** What has been done so far. Plain JSON. */
export interface IngestCounts {
  /** Read from the source. */
  items: number;
  /** Given to `write`, which came back. */
  written: number;
  /** Written by an earlier run already, with the same text, and left alone. */
  unchanged: number;
  /** Texts that were sent and paid for. */
  embedded: number;
  /** Texts whose vectors were there already: in the checkpoint, of an earlier run, or in the cache. */
  fromCache: number;
  /** Items with the text of an earlier one of this run; those that have its `id`, too, are not written again. */
  duplicates: number;
  /** Items that the gateway refuses. */
  invalid: number;
  /** What the gateway counted, as far as it told. */
  tokens: number;
  /** What was paid, where the client has `prices` and they, or the gateway, say of each request. */
  cost?: Cost;
}

/** Options of `ingestTexts`. */
export interface IngestOptions<T extends IngestItem>
  extends Pick<RequestOptions, "signal" | "timeout" | "connectTimeout" | "headers" | "route"> {
  /** An embedding model id. */
  model: string;
  /** Length of the vectors; only some models support it. */
  dimensions?: number;
  /** Further fields of each request, such as `{ input_type: "passage" }`. */
  body?: Record<string, unknown>;
  /** What this ingest remembers. `FileIngestCheckpoint` of `@model-gateway/core/node` outlives the process. */
  checkpoint: IngestCheckpoint;
  /**
   * Puts vectors into their store. Called for one batch after the other, in the order of the source. After a crash a batch may come
   * again: write by `id`. Nothing more is read while as many batches wait as are under way at once.
   */
  write: (batch: ReadonlyArray<IngestedText<T>>) => unknown;
  /** Vectors that others have paid for; asked after the checkpoint. */
  cache?: EmbeddingCache;
  /** Texts per request, and items per call of `write`. Default 64. */
  batchSize?: number;
  /** Batches under way at once. Default 4. */
  concurrency?: number;
  /**
   * How long one batch may take, in milliseconds: as long are 429, broken connections and failures of the gateway waited out. Default
   * ten minutes. The client's `retryBudget` bounds it, too.
   */
  patience?: number;
  /** Told of each item that the gateway refuses; the others go on. Also of those that an earlier run was told of. */
  onInvalid?: (refused: { id: string; item: T; reason: string }) => void;
  /** Called after each batch. */
  onProgress?: (counts: IngestCounts) => void;
}
