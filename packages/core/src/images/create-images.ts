import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { downloaderOf } from "../download/download.js";
import { Images } from "./images.js";

/**
 * Images alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createImages(connection?: Connection | ModelGatewayOptions): Images {
  return onConnection(connection, (parts) => new Images(parts.sender, downloaderOf(parts)));
}
