import { randomUUID } from "node:crypto";
import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import { countTokens } from "../language/tokenize.js";
import { moderateText } from "./moderate-text.js";

const DEFAULT_MODEL = "local-moderation";

/** `POST /moderations`, for keys that have it: one result per input. */
export function createModeration(exchange: Exchange): Answer {
  const { body, key, bill } = exchange;
  if (!key.moderation) {
    throw new APIError(
      "POST /moderations is not enabled for this API key. Use a key with moderation, or moderate through POST /chat/completions.",
      { status: 403, code: "moderation_not_enabled" },
    );
  }
  const field = Field.body(body);
  const id = field.getNullable("model").optional((member) => member.nonEmptyString()) ?? DEFAULT_MODEL;
  const inputs = checkInputs(field.get("input"));
  field.finish();
  const model = requireModel(exchange, id, "moderation", "chat");
  const tokens = inputs.reduce((sum, input) => sum + countTokens(input), 0);
  bill.expect(model.id, { inputTokens: tokens });
  return Answer.json({
    id: `modr-${randomUUID()}`,
    model: model.id,
    results: inputs.map((input) => {
      const { flagged, categories, scores } = moderateText(stripPromptMarkers(input));
      return { flagged, categories, category_scores: scores };
    }),
    usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
  });
}

/** The inputs of a request, checked or not. */
export function moderationInputTexts(body: unknown): string[] {
  const input = isRecord(body) ? body["input"] : undefined;
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  return texts.filter((text) => typeof text === "string");
}

function checkInputs(field: Field): string[] {
  if (typeof field.value === "string") return [field.value];
  const items = field.nonEmptyItems("a string or a non-empty array of strings") ?? [];
  return items.map((item) => item.string() ?? "");
}
