import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { Audio } from "./audio.js";

/**
 * Speech alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createAudio(connection?: Connection | ModelGatewayOptions): Audio {
  return onConnection(connection, ({ sender, config }) => new Audio(sender, config.specializedModels));
}
