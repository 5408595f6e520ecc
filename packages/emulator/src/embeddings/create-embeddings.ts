import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { isRecord } from "../json/is-record.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import { countTokens } from "../language/tokenize.js";
import { checkEmbeddingsRequest } from "./check-embeddings-request.js";
import { embedText } from "./embed-text.js";

const DEFAULT_DIMENSIONS = 1_536;

/** `POST /embeddings`: one vector per input, in order. */
export function createEmbeddings(exchange: Exchange): Response {
  const { body, services, bill } = exchange;
  const request = checkEmbeddingsRequest(Field.body(body));
  const model = requireModel(exchange, request.model, "embedding");
  const dimensions = request.dimensions ?? DEFAULT_DIMENSIONS;
  const tokens = request.input.reduce((sum, text) => sum + countTokens(text), 0);
  bill.expect(model.id, { inputTokens: tokens });
  return Response.json({
    object: "list",
    model: model.id,
    data: request.input.map((text, index) => {
      const vector = embedText(stripPromptMarkers(text), dimensions, services.seed);
      return { object: "embedding", index, embedding: request.base64 ? toBase64(vector) : vector };
    }),
    usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
  });
}

/** The inputs of a request, checked or not. */
export function embeddingInputTexts(body: unknown): string[] {
  const input = isRecord(body) ? body["input"] : undefined;
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  return texts.filter((text) => typeof text === "string");
}

/** Little-endian 32-bit floats, as clients of this wire format decode them. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  return bytes.toString("base64");
}
