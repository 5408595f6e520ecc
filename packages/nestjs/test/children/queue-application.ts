import { NestFactory } from "@nestjs/core";
import { JournalVideoTaskStore, ModelGatewayModule, VideosService } from "../../src/index.js";

/** What the program is started with. */
export interface QueueArgument {
  apiKey: string;
  baseURL: string;
  directory: string;
  maxOpen: number;
  /** Submitted when it is up, each for the tenant that it begins with. */
  keys: string[];
}

/** What the program tells. */
export type QueueMessage = { told: "submitted" } | { told: "unknown"; key: string };

/** What the program is told: what became of a submission of unknown outcome. */
export interface QueueFinding {
  key: string;
  taskId?: string;
}

const { directory, maxOpen, keys, ...connection } = JSON.parse(process.argv[2] ?? "") as QueueArgument;
const tell = (message: QueueMessage) => process.send?.(message);
const app = await NestFactory.createApplicationContext(
  ModelGatewayModule.forRoot({
    ...connection,
    videos: {
      maxOpen,
      store: new JournalVideoTaskStore({ directory }),
      intervalMs: 5,
      ratePerSecond: 1_000,
      backoff: { firstMs: 5 },
    },
  }),
  { logger: ["error"] },
);
const videos = app.get(VideosService);
videos.orphans$.subscribe(({ key }) => tell({ told: "unknown", key }));
process.on("message", ({ key, taskId }: QueueFinding) => {
  void videos.reconcile(key, taskId === undefined ? { notPaid: true } : { taskId });
});
await Promise.all(
  keys.map((key) => {
    const content = [{ type: "text" as const, text: key }];
    return videos.submit({ model: "some-video-model", content }, { key, tenant: key.slice(0, 1) });
  }),
);
tell({ told: "submitted" });
