import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { Chat, streamDefaults } from "./chat.js";

/**
 * Chat alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createChat(connection?: Connection | ModelGatewayOptions): Chat {
  return onConnection(connection, ({ sender, config }) => new Chat(sender, streamDefaults(config)));
}
