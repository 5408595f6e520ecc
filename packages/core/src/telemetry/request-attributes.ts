import type { Attributes } from "@opentelemetry/api";
import type { TracedCall } from "../hooks/tracer.js";

const PROVIDER = "model_gateway";
const IMAGE = { operation: "generate_content", output: "image" };
const VIDEO = { operation: "generate_content", output: "video" };
/** What the conventions call the operations of this API; others have no name there. */
const OPERATIONS: Record<string, { operation: string; output?: string }> = {
  "chat.completions.create": { operation: "chat" },
  "embeddings.create": { operation: "embeddings" },
  "images.generate": IMAGE,
  "images.stream": IMAGE,
  "images.edit": IMAGE,
  "images.editStream": IMAGE,
  "images.generateThroughChat": IMAGE,
  "audio.speech.create": { operation: "generate_content", output: "speech" },
  "videos.create": VIDEO,
  "videos.imageToVideo": VIDEO,
  "videos.omniVideo": VIDEO,
};
/** Fields of bodies that are numbers, by the attributes that they are. */
const NUMBERS: Record<string, string> = {
  max_tokens: "gen_ai.request.max_tokens",
  max_completion_tokens: "gen_ai.request.max_tokens",
  temperature: "gen_ai.request.temperature",
  top_p: "gen_ai.request.top_p",
  top_k: "gen_ai.request.top_k",
  frequency_penalty: "gen_ai.request.frequency_penalty",
  presence_penalty: "gen_ai.request.presence_penalty",
  seed: "gen_ai.request.seed",
  n: "gen_ai.request.choice.count",
  dimensions: "gen_ai.embeddings.dimension.count",
};

/** What is known of a call before it is sent, without anything that users wrote. */
export function requestAttributes({ call, method, path, origin, model, body }: TracedCall): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  const known = OPERATIONS[call];
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const attributes: Attributes = {
    "gen_ai.provider.name": PROVIDER,
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "http:" ? 80 : 443),
    "http.request.method": method,
    "model_gateway.call": call,
    "model_gateway.path": path,
  };
  if (known !== undefined) attributes["gen_ai.operation.name"] = known.operation;
  if (model !== undefined) attributes["gen_ai.request.model"] = model;
  const output = known?.output ?? outputOf(fields["response_format"]);
  if (output !== undefined) attributes["gen_ai.output.type"] = output;
  for (const [field, attribute] of Object.entries(NUMBERS)) {
    if (typeof fields[field] === "number") attributes[attribute] = fields[field];
  }
  if (fields["n"] === 1) delete attributes["gen_ai.request.choice.count"];
  if (fields["stream"] === true) attributes["gen_ai.request.stream"] = true;
  if (call === "embeddings.create" && typeof fields["encoding_format"] === "string")
    attributes["gen_ai.request.encoding_formats"] = [fields["encoding_format"]];
  return attributes;
}

function outputOf(format: unknown): string | undefined {
  const type = (format as { type?: unknown } | undefined)?.type;
  if (type === "json_object" || type === "json_schema") return "json";
  return type === "text" ? "text" : undefined;
}
