import {
  ConfigurationError,
  Connection,
  type ModelGateway,
  type ModelGatewayOptions,
} from "@model-gateway/core";

/**
 * How a LangChain class reaches the gateway: a ready client, or the options of one. What is left out comes from
 * the environment (`MODEL_GATEWAY_API_KEY`, `MODEL_GATEWAY_BASE_URL`).
 */
export interface GatewayConnection<Client = ModelGateway>
  extends Omit<ModelGatewayOptions, "retryBillable" | "maxPollsPerSecond"> {
  /**
   * A client to share with other classes, or as much of one as this class uses. `apiKey`, `baseURL` and the other addresses
   * are then its own.
   */
  gateway?: Client;
}

/** What a call can be told too; beside a ready client, everything else would silently be ignored. */
const PER_CALL: readonly string[] = [
  "connectTimeout",
  "deadline",
  "headers",
  "maxConcurrency",
  "maxRetries",
  "requireFinishReason",
  "route",
  "timeout",
];

/**
 * The client to use: the given one, or a new one.
 *
 * @param ownFields names of fields that are the class's own business and LangChain's; the client refuses what it does
 *   not know
 * @param clientOn makes as much of a client as the class uses: a bundle holds no more
 * @throws ConfigurationError when the key or the address is missing, when an option is unknown, or when `gateway` is
 *   combined with an option that only a new client would heed
 */
export function connectGateway<Client>(
  fields: GatewayConnection<Client>,
  ownFields: readonly string[],
  clientOn: (connection: Connection) => Client,
): Client {
  const { gateway, ...others } = fields;
  const options = Object.entries(others).filter(
    ([name, value]) => value !== undefined && !ownFields.includes(name),
  );
  if (gateway === undefined) return clientOn(new Connection(Object.fromEntries(options)));
  const ignored = options.map(([name]) => name).filter((name) => !PER_CALL.includes(name));
  if (ignored.length > 0) {
    throw new ConfigurationError(
      `Option gateway is a ready client, so ${ignored.join(", ")} would have no effect: ` +
        "set it where the client is made, or leave gateway out.",
      { option: ignored[0] as string },
    );
  }
  return gateway;
}
