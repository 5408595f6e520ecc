import type { BenchClient } from "./bench-client.js";

/** What is measured. A scenario runs its work `requests` times, after a quarter as many to warm up. */
export interface Scenario {
  name: string;
  title: string;
  /** What one unit is: figures are CPU microseconds per unit, or MB for `memory`. */
  unit: string;
  /** Units per request. */
  unitsPerRequest: number;
  requests: number;
  concurrency: number;
  /** `memory` is the most that the process held, less what it held before. Default `cpu`. */
  measure?: "cpu" | "memory";
  /** @returns undefined where the client has no part in it */
  work(client: BenchClient): (() => Promise<unknown>) | undefined;
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

export const SCENARIOS: readonly Scenario[] = [
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
];
