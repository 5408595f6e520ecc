import { ConfigurationError, ModelGateway, type ModelGatewayOptions } from "@model-gateway/core";

/**
 * How a LangChain class reaches the gateway: a ready client, or the options of one. What is left out comes from
 * the environment (`MODEL_GATEWAY_API_KEY`, `MODEL_GATEWAY_BASE_URL`).
 */
export interface GatewayConnection extends Omit<ModelGatewayOptions, "retryBillable" | "maxPollsPerSecond"> {
  /** A client to share with other classes. `apiKey`, `baseURL` and the other addresses are then its own. */
  gateway?: ModelGateway;
}

/** What only the client itself can be told; beside a ready client it would silently be ignored. */
const CLIENT_ONLY = ["apiKey", "baseURL", "endpoints", "fetch", "streamIdleTimeout"] as const;

/**
 * The client to use: the given one, or a new one.
 *
 * @throws ConfigurationError when the key or the address is missing, or when `gateway` is combined with an option
 *   that only a new client would heed
 */
export function connectGateway(fields: GatewayConnection): ModelGateway {
  const { gateway } = fields;
  if (gateway === undefined) {
    const { apiKey, baseURL, endpoints, route, maxRetries, timeout, streamIdleTimeout } = fields;
    const { headers, fetch, dangerouslyAllowBrowser } = fields;
    return new ModelGateway({
      apiKey,
      baseURL,
      endpoints,
      route,
      maxRetries,
      timeout,
      streamIdleTimeout,
      headers,
      fetch,
      dangerouslyAllowBrowser,
    });
  }
  const ignored = CLIENT_ONLY.filter((name) => fields[name] !== undefined);
  if (ignored.length > 0) {
    throw new ConfigurationError(
      `Option gateway is a ready client, so ${ignored.join(", ")} would have no effect: ` +
        "set it where the client is made, or leave gateway out.",
    );
  }
  return gateway;
}
