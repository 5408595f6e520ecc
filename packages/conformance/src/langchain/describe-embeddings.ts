import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, expect } from "vitest";
import { type ContractGateway, describeContract } from "./describe-contract.js";

/** Embeddings under contract. */
export interface EmbeddingsContract {
  name: string;
  /** Makes the embeddings for a model id of the emulator; `fields` are those that integrations share. */
  create(model: string, connection: ContractGateway["connection"], fields?: object): EmbeddingsInterface;
  /** Cases that these embeddings are known to fail, as `subject promise`. */
  expectedFailures?: readonly string[];
}

const TEXTS = ["The sky is blue on clear days.", "Bread is baked from flour.", "Trains run on rails."];

/** What LangChain requires of embeddings, and what their users rely on, against the emulator. */
export function describeEmbeddings({ name, create, expectedFailures = [] }: EmbeddingsContract): void {
  describeContract(name, expectedFailures, (group) => {
    let emulator: Emulator;
    let connection: ContractGateway["connection"];
    beforeAll(async () => {
      emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
      connection = { apiKey: "sk-emulator", baseURL: emulator.url };
    });
    afterAll(() => emulator.close());
    const embeddings = (fields?: object) => create("local-embedding", connection, fields);
    const bodies = () => emulator.journal.list().map(({ body }) => body as Record<string, unknown>);

    group("vectors", (it) => {
      it("are as long for a question as for documents", async () => {
        const question = await embeddings().embedQuery("What colour is the sky?");
        const documents = await embeddings().embedDocuments(TEXTS);
        expect(question.length).toBeGreaterThan(0);
        expect(documents.map(({ length }) => length)).toEqual(TEXTS.map(() => question.length));
      });

      it("stand in the order of the texts, however many requests they take", async () => {
        emulator.journal.clear();
        const together = await embeddings({ batchSize: 2 }).embedDocuments(TEXTS);
        expect(bodies()).toHaveLength(2);
        const alone = await Promise.all(TEXTS.map((text) => embeddings().embedQuery(text)));
        expect(together.map(rounded)).toEqual(alone.map(rounded));
      });

      it("are close for what belongs together", async () => {
        const [sky = [], bread = []] = await embeddings().embedDocuments(TEXTS);
        const question = await embeddings().embedQuery("What colour is the sky?");
        expect(product(question, sky)).toBeGreaterThan(product(question, bread));
      });

      it("have the length that is asked for", async () => {
        expect(await embeddings({ dimensions: 64 }).embedQuery("sky")).toHaveLength(64);
      });

      it("are none for no texts, without a request", async () => {
        emulator.journal.clear();
        expect(await embeddings().embedDocuments([])).toEqual([]);
        expect(bodies()).toEqual([]);
      });
    });

    group("requests", (it) => {
      it("hold the texts as they are", async () => {
        emulator.journal.clear();
        await embeddings().embedDocuments(["two\nlines", "one line"]);
        expect(bodies()[0]?.["input"]).toEqual(["two\nlines", "one line"]);
      });

      it("name no encoding that nobody asked for", async () => {
        emulator.journal.clear();
        await embeddings().embedQuery("sky");
        expect(bodies()[0]).not.toHaveProperty("encoding_format");
      });

      it("that are refused reject", async () => {
        await expect(create("no-such-model", connection).embedQuery("sky")).rejects.toThrow("no-such-model");
      });
    });
  });
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

/** Base64 carries single precision. */
function rounded(vector: readonly number[]): number[] {
  return vector.map((value) => Number(value.toFixed(5)));
}
