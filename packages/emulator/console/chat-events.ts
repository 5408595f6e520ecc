/** A chunk of a stream of chat, as far as it is looked at. */
interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  error?: { message?: string };
}

/** What stands in the `data:` lines of an event; nothing for one that is a comment. */
export function dataOf(event: string): string {
  return event
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []))
    .join("\n");
}

/** The chunk that an event holds; undefined for comments, end markers and what is broken. */
export function chunkOf(event: string): Chunk | undefined {
  return parseJSON(dataOf(event)) as Chunk | undefined;
}

/** What a chunk says of the answer. */
export function deltaOf(chunk: Chunk | undefined): string {
  return chunk?.choices?.[0]?.delta?.content ?? "";
}

/** @returns undefined for what is no JSON */
export function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
