import * as bullmq from "bullmq";

// BullMQ 5 has none of this: it keeps everything in Redis. So nothing here is imported, or mentioned in a type, by its
// name.

type BullMQ = typeof bullmq;

/** What BullMQ's constructors take to keep a queue elsewhere than in Redis; BullMQ 5 has none. */
export type VideoTaskBackend = (name: string, options: never, ...rest: never[]) => object;

/** Options of a `pg.Pool`, a pool, or a URL; nothing with BullMQ 5. */
export type PostgresConnection = BullMQ extends {
  createPostgresBackend: (name: string, options: infer Options, ...rest: never[]) => object;
}
  ? Options extends { connection: infer Connection }
    ? Connection
    : never
  : never;

const { createPostgresBackend, createRedisBackend }: Record<string, unknown> = { ...bullmq };

/** Those of the BullMQ that is installed; undefined with BullMQ 5. */
export const backends = {
  postgres: createPostgresBackend as VideoTaskBackend | undefined,
  redis: createRedisBackend as VideoTaskBackend | undefined,
};
