import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchClient } from "./bench-client.js";
import { journalFolder } from "./journal-folder.js";

/**
 * What is measured. A scenario runs its work `requests` times, after a quarter as many to warm up; one for `memory` after
 * one, and one that is `cold` after none.
 */
export interface Scenario {
  name: string;
  title: string;
  /** What one unit is: figures are CPU microseconds per unit, MB for `memory`, or CPU milliseconds of a start. */
  unit: string;
  /** Units per request. */
  unitsPerRequest: number;
  requests: number;
  concurrency: number;
  /**
   * `memory` is the most that the process held, less what it held before. `import` and `first` are of a process that
   * has just begun, from the built packages: until the client is made, and until its first answer from there. Default
   * `cpu`.
   */
  measure?: "cpu" | "memory" | "import" | "first";
  /** Whether the first time is what counts. */
  cold?: boolean;
  /** Run once before all, in no process that is measured. */
  prepare?(): Promise<unknown>;
  /** @returns undefined where the client has no part in it; a promise of the work when something has to be made ready */
  work(
    client: BenchClient,
  ): (() => Promise<unknown>) | undefined | Promise<(() => Promise<unknown>) | undefined>;
}

/** Chunks of a streamed answer that arrives as fast as the connection takes it. */
export const PACKED_CHUNKS = 2_000;
/** Chunks of a streamed answer of which each network read brings one. */
export const PACED_CHUNKS = 100;
export const VECTORS = 64;
export const VECTOR_LENGTH = 1_536;
/** Bytes of a picture, of speech, and of what is uploaded. */
export const IMAGE_BYTES = 2 * 2 ** 20;
export const SPEECH_BYTES = 2 ** 20;
export const UPLOAD_BYTES = 8 * 2 ** 20;

const INPUTS = Array.from({ length: VECTORS }, (_, index) => `text ${index}`);
const UPLOAD = new Uint8Array(UPLOAD_BYTES).fill(7);

const chat = (name: string, concurrency: number, requests: number): Scenario => ({
  name,
  title: `Chat, ${concurrency} at once`,
  unit: "call",
  unitsPerRequest: 1,
  requests,
  concurrency,
  work: (client) => client.chat && (() => client.chat?.("Hello") as Promise<unknown>),
});

const memory = (streams: number): Scenario => ({
  name: `memory-${streams}`,
  title: `Memory of ${streams} streams at once`,
  unit: "process",
  unitsPerRequest: 1,
  requests: streams,
  concurrency: streams,
  measure: "memory",
  work: (client) => client.stream && (() => client.stream?.("paced") as Promise<unknown>),
});

/** Video tasks that are watched at once. */
const WATCHED = 10_000;

const watches = (measure: "cpu" | "memory"): Scenario => ({
  name: `watches-${measure}`,
  title:
    measure === "cpu"
      ? "Poll of one of 10,000 watched video tasks"
      : "Memory of 10,000 watched video tasks, 1,000 polls a second",
  unit: measure === "cpu" ? "poll" : "process",
  unitsPerRequest: measure === "cpu" ? 1_000 : 1,
  requests: measure === "cpu" ? 20 : 10,
  concurrency: 1,
  measure,
  cold: measure === "memory",
  async work({ watch }) {
    if (watch === undefined) return undefined;
    if (measure === "cpu") {
      const watched = await watch(WATCHED);
      return () => watched.polls(1_000);
    }
    let watched: ReturnType<typeof watch> | undefined;
    return async () => {
      watched ??= watch(WATCHED);
      await (await watched).polls(1_000);
    };
  },
});

const journal = (records: number, measure: "cpu" | "memory"): Scenario => ({
  name: `journal-${records}-${measure}`,
  title: `${measure === "cpu" ? "Journal" : "Memory of a journal"} of ${records.toLocaleString("en")} records, opened`,
  unit: measure === "cpu" ? "record" : "process",
  unitsPerRequest: measure === "cpu" ? records : 1,
  requests: 1,
  concurrency: 1,
  measure,
  cold: true,
  prepare: () => journalFolder(records),
  async work(client) {
    const opened = client.journal?.(await journalFolder(records));
    return opened && (() => opened.open());
  },
});

const start = (measure: "import" | "first", title: string): Scenario => ({
  name: measure,
  title,
  unit: "process",
  unitsPerRequest: 1,
  requests: 1,
  concurrency: 1,
  measure,
  cold: true,
  work: (client) => client.chat && (() => client.chat?.("Hello") as Promise<unknown>),
});

export const SCENARIOS: readonly Scenario[] = [
  start("import", "Import of a process, until the client is made"),
  start("first", "First call of a process"),
  chat("chat-1", 1, 1_000),
  chat("chat-16", 16, 3_000),
  chat("chat-512", 512, 4_096),
  {
    name: "stream",
    title: "Stream, packed",
    unit: "chunk",
    unitsPerRequest: PACKED_CHUNKS,
    requests: 240,
    concurrency: 1,
    work: (client) => client.stream && (() => client.stream?.("packed") as Promise<unknown>),
  },
  {
    name: "paced",
    title: "Stream, one event per read, 16 at once",
    unit: "chunk",
    unitsPerRequest: PACED_CHUNKS,
    requests: 480,
    concurrency: 16,
    work: (client) => client.stream && (() => client.stream?.("paced") as Promise<unknown>),
  },
  {
    name: "stream-text",
    title: "`streamText` of the AI SDK, packed",
    unit: "chunk",
    unitsPerRequest: PACKED_CHUNKS,
    requests: 40,
    concurrency: 1,
    work: (client) => client.streamText && (() => client.streamText?.("packed") as Promise<unknown>),
  },
  {
    name: "stream-text-paced",
    title: "`streamText` of the AI SDK, one event per read, 16 at once",
    unit: "chunk",
    unitsPerRequest: PACED_CHUNKS,
    requests: 240,
    concurrency: 16,
    work: (client) => client.streamText && (() => client.streamText?.("paced") as Promise<unknown>),
  },
  {
    name: "embed",
    title: `Embeddings, ${VECTORS} × ${VECTOR_LENGTH}, as numbers`,
    unit: "vector",
    unitsPerRequest: VECTORS,
    requests: 60,
    concurrency: 1,
    work: (client) => client.embed && (() => client.embed?.(INPUTS, "float") as Promise<unknown>),
  },
  {
    name: "embed-base64",
    title: `Embeddings, ${VECTORS} × ${VECTOR_LENGTH}, in Base64`,
    unit: "vector",
    unitsPerRequest: VECTORS,
    requests: 120,
    concurrency: 1,
    work: (client) => client.embed && (() => client.embed?.(INPUTS, "base64") as Promise<unknown>),
  },
  {
    name: "image",
    title: "Image of 2 MiB in Base64",
    unit: "image",
    unitsPerRequest: 1,
    requests: 40,
    concurrency: 1,
    work: (client) => client.image && (() => client.image?.("a fox") as Promise<unknown>),
  },
  {
    name: "speech",
    title: "Speech of 1 MiB",
    unit: "file",
    unitsPerRequest: 1,
    requests: 100,
    concurrency: 1,
    work: (client) => client.speech && (() => client.speech?.("Hello") as Promise<unknown>),
  },
  {
    name: "upload",
    title: "Edit with a file of 8 MiB",
    unit: "upload",
    unitsPerRequest: 1,
    requests: 24,
    concurrency: 1,
    work: (client) => client.upload && (() => client.upload?.(UPLOAD) as Promise<unknown>),
  },
  memory(200),
  memory(1_000),
  watches("cpu"),
  watches("memory"),
  ...[10_000, 100_000, 1_000_000].flatMap((records) => [journal(records, "cpu"), journal(records, "memory")]),
  {
    name: "journal-append",
    title: "Journal: a submission written, 64 at once",
    unit: "submission",
    unitsPerRequest: 1,
    requests: 8_000,
    concurrency: 64,
    async work(client) {
      const appended = client.journal?.(mkdtempSync(join(tmpdir(), "bench-journal-")));
      await appended?.open();
      let count = 0;
      return appended && (() => appended.append(`order-${count++}`));
    },
  },
];
