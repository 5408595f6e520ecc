import { appendFileSync } from "node:fs";
import { ModelGateway } from "@model-gateway/core";
import { type IngestCheckpoint, ingestTexts } from "@model-gateway/core/ingest";
import { FileIngestCheckpoint } from "@model-gateway/core/node";

/** Where an ingest dies. Nothing that is paid for is under way at the first five. */
export type KillPoint =
  | "before a request"
  | "after vectors are kept"
  | "before a write"
  | "after a write"
  | "after a note"
  | "after an answer"
  | "in the middle of a record";

/** What the program is started with. */
export interface IngestArgument {
  apiKey: string;
  baseURL: string;
  checkpoint: string;
  /** Lines of `{ id, vector }`. */
  store: string;
  items: { id: string; text: string }[];
  concurrency: number;
  kill?: { at: KillPoint; time: number };
}

/** What it tells when it comes to its end. */
export interface IngestMessage {
  counts: Awaited<ReturnType<typeof ingestTexts>>;
  invalid: string[];
}

const argument = JSON.parse(process.argv[2] ?? "") as IngestArgument;
let passed = 0;

/** Dies when this point is passed for the time that was asked for. */
function pass(point: KillPoint): void {
  if (argument.kill?.at === point && ++passed === argument.kill.time) process.kill(process.pid, "SIGKILL");
}

const file = new FileIngestCheckpoint(argument.checkpoint);
const checkpoint: IngestCheckpoint = {
  getMany: (keys) => file.getMany(keys),
  getNotes: (keys) => file.getNotes(keys),
  async setMany(entries) {
    if (argument.kill?.at === "in the middle of a record") {
      const torn = `\n${entries[0]?.[0]} AAAA`;
      if (passed + 1 === argument.kill.time) appendFileSync(argument.checkpoint, torn);
      pass("in the middle of a record");
    }
    await file.setMany(entries);
    pass("after vectors are kept");
  },
  async setNotes(notes) {
    await file.setNotes(notes);
    pass("after a note");
  },
};
const gateway = new ModelGateway({
  ...{ apiKey: argument.apiKey, baseURL: argument.baseURL },
  async fetch(input, init) {
    pass("before a request");
    const response = await fetch(input, init);
    pass("after an answer");
    return response;
  },
});
const invalid: string[] = [];
const counts = await ingestTexts(gateway, argument.items, {
  ...{
    model: "local-embedding",
    dimensions: 8,
    batchSize: 16,
    concurrency: argument.concurrency,
    checkpoint,
  },
  write(batch) {
    pass("before a write");
    for (const { id, vector } of batch) appendFileSync(argument.store, `${JSON.stringify({ id, vector })}\n`);
    pass("after a write");
  },
  onInvalid: ({ id }) => invalid.push(id),
});
await file.close();
process.send?.({ counts, invalid } satisfies IngestMessage, () => process.disconnect());
