import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import type { ModelPrice } from "../state/model-prices.js";

/** Priced by ratios; 1 would be a price per request. */
const BY_RATIO = 0;
const PER_THOUSAND = 1_000;

/**
 * `GET /api/pricing`, outside the base addresses: what models cost, as ratios. Not of the API description; gateways of this
 * kind answer so. A ratio of 1 is a unit per token, or per character or video token where such are counted.
 */
export function readPricing({ services: { groups, models } }: Exchange): Answer {
  const names = groups.list().map(({ name }) => name);
  const data = models.list().map(({ id, price }) => ({
    model_name: id,
    ...ratiosOf(price),
    enable_groups: names.filter((name) => groups.modelsOf(name).some((model) => model.id === id)),
  }));
  // The emulator charges every group alike.
  return Answer.json({
    success: true,
    data,
    group_ratio: Object.fromEntries(names.map((name) => [name, 1])),
  });
}

function ratiosOf({ inputTokens, outputTokens, characters, videoTokens }: ModelPrice) {
  const base = inputTokens ?? characters ?? videoTokens ?? outputTokens ?? 0;
  return {
    quota_type: BY_RATIO,
    model_ratio: base / PER_THOUSAND,
    model_price: 0,
    completion_ratio: base === 0 || outputTokens === undefined ? 1 : outputTokens / base,
  };
}
