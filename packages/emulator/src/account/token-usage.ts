import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import { maskKey } from "../state/key-store.js";

/**
 * `GET /api/usage/token`, outside the base addresses: the quota of the key in units. Not of the API description;
 * another of the ways in which gateways of this kind answer.
 */
export function readTokenUsage({ key, services }: Exchange): Answer {
  const used = services.ledger.total(key.key).units;
  return Answer.json({
    code: true,
    message: "ok",
    data: {
      object: "token_usage",
      name: maskKey(key.key),
      total_granted: key.quota ?? used,
      total_used: used,
      total_available: key.quota === undefined ? 0 : key.quota - used,
      unlimited_quota: key.quota === undefined,
      model_limits: Object.fromEntries((key.models ?? []).map((id) => [id, true])),
      model_limits_enabled: key.models !== undefined,
      // Seconds since the epoch; 0 for a key that does not expire.
      expires_at: key.expiresAt === undefined ? 0 : Math.floor(key.expiresAt / 1_000),
    },
  });
}
