import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { type Downloader, downloaderOf } from "./download.js";

/**
 * Downloads of results alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createDownloader(connection?: Connection | ModelGatewayOptions): Downloader {
  return onConnection(connection, downloaderOf);
}
