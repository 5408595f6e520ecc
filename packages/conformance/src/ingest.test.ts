import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelGateway } from "@model-gateway/core";
import { type IngestCounts, ingestTexts, memoryIngestCheckpoint } from "@model-gateway/core/ingest";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { compileProgram, type Program, startChild } from "@model-gateway/test-servers";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { IngestArgument, IngestMessage, KillPoint } from "../test/children/ingest.js";
import { ROOT } from "./wire-ledger.js";

const BATCH_SIZE = 16;
const TOO_LONG = "word ".repeat(9_000);

let emulator: Emulator;
let program: Program;

beforeAll(async () => {
  emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
  program = await compileProgram(join(ROOT, "packages/conformance/"), "ingest", []);
});
afterAll(async () => {
  await emulator.close();
  await program.remove();
});

/** Texts of a document, three of ten of which occur before, and two that no gateway takes. */
function createItems(name: string, count: number): { id: string; text: string }[] {
  const items = Array.from({ length: count }, (_, index) => ({
    id: `${name} ${index}`,
    text: `${name}: paragraph ${index % 10 < 3 ? index % 7 : index}`,
  }));
  items.splice(count / 2, 0, { id: "empty", text: "" }, { id: "long", text: TOO_LONG });
  return items;
}

/** How often each text was paid for, by the emulator's own account. */
function paidTexts(): Map<string, number> {
  const paid = new Map<string, number>();
  const charged = new Set(emulator.ledger.list().map(({ requestId }) => requestId));
  for (const { body, id } of emulator.journal.list({ path: "/embeddings" })) {
    if (!charged.has(id)) continue;
    const { input } = body as { input: string | string[] };
    for (const text of [input].flat()) paid.set(text, (paid.get(text) ?? 0) + 1);
  }
  return paid;
}

async function useProgram(items: IngestArgument["items"], concurrency: number) {
  emulator.journal.clear();
  const folder = await mkdtemp(join(tmpdir(), "ingest-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = join(folder, "store.ndjson");
  const run = async (kill?: IngestArgument["kill"]) => {
    const argument: IngestArgument = {
      ...{ apiKey: "sk-emulator", baseURL: emulator.url, checkpoint: join(folder, "checkpoint"), store },
      ...{ items, concurrency, ...(kill && { kill }) },
    };
    const child = startChild(program.file, argument);
    const message = (await child.next()) as IngestMessage | undefined;
    return { exit: await child.exit, message };
  };
  const stored = async () => {
    const lines = (await readFile(store, "utf8")).trim().split("\n");
    return new Map(
      lines
        .map((line) => JSON.parse(line) as { id: string; vector: number[] })
        .map((one) => [one.id, one.vector]),
    );
  };
  return { run, stored };
}

/** What stands in the store when nothing goes wrong. */
async function expectedVectors(items: IngestArgument["items"]): Promise<Map<string, number[]>> {
  const good = items.filter(({ id }) => id !== "empty" && id !== "long");
  const gateway = new ModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url });
  const { data } = await gateway.embeddings.create({
    ...{ model: "local-embedding", dimensions: 8 },
    input: good.map(({ text }) => text),
  });
  return new Map(good.map(({ id }, index) => [id, data[index]?.embedding.map(Math.fround) ?? []]));
}

const HARMLESS: KillPoint[] = [
  "before a request",
  "after vectors are kept",
  "before a write",
  "after a write",
  "after a note",
];
const IN_THE_OPEN: KillPoint[] = ["after an answer", "in the middle of a record"];

describe("an ingest that is killed and started again", () => {
  const cases = HARMLESS.flatMap((at) => [1, 2, 4, 7].map((time) => [at, time] as const));

  it.each(cases)("%s, time %i, pays once for each text", async (at, time) => {
    const items = createItems(`${at} ${time}`, 160);
    const vectors = await expectedVectors(items);
    const { run, stored } = await useProgram(items, 1);
    expect(await run({ at, time })).toEqual({ exit: "SIGKILL", message: undefined });
    const { exit, message } = await run();
    expect(exit).toBe(0);
    expect(message?.invalid.sort()).toEqual(["empty", "long"]);
    expect(await stored()).toEqual(vectors);
    const paid = paidTexts();
    expect(paid.size).toBe(new Set(items.map(({ text }) => text)).size - 2);
    expect([...paid].filter(([, times]) => times !== 1)).toEqual([]);
    const before = emulator.journal.list().length;
    const { message: third } = await run();
    expect(third?.counts).toMatchObject({ unchanged: 160, invalid: 2, written: 0, embedded: 0 });
    expect(emulator.journal.list()).toHaveLength(before);
  });

  it.each(IN_THE_OPEN)("%s, again and again, pays at most for what was under way", async (at) => {
    const items = createItems(at, 160);
    const concurrency = 3;
    const vectors = await expectedVectors(items);
    const { run, stored } = await useProgram(items, concurrency);
    const kills = 3;
    for (let kill = 1; kill <= kills; kill++) expect((await run({ at, time: kill })).exit).toBe("SIGKILL");
    expect((await run()).exit).toBe(0);
    expect(await stored()).toEqual(vectors);
    const again = [...paidTexts().values()].reduce((sum, times) => sum + times - 1, 0);
    expect(again).toBeLessThanOrEqual(kills * concurrency * BATCH_SIZE);
  });
});

describe("an ingest of ten thousand texts", () => {
  const gatewayOf = (options: object = {}) =>
    new ModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url, ...options });
  const ingest = async (items: IngestArgument["items"], gateway = gatewayOf()) => {
    emulator.journal.clear();
    const charges = emulator.ledger.list().length;
    const invalid: string[] = [];
    const checkpoint = memoryIngestCheckpoint();
    const run = (): Promise<IngestCounts> =>
      ingestTexts(gateway, items, {
        ...{ model: "local-embedding", dimensions: 8, checkpoint, write: () => {} },
        onInvalid: ({ id }) => invalid.push(id),
      });
    const counts = await run();
    return { counts, invalid, run, charged: emulator.ledger.list().slice(charges) };
  };

  it("pays once for each, of which three of ten are duplicates and two are refused", async () => {
    const items = createItems("big", 10_000);
    const { counts, invalid, run, charged } = await ingest(items);
    const distinct = new Set(items.map(({ text }) => text)).size - 2;
    expect(counts).toMatchObject({ items: 10_002, written: 10_000, embedded: distinct, invalid: 2 });
    expect(counts.duplicates).toBe(10_000 - distinct);
    expect(counts.tokens).toBe(charged.reduce((sum, { counted }) => sum + (counted.inputTokens ?? 0), 0));
    expect(invalid.sort()).toEqual(["empty", "long"]);
    const calls = emulator.journal.list({ path: "/embeddings" }).length;
    expect(calls).toBeLessThan(10_002 / 64 + 2 * (1 + 2 * 6));
    expect(await run()).toMatchObject({ unchanged: 10_000, embedded: 0 });
    expect(emulator.journal.list({ path: "/embeddings" })).toHaveLength(calls);
  });

  it("waits out a storm of 429", async () => {
    for (const status of [429, 429, 503, 429])
      emulator.faults.add({ path: "/embeddings", kind: "status", status, times: 4 });
    onTestFinished(() => emulator.faults.clear());
    const { counts } = await ingest(createItems("storm", 500).filter(({ id }) => id.startsWith("storm")));
    expect(counts).toMatchObject({ written: 500, invalid: 0 });
    expect(
      emulator.journal.list({ path: "/embeddings" }).filter(({ status }) => status === 429).length,
    ).toBeGreaterThan(8);
  });
});
