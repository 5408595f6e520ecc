import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddingCacheContract } from "../testing/embedding-cache-contract.js";
import { FileIngestCheckpoint } from "./file-ingest-checkpoint.js";

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ingest-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "below", "it", "documents.ingest");
}

const key = (number: number) => number.toString(16).padStart(64, "0").split("").reverse().join("");

describe("a checkpoint in a file", () => {
  describe("keeps vectors as every cache", () => {
    const contract = embeddingCacheContract(
      async () => new FileIngestCheckpoint(await temporaryFile()),
      (checkpoint) => checkpoint.close(),
    );
    for (const { title, run } of contract) it(title, run);
  });

  it("keeps notes of any text, beside vectors, for the next process", async () => {
    const path = await temporaryFile();
    const first = new FileIngestCheckpoint(path);
    await first.setNotes([
      [key(1), ""],
      [key(2), 'a\nb "c" \u2028 漢 \ud800'],
    ]);
    await first.setMany([[key(3), Float32Array.of(1, 2)]]);
    await first.setNotes([[key(1), "later"]]);
    await first.close();
    const next = new FileIngestCheckpoint(path);
    onTestFinished(() => next.close());
    expect(await next.getNotes([key(1), key(2), key(4)])).toEqual([
      "later",
      'a\nb "c" \u2028 漢 \ud800',
      undefined,
    ]);
    expect(await next.getMany([key(3), key(2)])).toEqual([Float32Array.of(1, 2), undefined]);
    expect((await readFile(path, "utf8")).split("\n")[0]).toBe("model-gateway records 1");
  });
});
