import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { Account } from "./account.js";

/**
 * The balance behind the key alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createAccount(connection?: Connection | ModelGatewayOptions): Account {
  return onConnection(connection, ({ sender }) => new Account(sender));
}
