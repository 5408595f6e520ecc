import { Checker } from "../checks/checker.js";
import type { ChatCompletionRequest } from "./chat-types.js";

/** API description, Limits. */
const TEMPERATURE = { min: 0, max: 2 };
const MIN_MAX_TOKENS = 1;

/** Hard limits of `POST /chat/completions`. Throws an `InvalidRequestError` with all problems; nothing is sent. */
export function checkChatRequest(body: ChatCompletionRequest): void {
  const check = new Checker(body);
  check.requiredString("model");
  check.requiredArray("messages");
  check.numberBetween("temperature", TEMPERATURE.min, TEMPERATURE.max);
  check.integerFrom("max_tokens", MIN_MAX_TOKENS);
  check.throwIfAny();
}
