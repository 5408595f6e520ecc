// Embeds the same texts through each client while something goes wrong, counts at the emulator which were paid for, and writes
// the table into the README: `pnpm --filter @model-gateway/bench run texts`
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OpenAIEmbeddings } from "@langchain/openai";
import { createModelGateway } from "@model-gateway/ai-sdk-provider";
import {
  type EmbeddingCache,
  type EmbeddingResult,
  ModelGateway,
  memoryEmbeddingCache,
} from "@model-gateway/core";
import { type IngestCheckpoint, ingestTexts, memoryIngestCheckpoint } from "@model-gateway/core/ingest";
import { createEmulator } from "@model-gateway/emulator";
import { ModelGatewayEmbeddings } from "@model-gateway/langchain";
import { embedMany } from "ai";

const here = dirname(fileURLToPath(import.meta.url));
const MODEL = "local-embedding";
const BATCH_SIZE = 64;
const TEXTS = 1_000;
const BAD = "word ".repeat(9_000);
/** Requests that are answered until something happens. */
const UNTIL = 8;

const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
const API_KEY = "sk-emulator";
const EXPIRED = { error: { message: "The key has expired.", type: "authentication_error" } };

/** What outlives a process that embeds: a cache and a checkpoint, for whom has them. */
interface Memory {
  cache: EmbeddingCache;
  checkpoint: IngestCheckpoint;
}

/** A client: embeds texts, and rejects when not all of them are. */
type Embed = (texts: readonly string[]) => Promise<unknown>;
type CreateClient = (fetch: typeof globalThis.fetch, memory: Memory) => Embed;

const connection = (fetch: typeof globalThis.fetch) => ({ apiKey: API_KEY, baseURL: emulator.url, fetch });

const CLIENTS: Record<string, CreateClient> = {
  "core, `ingestTexts`": (fetch, { checkpoint }) => {
    const gateway = new ModelGateway(connection(fetch));
    return (texts) =>
      ingestTexts(
        gateway,
        texts.map((text, index) => ({ id: String(index), text })),
        { model: MODEL, batchSize: BATCH_SIZE, checkpoint, write: () => {} },
      );
  },
  "core, `embeddings.create`": (fetch) => createWith(fetch, undefined),
  "core, `embeddings.create` with a cache": (fetch, { cache }) => createWith(fetch, cache),
  "LangChain, langchain": (fetch) => documentsWith(fetch, undefined),
  "LangChain, langchain with a cache": (fetch, { cache }) => documentsWith(fetch, cache),
  "LangChain, `@langchain/openai`": (fetch) => {
    const embeddings = new OpenAIEmbeddings({
      ...{ model: MODEL, apiKey: API_KEY, batchSize: BATCH_SIZE },
      configuration: { baseURL: emulator.url, fetch },
    });
    return (texts) => embeddings.embedDocuments([...texts]);
  },
  "AI SDK, ai-sdk-provider": (fetch) => manyWith(fetch, undefined),
  "AI SDK, ai-sdk-provider with a cache": (fetch, { cache }) => manyWith(fetch, cache),
  "AI SDK, `@ai-sdk/openai-compatible`": (fetch) => {
    const provider = createOpenAICompatible({ name: "gateway", ...connection(fetch) });
    // Its own batches hold 2,048 values: with those a failure costs all of them.
    const model = Object.defineProperty(provider.embeddingModel(MODEL), "maxEmbeddingsPerCall", {
      value: BATCH_SIZE,
    });
    return (texts) => embedMany({ model, values: [...texts] });
  },
};

function createWith(fetch: typeof globalThis.fetch, cache: EmbeddingCache | undefined): Embed {
  const { embeddings } = new ModelGateway(connection(fetch));
  return (input) => embeddings.create({ model: MODEL, input }, { batchSize: BATCH_SIZE, cache });
}

function documentsWith(fetch: typeof globalThis.fetch, cache: EmbeddingCache | undefined): Embed {
  const fields = { ...connection(fetch), batchSize: BATCH_SIZE, ...(cache && { cache }) };
  const embeddings = new ModelGatewayEmbeddings(MODEL, fields);
  return (texts) => embeddings.embedDocuments([...texts]);
}

function manyWith(fetch: typeof globalThis.fetch, cache: EmbeddingCache | undefined): Embed {
  const model = createModelGateway(connection(fetch)).embeddingModel(MODEL, cache && { cache });
  return (texts) => embedMany({ model, values: [...texts] });
}

/** What is left to be embedded after a failure, as far as the error tells; bad texts are left out. */
function restOf(texts: readonly string[], error: unknown): string[] {
  const { partial } = error as { partial?: EmbeddingResult };
  const done = new Set(partial?.data.map(({ index }) => index));
  return texts.filter((text, index) => text !== BAD && !done.has(index));
}

/** Embeds texts, and once more what is left. */
async function embedAll(embed: Embed, texts: readonly string[]): Promise<void> {
  await embed(texts).catch((error) => {
    const rest = restOf(texts, error);
    return rest.length > 0 ? embed(rest) : undefined;
  });
}

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => `Paragraph ${index} of a long document.`);
const fresh = (): Memory => ({ cache: memoryEmbeddingCache(), checkpoint: memoryIngestCheckpoint() });

/** What happens, and what whoever wants the vectors does about it. Each ends when there is a vector for every good text. */
const SITUATIONS: Record<string, (create: CreateClient) => Promise<{ distinct: number }>> = {
  async "30 % duplicates"(create) {
    const input = texts(TEXTS).map((text, index, all) => (index % 10 < 3 ? (all[index % 7] ?? "") : text));
    await create(fetch, fresh())(input);
    return { distinct: new Set(input).size };
  },
  async "one bad text"(create) {
    const input = texts(TEXTS);
    input.splice(777, 0, BAD);
    await embedAll(create(fetch, fresh()), input);
    return { distinct: TEXTS };
  },
  async "the key is refused once, in the middle"(create) {
    let requests = 0;
    const refusing: typeof fetch = async (input, init) =>
      ++requests === UNTIL + 1 ? Response.json(EXPIRED, { status: 401 }) : fetch(input, init);
    await embedAll(create(refusing, fresh()), texts(TEXTS));
    return { distinct: TEXTS };
  },
  async "killed in the middle, and started again"(create) {
    const memory = fresh();
    let requests = 0;
    let answered = 0;
    await new Promise<void>((resolve) => {
      const dying: typeof fetch = async (input, init) => {
        if (++requests > UNTIL) return new Promise<never>(() => {});
        const response = await fetch(input, init);
        const body = await response.text();
        // Later than whoever waits for the answer has done with it.
        if (++answered === UNTIL) setTimeout(resolve, 500);
        return new Response(body, {
          status: response.status,
          headers: { "content-type": "application/json" },
        });
      };
      create(dying, memory)(texts(TEXTS)).then(() => resolve(), resolve);
    });
    await create(fetch, memory)(texts(TEXTS));
    return { distinct: TEXTS };
  },
  async "the next day, unchanged"(create) {
    const memory = fresh();
    await create(fetch, memory)(texts(TEXTS));
    await create(fetch, memory)(texts(TEXTS));
    return { distinct: TEXTS };
  },
};

/** Texts that were charged since the emulator's journal was cleared. */
function paidTexts(): number {
  const charged = new Set(emulator.ledger.list().map(({ requestId }) => requestId));
  return emulator.journal
    .list({ path: "/embeddings" })
    .filter(({ id }) => charged.has(id))
    .reduce((sum, { body }) => sum + [(body as { input: string | string[] }).input].flat().length, 0);
}

const situations = Object.entries(SITUATIONS);
const lines = [`| paid texts for each different one | ${situations.map(([name]) => name).join(" | ")} |`];
lines.push(`|${"---|".repeat(situations.length + 1)}`);
for (const [client, create] of Object.entries(CLIENTS)) {
  const cells: string[] = [];
  for (const [, run] of situations) {
    emulator.journal.clear();
    const { distinct } = await run(create);
    cells.push((paidTexts() / distinct).toFixed(2));
  }
  lines.push(`| ${client} | ${cells.join(" | ")} |`);
  console.log(lines.at(-1));
}
await emulator.close();

const readme = join(here, "..", "README.md");
const text = await readFile(readme, "utf8");
const [before, after] = [text.split("<!-- texts -->")[0], text.split("<!-- end of texts -->")[1]];
await writeFile(readme, `${before}<!-- texts -->\n\n${lines.join("\n")}\n\n<!-- end of texts -->${after}`);
process.exit(0);
