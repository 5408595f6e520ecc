import { GatewayError, type VideoSubmission } from "@model-gateway/core";
import { Controller, Inject, Injectable, Module, Param, Sse } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { createPostgresBackend } from "bullmq";
import { lastValueFrom } from "rxjs";
import { BullMqVideoTaskStore, type BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import {
  ChatService,
  chatEvents,
  FolderFileStore,
  getModelGatewayToken,
  type KeptVideoFile,
  ModelGatewayModule,
  OnVideo,
  type VideoDelivery,
  type VideoDeliveryAttempt,
  type VideoFinding,
  VideoKeyTakenError,
  VideosService,
  type VideoTaskRecord,
  type VideoTaskRecordStatus,
} from "../../src/index.js";
import { RedisStreamStore } from "../../src/redis.js";
import type { HandlerCall, HandlerEnd } from "../soak/handler-calls.js";

/** What the program is started with. */
export interface SoakReplicaArgument {
  apiKey: string;
  baseURL: string;
  store: Omit<BullMqVideoTaskStoreOptions, "backend">;
  onPostgres: boolean;
  /** Folder that replicas share. */
  directory: string;
  limits: { maxOpen: number; perTenant: number };
  /** Of a Redis; replicas share no streams without it. */
  streams?: { connection: string; prefix: string };
}

/** What the program is asked for. */
export type SoakOrder =
  | { order: "submit"; key: string; submission: VideoSubmission; tenant?: string; waits: boolean }
  | { order: "reconcile"; key: string; finding: VideoFinding; waits: boolean }
  | { order: "end-handler"; call: number; end: HandlerEnd }
  | { order: "list" }
  | { order: "troubles" }
  | { order: "close" };

/** Where a submission stands. */
export interface SoakRecord {
  key: string;
  status: VideoTaskRecordStatus;
  taskId: string | undefined;
  stalled: boolean;
  waiting: boolean;
  /** Whether it is of the instance whose submissions wait for their turn. */
  waits: boolean;
  files: KeptVideoFile[] | undefined;
  deliveries: VideoDelivery[];
}

/** What the program tells. */
export type SoakMessage =
  | { told: "ready"; url: string }
  /** It was written down, or the gateway took it, here or before. */
  | { told: "held"; key: string }
  | { told: "failed"; key: string; maybePaid: boolean; error: string }
  /** What a watcher heard last. */
  | { told: "heard"; key: string; status: VideoTaskRecordStatus }
  | ({ told: "called"; call: number } & HandlerCall)
  | { told: "reconciled"; key: string; error?: string }
  | { told: "records"; records: SoakRecord[] | undefined }
  | { told: "troubles"; troubles: string[] };

const argument = JSON.parse(process.argv[2] ?? "") as SoakReplicaArgument;
const { store, onPostgres, directory, limits, streams, ...connection } = argument;
const tell = (message: SoakMessage) => process.send?.(message);
const DIRECT = "direct";

/** Two instances share the broker and the folder: submissions of one wait for their turn, those of the other are paid at once. */
function instance(name: string) {
  const isDirect = name === DIRECT;
  const queueName = `${store.queueName}-${name}`;
  return ModelGatewayModule.forRoot({
    ...connection,
    name,
    maxRetries: 0,
    timeout: 2_000,
    videos: {
      store: new BullMqVideoTaskStore({
        ...store,
        queueName,
        ...(onPostgres && { backend: createPostgresBackend }),
      }),
      intervalMs: 100,
      ratePerSecond: 300,
      backoff: { firstMs: 100, maxMs: 500, refusedMs: 500 },
      keep: { store: new FolderFileStore({ directory }) },
      handlers: { firstMs: 50, maxMs: 500, attempts: 1_000 },
      ...(!isDirect && limits),
    },
    ...(streams && !isDirect && { streams: { store: new RedisStreamStore(streams), leaseMs: 3_000 } }),
  });
}

let calls = 0;
const ending = new Map<number, (end: HandlerEnd) => void>();

@Injectable()
class Shop {
  @OnVideo("succeeded", "failed", "expired", "cancelled", "unknown", { name: "shop" })
  queued(record: VideoTaskRecord, attempt: VideoDeliveryAttempt) {
    return this.call(record, attempt);
  }

  @OnVideo("succeeded", "failed", "expired", "cancelled", "unknown", { name: "shop", instance: DIRECT })
  direct(record: VideoTaskRecord, attempt: VideoDeliveryAttempt) {
    return this.call(record, attempt);
  }

  private async call({ key }: VideoTaskRecord, { id, status }: VideoDeliveryAttempt): Promise<void> {
    const call = ++calls;
    const ended = new Promise<HandlerEnd>((resolve) => ending.set(call, resolve));
    tell({ told: "called", call, key, id, status });
    const end = await ended;
    if (end === "throw") throw new Error("The shop is closed.");
    if (end === "die") process.kill(process.pid, "SIGKILL");
  }
}

@Controller("answers")
class Answers {
  constructor(@Inject(ChatService) private readonly chat: ChatService) {}

  @Sse(":key")
  answer(@Param("key") key: string) {
    const messages = [{ role: "user" as const, content: `Tell me everything about ${key}.` }];
    return this.chat.stream$({ model: "local-chat", messages }, { key }).pipe(chatEvents());
  }
}

class SoakModule {}
Module({
  imports: [instance("default"), instance(DIRECT)],
  controllers: [Answers],
  providers: [Shop],
})(SoakModule);
const app = await NestFactory.create(SoakModule, {
  logger: false,
  abortOnError: false,
  forceCloseConnections: true,
});
await app.listen(0, "127.0.0.1");
const queued = app.get(VideosService);
const direct = app.get<VideosService>(getModelGatewayToken(DIRECT, VideosService));
const serviceOf = (waits: boolean) => (waits ? queued : direct);
let closing = false;

async function submit(order: Extract<SoakOrder, { order: "submit" }>): Promise<void> {
  const { key, submission, tenant, waits } = order;
  const { family, body } = submission;
  const videos = serviceOf(waits);
  try {
    await videos.submit(body as never, { key, family: family as never, ...(tenant && { tenant }) });
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

async function list(waits: boolean): Promise<SoakRecord[]> {
  const records = await serviceOf(waits).list();
  return records.map(({ key, status, handle, stalled, waiting, files, deliveries = [] }) => ({
    ...{ key, status, taskId: handle?.id, stalled: stalled !== undefined, waiting: waiting !== undefined },
    ...{ waits, files, deliveries },
  }));
}

async function obey(order: SoakOrder): Promise<void> {
  if (order.order === "submit") return submit(order);
  if (order.order === "end-handler") ending.get(order.call)?.(order.end);
  else if (order.order === "reconcile") {
    const { key, finding, waits } = order;
    const error = await serviceOf(waits)
      .reconcile(key, finding)
      .then(
        () => undefined,
        (reason: unknown) => String(reason),
      );
    tell({ told: "reconciled", key, ...(error !== undefined && { error }) });
  } else if (order.order === "list") {
    const records = await Promise.all([list(true), list(false)]).catch(() => undefined);
    tell({ told: "records", records: records?.flat() });
  } else if (order.order === "troubles") {
    const troubles = await Promise.all([queued.troubles(), direct.troubles()]).catch((error) => [
      [String(error)],
    ]);
    tell({ told: "troubles", troubles: troubles.flat() });
  } else {
    closing = true;
    await app.close();
    process.disconnect?.();
  }
}

process.on("message", (order: SoakOrder) => void obey(order));
tell({ told: "ready", url: await app.getUrl() });
