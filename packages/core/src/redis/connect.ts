import { Redis, type RedisOptions } from "ioredis";

/** A server that does not answer for so long does not answer. */
export const ANSWER_WITHIN_MS = 10_000;

/** Commands fail when the server is away: who asked knows how long to try again. */
export function connect(connection: string | RedisOptions): Redis {
  const options: RedisOptions = {
    ...{ lazyConnect: true, enableOfflineQueue: false, autoResendUnfulfilledCommands: false },
    ...{ maxRetriesPerRequest: 0, connectTimeout: ANSWER_WITHIN_MS, commandTimeout: ANSWER_WITHIN_MS },
  };
  return typeof connection === "string"
    ? new Redis(connection, options)
    : new Redis({ ...options, ...connection, lazyConnect: true });
}
