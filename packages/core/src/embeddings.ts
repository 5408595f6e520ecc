export * from "./common.js";
export { createEmbeddings } from "./embeddings/create-embeddings.js";
export type { EmbeddingCache } from "./embeddings/embedding-cache.js";
export { embeddingKeyOf } from "./embeddings/embedding-key.js";
export type {
  Embedding,
  EmbeddingRequest,
  EmbeddingResult,
  EmbeddingUsage,
} from "./embeddings/embedding-types.js";
export type { EmbeddingOptions, Embeddings } from "./embeddings/embeddings.js";
export { type InvalidInput, InvalidInputsError } from "./embeddings/invalid-inputs-error.js";
export {
  type MemoryEmbeddingCacheOptions,
  memoryEmbeddingCache,
} from "./embeddings/memory-embedding-cache.js";
export { decodeVector, encodeVector } from "./embeddings/vector-bytes.js";
