import type {
  APIPromise,
  EmbeddingOptions,
  EmbeddingRequest,
  EmbeddingResult,
  ModelGateway,
} from "@model-gateway/core";

/** Embeddings (`POST /embeddings`). */
export class EmbeddingsService {
  constructor(private readonly gateway: ModelGateway) {}

  /** Embeds texts; vectors in input order, many inputs in several requests. Errors are core's. */
  create(body: EmbeddingRequest, options?: EmbeddingOptions): APIPromise<EmbeddingResult> {
    return this.gateway.embeddings.create(body, options);
  }
}
