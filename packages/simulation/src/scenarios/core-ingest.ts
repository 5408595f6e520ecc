import { embeddingKeyOf, GatewayError, ModelGateway } from "@model-gateway/core";
import { type IngestCheckpoint, type IngestItem, ingestTexts } from "@model-gateway/core/ingest";
import { FileIngestCheckpoint } from "@model-gateway/core/node";
import type { World } from "@model-gateway/emulator/simulation";

const MODEL = "local-embedding";
const DIMENSIONS = 4;
const STORE_IS_AWAY = "The store is away.";
const keyOf = embeddingKeyOf({ model: MODEL, dimensions: DIMENSIONS });

/** What outlives the processes of the world: the store of vectors, and what is known of each text. */
interface Ledger {
  vectors: Map<string, readonly number[]>;
  /** Keys of texts whose vectors the checkpoint keeps by its own account. */
  kept: Set<string>;
  writes: number;
  problem?: string;
}

/**
 * Texts that a process embeds into a store, some of them twice and one that nobody takes, with a checkpoint on the disk of the world.
 * The process dies in the middle of everything and starts again, and so may the store.
 */
export async function coreIngest(world: World): Promise<void> {
  const items = createItems(world);
  const ledger: Ledger = { vectors: new Map(), kept: new Set(), writes: 0 };
  const service = world.service("app", async () => {
    while (!(await runIngest(world, items, ledger)));
    while (!(await runIngest(world, items, ledger, true)));
  });
  await service.ended;
  if (ledger.problem !== undefined) throw new Error(ledger.problem);
  const expected = await vectorsOf(world, items);
  for (const [id, vector] of expected) {
    const stored = ledger.vectors.get(id);
    if (stored === undefined) throw new Error(`${id} is not in the store`);
    if (stored.some((value, at) => value !== Math.fround(vector[at] ?? 0)))
      throw new Error(`${id} has the vector of another text`);
  }
  if (ledger.vectors.size !== expected.size)
    throw new Error("there is more in the store than there is to be");
}

function createItems(world: World): (IngestItem & { id: string })[] {
  const random = world.random("texts");
  const items = Array.from({ length: world.count("texts", 4, 50) }, (_, index) => ({
    id: `item ${index}`,
    text: random() < 0.3 ? `fox ${index % 3}` : `owl ${index}`,
  }));
  if (world.chance("poison", 0.5))
    items.splice(Math.floor(random() * items.length), 0, { id: "poison", text: "" });
  return items;
}

/** @returns whether it came to its end */
async function runIngest(
  world: World,
  items: readonly IngestItem[],
  ledger: Ledger,
  isUnchanged = false,
): Promise<boolean> {
  const file = new FileIngestCheckpoint(world.disk.path("ingest/checkpoint"));
  const asked = new Set<string>();
  const problem = (what: string) => {
    ledger.problem ??= what;
  };
  const gateway = new ModelGateway({
    ...{ apiKey: world.apiKey, baseURL: world.baseURL, retryBudget: Number.POSITIVE_INFINITY },
    async fetch(input, init) {
      const texts = textsOf(init?.body);
      if (isUnchanged) problem("an unchanged run asks the gateway");
      for (const text of texts) {
        // What a sync has left out, and nobody who still lives has heard of, is gone with the power.
        const isLost = world.faults.some(({ name }) => name === "syncFails");
        if (!isLost && ledger.kept.has(keyOf(text)))
          problem(`"${text}" is asked for, and its vector is kept`);
        if (asked.has(text)) problem(`"${text}" is asked for twice at once`);
        asked.add(text);
      }
      try {
        return await world.fetch(input, init);
      } finally {
        for (const text of texts) asked.delete(text);
      }
    },
  });
  const checkpoint: IngestCheckpoint = {
    async getMany(keys) {
      const found = await file.getMany(keys);
      // Of a process that died before it could say so.
      for (const [index, key] of keys.entries()) if (found[index]) ledger.kept.add(key);
      return found;
    },
    getNotes: (keys) => file.getNotes(keys),
    setNotes: (notes) => file.setNotes(notes),
    async setMany(entries) {
      await file.setMany(entries);
      for (const [key] of entries) ledger.kept.add(key);
    },
  };
  try {
    await ingestTexts(gateway, items, {
      ...{ model: MODEL, dimensions: DIMENSIONS, checkpoint },
      batchSize: world.count("batch", 1, 8),
      concurrency: world.count("at once", 1, 3),
      async write(batch) {
        if (isUnchanged) problem("an unchanged run writes to the store");
        for (const { item } of batch)
          if (!ledger.kept.has(keyOf(item.text)))
            problem(`"${item.text}" is written before its vector is kept`);
        await world.sleep(5);
        if (world.random(`store ${++ledger.writes}`)() < 0.05) throw new Error(STORE_IS_AWAY);
        for (const { id, vector } of batch) ledger.vectors.set(id, vector);
      },
    });
    return true;
  } catch (error) {
    if (!isExpected(error)) throw error;
    world.trace.add("app", `failed: ${(error as Error).message}`);
    await world.sleep(1_000);
    return false;
  } finally {
    await file.close();
  }
}

function textsOf(body: unknown): string[] {
  const { input } = JSON.parse(String(body)) as { input: string | string[] };
  return [input].flat();
}

/** Calls, the store and the disk may fail; anything else is a mistake. */
function isExpected(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return GatewayError.isInstance(error) || message === STORE_IS_AWAY || code === "ENOSPC" || code === "EIO";
}

/** What the gateway says when nothing goes wrong, asked without the network. */
async function vectorsOf(
  { emulator, apiKey }: World,
  items: readonly (IngestItem & { id: string })[],
): Promise<Map<string, number[]>> {
  const good = items.filter(({ text }) => text !== "");
  const response = await emulator.fetch(`${emulator.url}/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, dimensions: DIMENSIONS, input: good.map(({ text }) => text) }),
  });
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  return new Map(good.map(({ id }, index) => [id, data[index]?.embedding ?? []]));
}
