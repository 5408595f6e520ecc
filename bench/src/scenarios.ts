/** What is measured. A scenario runs `units` of work per round, after a warm-up. */
export interface Scenario {
  name: string;
  title: string;
  /** What one unit is: the figures are CPU microseconds per unit. */
  unit: string;
  /** Units per request. */
  unitsPerRequest: number;
  requests: number;
  concurrency: number;
}

/** Chunks of a streamed answer that arrives as fast as the connection takes it. */
export const PACKED_CHUNKS = 2_000;
/** Chunks of a streamed answer of which each network read brings one. */
export const PACED_CHUNKS = 100;
export const VECTORS = 64;
export const VECTOR_LENGTH = 1_536;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "chat",
    title: "Chat, 16 at once",
    unit: "call",
    unitsPerRequest: 1,
    requests: 3_000,
    concurrency: 16,
  },
  {
    name: "stream",
    title: "Stream, packed",
    unit: "chunk",
    unitsPerRequest: PACKED_CHUNKS,
    requests: 240,
    concurrency: 1,
  },
  {
    name: "paced",
    title: "Stream, one event per read, 16 at once",
    unit: "chunk",
    unitsPerRequest: PACED_CHUNKS,
    requests: 480,
    concurrency: 16,
  },
  {
    name: "embed",
    title: `Embeddings, ${VECTORS} × ${VECTOR_LENGTH}`,
    unit: "vector",
    unitsPerRequest: VECTORS,
    requests: 60,
    concurrency: 1,
  },
];
