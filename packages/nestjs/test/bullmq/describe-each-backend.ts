import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import { backends } from "../../src/bullmq/backends.js";
import type { BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import { usePostgres } from "../use-postgres.js";
import { hasRedis, useRedis } from "../use-redis.js";

interface Server {
  url: string;
  stop(): Promise<void>;
}

/** Options of a store on a queue of its own; all stores with the same `queueName` share it. */
export type StoreOptions = (queueName?: string) => BullMqVideoTaskStoreOptions & { queueName: string };

/**
 * PostgreSQL is always there, from npm, but not with BullMQ 5; Redis is left out, loudly, where there is none.
 */
export function describeEachBackend(tests: (options: StoreOptions) => void): void {
  const { postgres: backend } = backends;
  if (backend !== undefined) {
    describeBackend("PostgreSQL", true, usePostgres, tests, (connectionString) => ({
      connection: { connectionString, migrate: true, max: 4 },
      backend,
    }));
  }
  describeBackend("Redis", hasRedis, useRedis, tests, (connection) => ({ connection }));
}

function describeBackend(
  name: string,
  isThere: boolean,
  start: () => Promise<Server>,
  tests: (options: StoreOptions) => void,
  options: (url: string) => BullMqVideoTaskStoreOptions,
): void {
  describe.skipIf(!isThere)(`on ${name}`, () => {
    let server: Server;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.stop());
    tests((queueName = `videos-${randomUUID()}`) => ({ ...options(server.url), queueName }));
  });
}
