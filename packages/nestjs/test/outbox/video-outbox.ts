import { setTimeout as pause } from "node:timers/promises";
import { InvalidRequestError, type VideoCreateRequest } from "@model-gateway/core";
import { VideoKeyTakenError, VideosService } from "@model-gateway/nestjs";
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from "@nestjs/common";
import { asc, eq, isNull } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { bigserial, json, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Videos that were ordered; a row is in the table when the transaction that ordered it has committed. */
export const videoOutbox = pgTable("video_outbox", {
  id: bigserial("id", { mode: "number" }).primaryKey(),
  key: text("key").notNull().unique(),
  tenant: text("tenant").notNull(),
  body: json("body").$type<VideoCreateRequest>().notNull(),
  submittedAt: timestamp("submitted_at", { withTimezone: true }),
  problem: text("problem"),
});

/** Orders a video in the transaction of the caller: `db.transaction(async (tx) => { …; await orderVideo(tx, …) })`. */
export async function orderVideo(
  tx: Pick<NodePgDatabase, "insert">,
  order: Pick<typeof videoOutbox.$inferInsert, "key" | "tenant" | "body">,
): Promise<void> {
  await tx.insert(videoOutbox).values(order);
}

/** Submits what was ordered. Any number of replicas may run it. */
@Injectable()
export class VideoRelay implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(VideoRelay.name);
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    @Inject("DATABASE") private readonly db: NodePgDatabase,
    @Inject(VideosService) private readonly videos: VideosService,
  ) {}

  onApplicationBootstrap() {
    this.running = this.run(this.closing.signal);
  }

  async onModuleDestroy() {
    this.closing.abort();
    await this.running;
  }

  /** @returns how many it took from the table */
  async relay(): Promise<number> {
    return this.db.transaction(async (tx) => {
      const open = tx.select().from(videoOutbox).where(isNull(videoOutbox.submittedAt));
      const orders = await open.orderBy(asc(videoOutbox.id)).limit(20).for("update", { skipLocked: true });
      for (const { id, key, tenant, body } of orders) {
        const problem = await this.submit(key, tenant, body);
        const done = { submittedAt: new Date(), problem };
        await tx.update(videoOutbox).set(done).where(eq(videoOutbox.id, id));
      }
      return orders.length;
    });
  }

  /** @returns why it never can be; what may be later rejects, and the row stays as it is */
  private async submit(key: string, tenant: string, body: VideoCreateRequest) {
    try {
      await this.videos.submit(body, { key, tenant });
    } catch (error) {
      // Submitted before: this process, or one before it, died before it could commit.
      if (error instanceof VideoKeyTakenError) return null;
      if (InvalidRequestError.isInstance(error)) return error.message;
      throw error;
    }
    return null;
  }

  private async run(signal: AbortSignal) {
    while (!signal.aborted) {
      const taken = await this.relay().catch((error: unknown) => {
        this.logger.error(`Videos that were ordered wait: ${String(error)}`);
        return 0;
      });
      if (taken === 0) await pause(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}
