import type { Embeddings } from "../embeddings/embeddings.js";
import { Ingest } from "./ingest.js";
import type { IngestCounts, IngestItem, IngestOptions } from "./ingest-types.js";

/**
 * Embeds any number of texts and writes them to a store, in bounded memory. Each text is paid for once, however often it occurs and
 * however often this is killed and started again with the same checkpoint: but for the requests whose answers had not arrived, of
 * which nobody can tell. An item that is written is left alone until its text changes.
 *
 * @example
 * const counts = await ingestTexts(gateway, readDocuments(), {
 *   model: "local-embedding",
 *   checkpoint: new FileIngestCheckpoint("./documents.ingest"),
 *   write: (batch) => store.upsert(batch.map(({ id, item, vector }) => ({ id, vector, payload: item }))),
 * });
 *
 * @param gateway a `ModelGateway`, or `{ embeddings: createEmbeddings() }`
 * @throws what `write`, the source or the checkpoint throws; what `embeddings.create` throws, but for texts that are refused. What was
 * paid for until then is in the checkpoint: start it again
 */
export function ingestTexts<T extends IngestItem>(
  gateway: { readonly embeddings: Pick<Embeddings, "create"> },
  source: AsyncIterable<T> | Iterable<T>,
  options: IngestOptions<T>,
): Promise<IngestCounts> {
  return new Ingest(gateway.embeddings, options).run(source);
}
