import type { ConnectionOptions } from "bullmq";
import { backends, type PostgresConnection, type VideoTaskBackend } from "./backends.js";

/**
 * Where the queue lives: a URL; options of ioredis, or with the PostgreSQL backend those of a `pg.Pool`; or a
 * client or pool of your own, which is used as it is, and left open.
 */
export type VideoTaskConnection = string | ConnectionOptions | PostgresConnection;

type Options = Record<string, unknown>;

const ANSWER_WITHIN_MS = 10_000;

/**
 * For commands that somebody waits for: they fail when the server is away, instead of waiting for it, so that
 * nothing is paid for that cannot be written down.
 */
export function forCommands(
  connection: VideoTaskConnection,
  backend: VideoTaskBackend | undefined,
): ConnectionOptions {
  if (backend === backends.redis) {
    return withDefaults(connection, "url", {
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: ANSWER_WITHIN_MS,
      commandTimeout: ANSWER_WITHIN_MS,
    });
  }
  if (backend === backends.postgres) {
    return withDefaults(connection, "connectionString", {
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
  }
  return connection as ConnectionOptions;
}

/** For workers and listeners, which wait long for the next job, and for a server that comes back. */
export function forWaiting(
  connection: VideoTaskConnection,
  backend: VideoTaskBackend | undefined,
): ConnectionOptions {
  if (backend !== backends.redis) return forCommands(connection, backend);
  const patient = { enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: undefined };
  return withDefaults(connection, "url", {}, patient);
}

function withDefaults(
  connection: VideoTaskConnection,
  urlOption: string,
  defaults: Options,
  fixed: Options = {},
): ConnectionOptions {
  const options = typeof connection === "string" ? { [urlOption]: connection } : connection;
  // A client or a pool, and not options for one.
  if ("connect" in options) return options;
  return { ...defaults, ...options, ...fixed };
}
