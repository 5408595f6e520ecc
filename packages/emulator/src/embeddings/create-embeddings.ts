import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import { countTokens } from "../language/tokenize.js";
import { checkEmbeddingsRequest } from "./check-embeddings-request.js";
import { embedText } from "./embed-text.js";

const DEFAULT_DIMENSIONS = 1_536;
/** What embedding models commonly read of one text. */
const MAX_TOKENS = 8_192;

/** `POST /embeddings`: one vector per input, in order. */
export function createEmbeddings(exchange: Exchange): Answer {
  const { body, services, bill } = exchange;
  const request = checkEmbeddingsRequest(Field.body(body));
  const model = requireModel(exchange, request.model, "embedding");
  const dimensions = request.dimensions ?? DEFAULT_DIMENSIONS;
  const tokens = request.input.reduce((sum, text) => sum + countInputTokens(text), 0);
  bill.expect(model.id, { inputTokens: tokens });
  return Answer.json({
    object: "list",
    model: model.id,
    data: request.input.map((text, index) => {
      const vector = embedText(stripPromptMarkers(text), dimensions, services.seed);
      return { object: "embedding", index, embedding: request.base64 ? toBase64(vector) : vector };
    }),
    usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
  });
}

/** Real upstreams do not say which text it was. */
function countInputTokens(text: string): number {
  const tokens = countTokens(text);
  if (tokens <= MAX_TOKENS) return tokens;
  throw APIError.badRequest(
    `This model's maximum context length is ${MAX_TOKENS} tokens, and an input has ${tokens}. Send shorter texts.`,
    "context_length_exceeded",
  );
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
