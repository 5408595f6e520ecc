import type { Field } from "../checks/field.js";

// The API description bounds neither; these keep one request from filling the memory.
const MAX_DIMENSIONS = 4_096;
const MAX_INPUTS = 2_048;

/** A body of `POST /embeddings` that passed every check. */
export interface CheckedEmbeddingsRequest {
  model: string;
  input: string[];
  dimensions?: number;
  /** Vectors as Base64 of 32-bit floats instead of numbers. */
  base64: boolean;
}

/** @throws APIError 400 */
export function checkEmbeddingsRequest(body: Field): CheckedEmbeddingsRequest {
  const request: CheckedEmbeddingsRequest = {
    model: body.get("model").nonEmptyString() ?? "",
    input: checkInput(body.get("input")),
    dimensions: body
      .getNullable("dimensions")
      .optional((field) => field.integer({ min: 1, max: MAX_DIMENSIONS })),
    base64:
      body.getNullable("encoding_format").optional((field) => field.oneOf(["float", "base64"])) === "base64",
  };
  body.getNullable("user").optional((field) => field.string());
  body.finish();
  return request;
}

function checkInput(field: Field): string[] {
  if (typeof field.value === "string") return [field.nonEmptyString() ?? ""];
  const items = field.nonEmptyItems("a non-empty string or a non-empty array of strings") ?? [];
  if (items.length > MAX_INPUTS) {
    field.refuse(`takes at most ${MAX_INPUTS} texts (got ${items.length}); send several requests`);
    return [];
  }
  return items.map((item) => item.nonEmptyString() ?? "");
}
