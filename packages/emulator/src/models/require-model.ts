import { ApiError } from "../server/api-error.js";
import type { ModelCapability, ModelEntry } from "./model-table.js";

/** What each capability is called in messages. */
const CAPABILITY_NAMES: Record<ModelCapability, string> = {
  chat: "chat",
  embedding: "embedding",
  "content-video": "video",
};

/**
 * The entry of a model that the key may call and that serves the endpoint.
 *
 * @throws ApiError 404 `model_not_found` when the key does not reach it, 400 when it serves another endpoint
 */
export function requireModel<C extends ModelCapability>(
  available: readonly ModelEntry[],
  id: string,
  capability: C,
): Extract<ModelEntry, { capability: C }> {
  const entry = available.find((candidate) => candidate.id === id);
  if (!entry) {
    throw ApiError.notFound(
      `The model "${id}" does not exist for this API key. GET /models lists the models of the key's group.`,
      "model_not_found",
    );
  }
  if (!serves(entry, capability)) {
    const fitting = available.filter((candidate) => serves(candidate, capability)).map(({ id }) => id);
    const hint = fitting.length > 0 ? ` This endpoint takes ${fitting.join(" or ")}.` : "";
    throw ApiError.badRequest(
      `model "${id}" is not a ${CAPABILITY_NAMES[capability]} model.${hint}`,
      "model_not_supported",
    );
  }
  return entry;
}

function serves<C extends ModelCapability>(
  entry: ModelEntry,
  capability: C,
): entry is Extract<ModelEntry, { capability: C }> {
  return entry.capability === capability;
}
