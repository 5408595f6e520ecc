import type { JSONObject, JSONValue } from "@ai-sdk/provider";
import type { ChatCompletion, CompletionChoice } from "@model-gateway/core";

/** What the SDK has a place of its own for. */
const PLACED = {
  completion: ["id", "object", "created", "model", "choices", "usage"],
  choice: ["index", "message", "delta", "finish_reason"],
  message: ["role", "content", "tool_calls", "images", "reasoning_content", "reasoning"],
};

/** Fields of the format under the names that this provider gives them. */
const NAMES: Record<string, string> = {
  system_fingerprint: "systemFingerprint",
  service_tier: "serviceTier",
};

/** What the SDK has no place for: fields of the answer, its choice and its message, and what the call cost. */
export function answerMetadata(completion: ChatCompletion | undefined): JSONObject {
  if (completion === undefined) return {};
  const choice = firstChoice(completion);
  // What the client says of it, where it has prices, is more.
  const cost = completion.cost ?? completion.usage?.["cost"];
  return {
    ...rest(completion, PLACED.completion),
    ...rest(choice, PLACED.choice),
    ...rest(choice?.message, PLACED.message),
    ...(typeof cost === "number" || completion.cost ? { cost: cost as JSONValue } : {}),
  };
}

/** The SDK knows one choice; a stream may bring a later one first. */
export function firstChoice({ choices }: ChatCompletion): CompletionChoice | undefined {
  return choices.find((choice) => (choice?.index ?? 0) === 0) ?? choices[0];
}

function rest(source: object | undefined, placed: readonly string[]): JSONObject {
  const fields: JSONObject = {};
  for (const [name, value] of Object.entries(source ?? {})) {
    // It came as JSON.
    if (value !== undefined && value !== null && !placed.includes(name))
      fields[NAMES[name] ?? name] = value as JSONValue;
  }
  return fields;
}
