import { Redis, type RedisOptions } from "ioredis";
import type { EmbeddingCache } from "../embeddings/embedding-cache.js";
import { decodeVector, encodeVector } from "../embeddings/vector-bytes.js";
import { connect } from "./connect.js";

/** Settings of a `RedisEmbeddingCache`. */
export interface RedisEmbeddingCacheOptions {
  /** URL, options of ioredis, or a client of your own, which is left open. */
  connection: string | RedisOptions | Redis;
  /** Before the names of all keys. Default `model-gateway:embeddings`. */
  prefix?: string;
  /** Milliseconds after which a vector is forgotten. Default: never, or when Redis throws keys away. */
  ttlMs?: number;
}

/** A vector has some kilobytes, and Redis serves others meanwhile. */
const KEYS_PER_COMMAND = 256;

/** Vectors in Redis (6 or later), four bytes for each number, for all processes that share the prefix. */
export class RedisEmbeddingCache implements EmbeddingCache {
  readonly #options: RedisEmbeddingCacheOptions;
  readonly #prefix: string;
  #own: Redis | undefined;
  #connecting: Promise<void> | undefined;

  constructor(options: RedisEmbeddingCacheOptions) {
    this.#options = options;
    this.#prefix = options.prefix ?? "model-gateway:embeddings";
  }

  async getMany(keys: readonly string[]): Promise<(Float32Array | undefined)[]> {
    const client = await this.#client();
    const vectors: (Float32Array | undefined)[] = [];
    for (const some of inParts(keys)) {
      const values = await client.mgetBuffer(some.map((key) => this.#nameOf(key)));
      vectors.push(...values.map((value) => (value === null ? undefined : decodeVector(value))));
    }
    return vectors;
  }

  async setMany(entries: ReadonlyArray<readonly [key: string, vector: Float32Array]>): Promise<void> {
    const client = await this.#client();
    const { ttlMs } = this.#options;
    for (const some of inParts(entries)) {
      const pipeline = client.pipeline();
      for (const [key, vector] of some) {
        const value = Buffer.from(encodeVector(vector).buffer);
        if (ttlMs === undefined) pipeline.set(this.#nameOf(key), value);
        else pipeline.set(this.#nameOf(key), value, "PX", Math.ceil(ttlMs));
      }
      const failed = (await pipeline.exec())?.find(([error]) => error !== null);
      if (failed) throw failed[0];
    }
  }

  /** Closes the connection, where it is not your own; it is opened again when it is needed. */
  async close(): Promise<void> {
    this.#own?.disconnect();
    this.#own = undefined;
    this.#connecting = undefined;
  }

  async #client(): Promise<Redis> {
    const { connection } = this.#options;
    if (connection instanceof Redis) return connection;
    if (this.#own === undefined) {
      this.#own = connect(connection);
      // Each command tells what becomes of it.
      this.#own.on("error", () => {});
    }
    const own = this.#own;
    // Once: after that it connects again by itself, and commands fail until it has.
    this.#connecting ??= own.connect().catch(() => {});
    await this.#connecting;
    return own;
  }

  #nameOf(key: string): string {
    return `${this.#prefix}:${key}`;
  }
}

function* inParts<T>(items: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let start = 0; start < items.length; start += KEYS_PER_COMMAND)
    yield items.slice(start, start + KEYS_PER_COMMAND);
}
