import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { Moderations } from "./moderations.js";

/**
 * Moderation alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createModerations(connection?: Connection | ModelGatewayOptions): Moderations {
  return onConnection(connection, ({ sender }) => new Moderations(sender));
}
