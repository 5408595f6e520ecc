import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";

/** When the emulator's models came to be; a constant, so that two runs answer alike. */
const CREATED_AT_SECONDS = 1_760_000_000;

/** `GET /models`: what the calling key can reach. */
export function listModels({ models }: Exchange): Answer {
  return Answer.json({
    object: "list",
    data: models.map(({ id }) => ({
      id,
      object: "model",
      created: CREATED_AT_SECONDS,
      owned_by: "model-gateway-emulator",
    })),
  });
}
