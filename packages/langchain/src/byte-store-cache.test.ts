import { Document } from "@langchain/core/documents";
import { InMemoryStore } from "@langchain/core/stores";
import { FakeVectorStore } from "@langchain/core/utils/testing";
import { ModelGateway } from "@model-gateway/core";
import { ingestTexts, memoryIngestCheckpoint } from "@model-gateway/core/ingest";
import { embeddingCacheContract } from "@model-gateway/core/testing";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fromByteStore, ModelGatewayEmbeddings } from "./index.js";

describe("a byte store of LangChain's, as every cache", () => {
  for (const { title, run } of embeddingCacheContract(() => fromByteStore(new InMemoryStore<Uint8Array>())))
    it(title, run);
});

describe("ModelGatewayEmbeddings with a cache", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  });
  afterAll(() => emulator.close());
  beforeEach(() => emulator.journal.clear());

  const connection = () => ({ apiKey: "sk-emulator", baseURL: emulator.url });
  const sentTexts = () =>
    emulator.journal.list().flatMap(({ body }) => (body as { input: string | string[] }).input);

  it("pays for a text once, over calls, models of one kind, and documents and queries", async () => {
    const store = new InMemoryStore<Uint8Array>();
    const usages: number[] = [];
    const make = () =>
      new ModelGatewayEmbeddings("local-embedding", {
        ...connection(),
        cache: fromByteStore(store),
        onUsage: ({ total_tokens }) => usages.push(total_tokens),
      });
    const texts = ["The sky is blue.", "Bread is baked.", "The sky is blue."];
    const first = await make().embedDocuments(texts);
    const second = await make().embedDocuments([...texts].reverse());
    expect(second).toEqual([...first].reverse());
    expect(await make().embedQuery("Bread is baked.")).toEqual(first[1]);
    expect(sentTexts()).toEqual(["The sky is blue.", "Bread is baked."]);
    expect(usages).toHaveLength(1);
    const [key] = await keysOf(store);
    expect(key).toMatch(/^model-gateway-[0-9a-f]{64}$/);
  });

  it("takes what others wrote there for nothing", async () => {
    const store = new InMemoryStore<Uint8Array>();
    const embeddings = () =>
      new ModelGatewayEmbeddings("local-embedding", { ...connection(), cache: fromByteStore(store) });
    const vector = await embeddings().embedQuery("a");
    for (const key of await keysOf(store)) await store.mset([[key, new TextEncoder().encode("[1,2,3]")]]);
    expect(await embeddings().embedQuery("a")).toEqual(vector);
    expect(sentTexts()).toEqual(["a", "a"]);
  });

  it("serves vector stores, which embed what they had before", async () => {
    const cache = fromByteStore(new InMemoryStore<Uint8Array>());
    const embeddings = new ModelGatewayEmbeddings("local-embedding", { ...connection(), cache });
    const documents = ["bread", "trains", "bread"].map((pageContent) => new Document({ pageContent }));
    for (let deployment = 0; deployment < 2; deployment++) {
      const store = new FakeVectorStore(embeddings);
      await store.addDocuments(documents);
      expect(store.memoryVectors).toHaveLength(3);
      expect((await store.similaritySearch("trains", 1))[0]?.pageContent).toBe("trains");
    }
    expect(sentTexts()).toEqual(["bread", "trains"]);
  });

  it("is not needed where an ingest writes into a vector store", async () => {
    const gateway = new ModelGateway(connection());
    const store = new FakeVectorStore(new ModelGatewayEmbeddings("local-embedding", { gateway }));
    const checkpoint = memoryIngestCheckpoint();
    const pages = ["bread", "trains", "", "rivers"].map((text, page) => ({ text, id: `page ${page}`, page }));
    const ingest = () =>
      ingestTexts(gateway, pages, {
        ...{ model: "local-embedding", checkpoint },
        write: (batch) =>
          store.addVectors(
            batch.map(({ vector }) => vector),
            batch.map(
              ({ id, item: { text, page } }) => new Document({ id, pageContent: text, metadata: { page } }),
            ),
          ),
      });
    expect(await ingest()).toMatchObject({ written: 3, invalid: 1 });
    const sent = sentTexts();
    expect(await ingest()).toMatchObject({ unchanged: 3, invalid: 1 });
    expect(sentTexts()).toEqual(sent);
    const [found] = await store.similaritySearch("rivers", 1);
    expect(found?.metadata).toEqual({ page: 3 });
  });
});

async function keysOf(store: InMemoryStore<Uint8Array>): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.yieldKeys()) keys.push(key);
  return keys;
}
