import type { ModelProfile } from "@langchain/core/language_models/profile";
import type { ModelGateway, RequestOptions } from "@model-gateway/core";
import { readModelProfile } from "./read-model-profile.js";

/**
 * The profiles of all models that the key can reach (`GET /models`), by id. A profile holds what the server tells
 * and may be empty; pass one on as `new ChatModelGateway(id, { profile })`, or let `model.loadProfile()` do it.
 *
 * @throws GatewayError when the list cannot be read
 */
export async function listModelProfiles(
  gateway: Pick<ModelGateway, "models">,
  options?: RequestOptions,
): Promise<Map<string, ModelProfile>> {
  const models = await gateway.models.list(options);
  return new Map(models.map((model) => [model.id, readModelProfile(model)]));
}
