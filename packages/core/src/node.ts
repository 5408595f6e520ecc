/** What needs Node: `@model-gateway/core/node`. The main entry runs everywhere. */
export { FileBudgetStore } from "./disk/file-budget-store.js";
export { type SaveOptions, type SaveProgress, saveDownload } from "./download/save-download.js";
export { FileEmbeddingCache } from "./records/file-embedding-cache.js";
export { FileIngestCheckpoint } from "./records/file-ingest-checkpoint.js";
