import type { EmbeddingRequest } from "./embedding-types.js";
import { sha256 } from "./sha256.js";

/**
 * Gives the key of each text under which a cache keeps its vector: SHA-256 of all that a vector depends on. How vectors travel and who
 * asks for them changes none.
 *
 * @param body every field of it counts but `input`, `user` and `encoding_format`
 */
export function embeddingKeyOf(body: Omit<EmbeddingRequest, "input">): (text: string) => string {
  const { input: _input, user: _user, encoding_format: _encoding, ...rest } = body as EmbeddingRequest;
  const fields = Object.entries(rest).filter(([, value]) => value !== undefined);
  fields.sort(([one], [other]) => (one < other ? -1 : 1));
  // A line break stands in no JSON: where the text begins is certain.
  const prefix = `${JSON.stringify(fields)}\n`;
  return (text) => sha256(prefix + text);
}
