import type { Unreadable } from "../call/sender.js";
import type { Cost } from "../costs/cost.js";
import { decodeBase64 } from "../download/base64.js";
import type { EmbeddingUsage } from "./embedding-types.js";

/** One answer of `POST /embeddings`, in input order. */
export interface EmbeddingBatch {
  vectors: number[][];
  model: string | undefined;
  usage: EmbeddingUsage | undefined;
  cost?: Cost;
  raw: unknown;
}

interface Entry {
  index?: unknown;
  embedding?: unknown;
}

/** Puts the vectors in input order by their `index`; every input must have exactly one. */
export function readEmbeddings(body: unknown, expected: number, unreadable: Unreadable): EmbeddingBatch {
  const { data, model, usage } = (body ?? {}) as { data?: unknown; model?: unknown; usage?: unknown };
  if (!Array.isArray(data)) throw unreadable("JSON that holds no embeddings: data is not an array");
  if (data.length !== expected) {
    throw unreadable(`${data.length} embeddings for ${expected} inputs`);
  }
  // A route that numbers nothing can only mean input order.
  const unnumbered = data.every((entry: Entry) => entry?.index === undefined);
  const vectors: number[][] = new Array(expected);
  data.forEach((entry: Entry, position) => {
    const index = unnumbered ? position : entry?.index;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= expected) {
      throw unreadable(`an embedding with index ${String(index)} for ${expected} inputs`);
    }
    if (vectors[index] !== undefined) throw unreadable(`two embeddings with index ${index}`);
    const vector = readVector(entry.embedding);
    if (vector === undefined || vector.length === 0)
      throw unreadable(`no numbers in the embedding with index ${index}`);
    vectors[index] = vector;
  });
  const length = vectors[0]?.length;
  if (vectors.some((vector) => vector.length !== length)) throw unreadable("embeddings of different lengths");
  return {
    vectors,
    model: typeof model === "string" ? model : undefined,
    usage: readUsage(usage),
    raw: body,
  };
}

/** An array of numbers, or Base64 of little-endian 32-bit floats. */
function readVector(value: unknown): number[] | undefined {
  if (Array.isArray(value)) return typeof value[0] === "number" ? value : undefined;
  if (typeof value !== "string") return undefined;
  const bytes = decodeBase64(value);
  if (bytes === undefined || bytes.length % 4 !== 0) return undefined;
  const view = new DataView(bytes.buffer);
  const numbers: number[] = [];
  for (let offset = 0; offset < bytes.length; offset += 4) numbers.push(view.getFloat32(offset, true));
  return numbers;
}

function readUsage(usage: unknown): EmbeddingUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { prompt_tokens: prompt, total_tokens: total } = usage as Record<string, unknown>;
  if (typeof prompt !== "number" && typeof total !== "number") return undefined;
  const known = (typeof prompt === "number" ? prompt : total) as number;
  return { prompt_tokens: known, total_tokens: typeof total === "number" ? total : known };
}
