import type { ChatCompletionRequest } from "@model-gateway/core";

type Body = Omit<ChatCompletionRequest, "messages">;

/**
 * Writes a request for an answer of a JSON Schema as a route understands it that has no such thing.
 *
 * @returns the body, and what the system message has to say
 */
export function downgradeFormat(
  body: Body,
  structuredOutputs: "jsonSchema" | "jsonObject" | "prompt",
): { body: Body; instructions: string | undefined } {
  const { response_format: format, ...others } = body;
  if (format?.type !== "json_schema" || structuredOutputs === "jsonSchema")
    return { body, instructions: undefined };
  const instructions = writeFormatInstructions(format.json_schema.schema ?? {});
  if (structuredOutputs === "prompt") return { body: others, instructions };
  return { body: { ...others, response_format: { type: "json_object" } }, instructions };
}

/** Asks for an object of a schema in words. */
export function writeFormatInstructions({ $schema: _dialect, ...schema }: Record<string, unknown>): string {
  return (
    "Answer with one JSON object that is valid against the JSON Schema below, and with nothing else: " +
    `no explanation, no code fence.\n\n${JSON.stringify(schema)}`
  );
}

export function joinInstructions(...parts: Array<string | undefined>): string | undefined {
  const written = parts.filter((part) => part !== undefined);
  return written.length === 0 ? undefined : written.join("\n\n");
}
