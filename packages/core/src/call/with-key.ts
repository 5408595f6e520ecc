import { type APIKeySource, checkAPIKey } from "../checks/check-api-key.js";
import { Connection, hideParts, onConnection } from "./connection.js";

/**
 * The same way to a gateway with another key: everything else is shared, the places and pauses of its calls included.
 *
 * @throws ConfigurationError when the key cannot be one
 */
export function withKey(connection: Connection, apiKey: APIKeySource): Connection {
  const key = checkAPIKey(apiKey);
  const { baseURL } = connection;
  const other: Connection = Object.assign(Object.create(Connection.prototype), { baseURL });
  onConnection(connection, ({ config, sender, ...shared }) =>
    hideParts(other, { ...shared, config: { ...config, apiKey: key }, sender: sender.withKey(key) }),
  );
  return other;
}
