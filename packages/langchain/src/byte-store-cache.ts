import type { BaseStore } from "@langchain/core/stores";
import { decodeVector, type EmbeddingCache, encodeVector } from "@model-gateway/core";

/**
 * A cache of vectors in any store of LangChain's that keeps bytes, such as `LocalFileStore` or `InMemoryStore`. What others have
 * written there is left alone and taken for nothing.
 *
 * @param options.namespace before the names of all keys. Default `model-gateway-`
 * @example
 * const cache = fromByteStore(await LocalFileStore.fromPath("./vectors"));
 * const embeddings = new ModelGatewayEmbeddings("local-embedding", { cache });
 */
export function fromByteStore(
  store: Pick<BaseStore<string, Uint8Array>, "mget" | "mset">,
  { namespace = "model-gateway-" }: { namespace?: string } = {},
): EmbeddingCache {
  return {
    async getMany(keys) {
      const values = await store.mget(keys.map((key) => namespace + key));
      return values.map((bytes) => (bytes instanceof Uint8Array ? decodeVector(bytes) : undefined));
    },
    async setMany(entries) {
      await store.mset(entries.map(([key, vector]) => [namespace + key, encodeVector(vector)]));
    },
  };
}
