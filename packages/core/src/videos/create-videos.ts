import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { PollScheduler } from "./poll-scheduler.js";
import { Videos } from "./videos.js";

/**
 * Video tasks alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createVideos(connection?: Connection | ModelGatewayOptions): Videos {
  return onConnection(
    connection,
    ({ sender, config }) =>
      new Videos(sender, new PollScheduler(config.maxPollsPerSecond), sender.onPollFailed),
  );
}
