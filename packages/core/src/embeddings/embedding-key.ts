import { sha256 } from "../digests/sha256.js";
import type { EmbeddingRequest } from "./embedding-types.js";

/**
 * Gives the key of each text under which a cache keeps its vector: SHA-256 of the JSON of all that a vector depends on. How vectors travel and who
 * asks for them changes none.
 *
 * @param body every field of it counts but `input`, `user` and `encoding_format`
 */
export function embeddingKeyOf(body: Omit<EmbeddingRequest, "input">): (text: string) => string {
  const { input: _input, user: _user, encoding_format: _encoding, ...rest } = body as EmbeddingRequest;
  const fields = Object.entries(rest).filter(([, value]) => value !== undefined);
  fields.sort(([one], [other]) => (one < other ? -1 : 1));
  const prefix = `[${JSON.stringify(fields)},`;
  // JSON of both: where the text begins is certain, and halves of surrogate pairs stay apart.
  return (text) => sha256(`${prefix}${JSON.stringify(text)}]`);
}
