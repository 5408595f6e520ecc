import { GatewayError, type VideoSubmission } from "@model-gateway/core";
import { NestFactory } from "@nestjs/core";
import { createPostgresBackend } from "bullmq";
import { lastValueFrom } from "rxjs";
import { BullMqVideoTaskStore, type BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import {
  ModelGatewayModule,
  type VideoFinding,
  VideoKeyTakenError,
  VideosService,
  type VideoTaskRecordStatus,
} from "../../src/index.js";

/** What the program is started with. */
export interface SoakReplicaArgument {
  apiKey: string;
  baseURL: string;
  store: Omit<BullMqVideoTaskStoreOptions, "backend">;
  onPostgres: boolean;
}

/** What the program is asked for. */
export type SoakOrder =
  | { order: "submit"; key: string; submission: VideoSubmission }
  | { order: "reconcile"; key: string; finding: VideoFinding }
  | { order: "list" }
  | { order: "troubles" }
  | { order: "close" };

/** Where a submission stands. */
export interface SoakRecord {
  key: string;
  status: VideoTaskRecordStatus;
  taskId: string | undefined;
  stalled: boolean;
}

/** What the program tells. */
export type SoakMessage =
  | { told: "ready" }
  /** The gateway took it, here or before. */
  | { told: "held"; key: string }
  | { told: "failed"; key: string; maybePaid: boolean; error: string }
  /** What a watcher heard last. */
  | { told: "heard"; key: string; status: VideoTaskRecordStatus }
  | { told: "reconciled"; key: string; error?: string }
  | { told: "records"; records: SoakRecord[] | undefined }
  | { told: "troubles"; troubles: string[] };

const { store, onPostgres, ...connection } = JSON.parse(process.argv[2] ?? "") as SoakReplicaArgument;
const tell = (message: SoakMessage) => process.send?.(message);

const app = await NestFactory.createApplicationContext(
  ModelGatewayModule.forRoot({
    ...connection,
    maxRetries: 0,
    timeout: 2_000,
    videos: {
      store: new BullMqVideoTaskStore({ ...store, ...(onPostgres && { backend: createPostgresBackend }) }),
      intervalMs: 100,
      ratePerSecond: 300,
    },
  }),
  { logger: false, abortOnError: false },
);
const videos = app.get(VideosService);
let closing = false;

async function submit(key: string, { family, body }: VideoSubmission): Promise<void> {
  try {
    await videos.submit(body as never, { key, family: family as never });
  } catch (error) {
    if (!(error instanceof VideoKeyTakenError)) {
      const maybePaid = GatewayError.isInstance(error) && error.maybeProcessed;
      tell({ told: "failed", key, maybePaid, error: String(error) });
      return;
    }
  }
  tell({ told: "held", key });
  // A store that goes away ends a watch with an error, and an application that closes ends all: neither is a lie.
  const last = await lastValueFrom(videos.watch$(key)).catch(() => undefined);
  if (last !== undefined && !closing) tell({ told: "heard", key, status: last.status });
}

async function obey(order: SoakOrder): Promise<void> {
  if (order.order === "submit") return submit(order.key, order.submission);
  if (order.order === "reconcile") {
    const { key, finding } = order;
    const error = await videos.reconcile(key, finding).then(
      () => undefined,
      (reason: unknown) => String(reason),
    );
    tell({ told: "reconciled", key, ...(error !== undefined && { error }) });
  } else if (order.order === "list") {
    const records = await videos.list().catch(() => undefined);
    tell({
      told: "records",
      records: records?.map(({ key, status, handle, stalled }) => {
        return { key, status, taskId: handle?.id, stalled: stalled !== undefined };
      }),
    });
  } else if (order.order === "troubles") {
    tell({ told: "troubles", troubles: await videos.troubles().catch((error) => [String(error)]) });
  } else {
    closing = true;
    await app.close();
    process.disconnect?.();
  }
}

process.on("message", (order: SoakOrder) => void obey(order));
tell({ told: "ready" });
