import type { ModelProfile } from "@langchain/core/language_models/profile";
import type { Model } from "@model-gateway/core";

/** Names under which servers tell the same limit; the first that holds a number counts. */
const INPUT_LIMITS = [
  "context_length",
  "context_window",
  "max_context_length",
  "max_model_len",
  "max_input_tokens",
];
const OUTPUT_LIMITS = ["max_completion_tokens", "max_output_tokens"];

/**
 * What an entry of `GET /models` tells of a model, in LangChain's terms. The API promises no more than an id, so
 * every field is read where a server sends it, and nothing is concluded from the id.
 */
export function readModelProfile(model: Model): ModelProfile {
  const topProvider = asRecord(model["top_provider"]);
  const architecture = asRecord(model["architecture"]);
  const capabilities = asRecord(model["capabilities"]);
  const inputs = asNames(architecture["input_modalities"] ?? model["input_modalities"]);
  const outputs = asNames(architecture["output_modalities"] ?? model["output_modalities"]);
  const parameters = asNames(model["supported_parameters"]);
  const images = inputs?.has("image") ?? asFlag(capabilities["vision"]);
  return known({
    maxInputTokens: firstCount(INPUT_LIMITS, model, topProvider),
    maxOutputTokens: firstCount(OUTPUT_LIMITS, model, topProvider),
    imageInputs: images,
    // The API takes images by address wherever it takes them at all.
    imageUrlInputs: images,
    imageOutputs: outputs?.has("image"),
    reasoningOutput: parameters?.has("reasoning") ?? asFlag(capabilities["reasoning"]),
    toolCalling: parameters?.has("tools") ?? asFlag(capabilities["function_calling"]),
    toolChoice: parameters?.has("tool_choice"),
    structuredOutput: parameters?.has("structured_outputs") ?? asFlag(capabilities["structured_output"]),
  });
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function asNames(value: unknown): ReadonlySet<unknown> | undefined {
  return Array.isArray(value) ? new Set(value) : undefined;
}

function asFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function firstCount(
  names: readonly string[],
  ...sources: Array<Record<string, unknown>>
): number | undefined {
  const values = sources.flatMap((source) => names.map((name) => source[name]));
  return values.find((value): value is number => typeof value === "number" && value > 0);
}

function known(profile: ModelProfile): ModelProfile {
  return Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
}
