/** Embeds any number of texts into a store, each paid for once: `@model-gateway/core/ingest`. Holds no client. */
export type { IngestCheckpoint } from "./ingest/ingest-checkpoint.js";
export { ingestTexts } from "./ingest/ingest-texts.js";
export type { IngestCounts, IngestedText, IngestItem, IngestOptions } from "./ingest/ingest-types.js";
export { memoryIngestCheckpoint } from "./ingest/memory-ingest-checkpoint.js";
