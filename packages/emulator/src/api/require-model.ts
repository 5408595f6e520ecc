import { APIError } from "../http/api-error.js";
import type { ModelCapability, ModelEntry } from "../state/model-table.js";
import type { Exchange } from "./exchange.js";

/** Where each capability is served, for messages. */
const ENDPOINTS: Record<ModelCapability, string> = {
  chat: "POST /chat/completions",
  "chat-image": "POST /chat/completions",
  embedding: "POST /embeddings",
  "reference-image": "POST /images/generations",
  "base64-image": "POST /images/generations and /images/edits",
  speech: "POST /audio/speech",
  moderation: "POST /moderations",
  "content-video": "POST /videos",
  image2video: "POST /videos/image2video",
  "omni-video": "POST /videos/omni-video",
};

/**
 * The entry of a model that the key may call and that serves the endpoint.
 *
 * @throws APIError 404 `model_not_found` when the key does not reach it, 403 when it is an image or video model that
 *   the group has and the key is not allowed, 400 when it serves another endpoint
 */
export function requireModel<C extends ModelCapability>(
  { models: available, deniedModels, services }: Pick<Exchange, "models" | "deniedModels" | "services">,
  id: string,
  ...capabilities: readonly C[]
): Extract<ModelEntry, { capability: C }> {
  const entry = available.find((candidate) => candidate.id === id);
  if (!entry) throw modelUnavailable(id, deniedModels, services.models.find(id));
  if (!serves(entry, capabilities)) {
    const fitting = available.filter((candidate) => serves(candidate, capabilities)).map(({ id }) => id);
    const hint = fitting.length > 0 ? ` This endpoint takes ${fitting.join(" or ")}.` : "";
    throw APIError.badRequest(
      `model "${id}" is served by ${ENDPOINTS[entry.capability]}, not here.${hint}`,
      "model_not_supported",
    );
  }
  return entry;
}

function modelUnavailable(
  id: string,
  denied: readonly ModelEntry[],
  known: ModelEntry | undefined,
): APIError {
  if (denied.some((entry) => entry.id === id && isMedia(entry))) {
    return new APIError(
      `This API key has no permission for the model "${id}". Its group has the model; the key itself is limited to others.`,
      { status: 403, code: "model_not_permitted" },
    );
  }
  const reason = known?.specializedOnly
    ? "If the key's group has it, it is served on the specialised base addresses only (/specialized/v1 and /specialized-cdn/v1)."
    : "GET /models lists the models of the key's group.";
  return APIError.notFound(`The model "${id}" does not exist for this API key. ${reason}`, "model_not_found");
}

/** The API description has 403 for image and video models; a text model that is not allowed is one that is not there. */
function isMedia({ groups }: ModelEntry): boolean {
  return groups.includes("image_video");
}

function serves<C extends ModelCapability>(
  entry: ModelEntry,
  capabilities: readonly C[],
): entry is Extract<ModelEntry, { capability: C }> {
  return capabilities.some((capability) => capability === entry.capability);
}
