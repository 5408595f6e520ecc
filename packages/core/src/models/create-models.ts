import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { Models } from "./models.js";

/**
 * The list of models alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createModels(connection?: Connection | ModelGatewayOptions): Models {
  return onConnection(connection, ({ sender }) => new Models(sender));
}
