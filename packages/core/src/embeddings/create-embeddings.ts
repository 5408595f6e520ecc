import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { Embeddings } from "./embeddings.js";

/**
 * Embeddings alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createEmbeddings(connection?: Connection | ModelGatewayOptions): Embeddings {
  return onConnection(connection, ({ sender }) => new Embeddings(sender));
}
