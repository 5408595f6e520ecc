import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ChatMessage } from "@model-gateway/core";
import { PROVIDER_KEY } from "./model-gateway-config.js";

/**
 * What the caller, or an earlier answer, wants on a message or a part as the route names it (`cache_control`,
 * `extra_content`): everything under `providerOptions.modelGateway`.
 */
export function wireFields(options: SharedV4ProviderOptions | undefined): Record<string, unknown> {
  return { ...options?.[PROVIDER_KEY] };
}

/**
 * Adds such fields to a message. `cache_control` goes to its last part, where the models that know it look for it; the
 * SDK has no parts in a system message.
 */
export function withWireFields<Message extends ChatMessage>(
  message: Message,
  { cache_control: cacheControl, ...fields }: Record<string, unknown>,
): Message {
  const extended: Message = { ...fields, ...message };
  if (cacheControl === undefined) return extended;
  const { content } = message;
  const parts = typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(parts) || parts.length === 0) return { ...extended, cache_control: cacheControl };
  const last = { cache_control: cacheControl, ...parts.at(-1) };
  return { ...extended, content: [...parts.slice(0, -1), last] };
}
