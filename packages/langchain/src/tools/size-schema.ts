import type { JSONSchema } from "@langchain/core/utils/json_schema";

/** The argument `size`, where the application lets the model choose one. */
export function sizeSchema(sizes: readonly string[] | undefined): Record<string, JSONSchema> {
  if (sizes === undefined || sizes.length === 0) return {};
  return { size: { type: "string", enum: [...sizes], description: "Size of the image." } };
}
