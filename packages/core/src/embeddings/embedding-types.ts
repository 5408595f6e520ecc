import type { Cost } from "../costs/cost.js";

/** Body of `POST /embeddings`. Further fields pass through. */
export interface EmbeddingRequest {
  /** An embedding model id. */
  model: string;
  /** One text, or any number of them: more than `batchSize` are sent as several requests. */
  input: string | readonly string[];
  /** Length of the vectors; only some models support it. */
  dimensions?: number;
  /** Not in the API description. Both forms of the answer are read, whatever is asked for. */
  encoding_format?: "float" | "base64";
  /** End-user identifier. */
  user?: string;
}

export interface Embedding {
  /** Position of the text in `input`. */
  index: number;
  embedding: number[];
}

/** Tokens, summed over all requests. */
export interface EmbeddingUsage {
  prompt_tokens: number;
  total_tokens: number;
}

export interface EmbeddingResult {
  /** One vector per input, in input order whatever order the server used. */
  data: Embedding[];
  /** The model as the server names it. */
  model: string;
  /** Undefined when no answer told; zero when nothing was sent. */
  usage: EmbeddingUsage | undefined;
  /** What all requests cost together, where the client has `prices` and they, or the gateway, say of each. */
  cost?: Cost;
  /** With a cache: inputs whose vectors came from there, or were being asked for by another call. They cost nothing. */
  cached?: number;
  /** The answers in the order in which they came, one per request. */
  raw: unknown[];
}
