import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { withUserAgentSuffix } from "@ai-sdk/provider-utils";
import type { Connection, RequestOptions } from "@model-gateway/core";
import { type ConnectionSettings, connect } from "./connection.js";
import { VERSION } from "./version.js";

/**
 * Key of this provider in `providerOptions` and `providerMetadata`. One camel-case word: the SDK takes what
 * stands before the first dot of `provider` as the key. (`gateway` alone is special-cased by the SDK.)
 */
export const PROVIDER_KEY = "modelGateway";

/** What every model is made with. */
export interface ModelConfig {
  /** Such as `modelGateway.chat`. */
  provider: string;
  /** Gives the connection; made at the first request, so that a missing key is no error before that. */
  connect: () => Connection;
  /** What the connection is made with. */
  connection: ConnectionSettings;
}

/** What the models of one kind are made with. */
export function configOf(
  kind: string,
  connection: ConnectionSettings,
  open = connect(connection),
): ModelConfig {
  return { provider: `${PROVIDER_KEY}.${kind}`, connect: open, connection };
}

/** The options that the SDK passes to every kind of model. */
export interface SDKCallOptions {
  abortSignal?: AbortSignal;
  headers?: Record<string, string | undefined>;
  providerOptions?: SharedV4ProviderOptions;
}

/** The SDK owns retries: the client makes one attempt, and its errors say whether another may be made. */
export function toRequestOptions({ abortSignal, headers, providerOptions }: SDKCallOptions): RequestOptions {
  const tag = providerOptions?.[PROVIDER_KEY]?.["budgetTag"];
  return {
    ...(typeof tag === "string" && { budgetTag: tag }),
    signal: abortSignal,
    headers: withUserAgentSuffix(headers ?? {}, `ai-sdk/model-gateway/${VERSION}`),
    maxRetries: 0,
  };
}
