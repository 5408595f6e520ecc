import type { JSONObject, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { PROVIDER_KEY } from "./model-gateway-config.js";

/** Facts about a call under this provider's key, as far as they are known. */
export function callMetadata(facts: Record<string, unknown>): {
  providerMetadata?: SharedV4ProviderMetadata;
} {
  // A round trip through JSON leaves out what is undefined.
  const known: JSONObject = JSON.parse(JSON.stringify(facts));
  return Object.keys(known).length === 0 ? {} : { providerMetadata: { [PROVIDER_KEY]: known } };
}
