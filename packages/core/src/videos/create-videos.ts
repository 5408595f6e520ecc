import { type Connection, onConnection } from "../call/connection.js";
import type { ModelGatewayOptions } from "../config/config.js";
import { PollScheduler } from "./poll-scheduler.js";
import { Videos } from "./videos.js";

/** One rate of polls, whichever key they are made with. */
const schedulers = new WeakMap<object, PollScheduler>();

/**
 * Video tasks alone, for bundles that hold nothing else. Takes a connection, or the options of one of its own.
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export function createVideos(connection?: Connection | ModelGatewayOptions): Videos {
  return onConnection(connection, ({ sender, config, family }) => {
    const scheduler = schedulers.get(family) ?? new PollScheduler(config.maxPollsPerSecond);
    schedulers.set(family, scheduler);
    return new Videos(sender, scheduler, sender.onPollFailed);
  });
}
