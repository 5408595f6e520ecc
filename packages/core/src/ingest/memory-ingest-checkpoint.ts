import type { IngestCheckpoint } from "./ingest-checkpoint.js";

/** A checkpoint that is gone with its process: for tests, and for an ingest that nobody goes on with. */
export function memoryIngestCheckpoint(): IngestCheckpoint {
  const vectors = new Map<string, Float32Array>();
  const notes = new Map<string, string>();
  return {
    getMany: (keys) => keys.map((key) => vectors.get(key)?.slice()),
    setMany(entries) {
      for (const [key, vector] of entries) vectors.set(key, vector.slice());
    },
    getNotes: (keys) => keys.map((key) => notes.get(key)),
    setNotes(entries) {
      for (const [key, note] of entries) notes.set(key, note);
    },
  };
}
