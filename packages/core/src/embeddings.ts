export * from "./common.js";
export { createEmbeddings } from "./embeddings/create-embeddings.js";
export type {
  Embedding,
  EmbeddingRequest,
  EmbeddingResult,
  EmbeddingUsage,
} from "./embeddings/embedding-types.js";
export type { EmbeddingOptions, Embeddings } from "./embeddings/embeddings.js";
