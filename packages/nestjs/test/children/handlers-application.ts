import { Injectable, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { defer, filter, firstValueFrom, repeat } from "rxjs";
import {
  JournalVideoTaskStore,
  ModelGatewayModule,
  OnVideo,
  type VideoDeliveryAttempt,
  VideosService,
  type VideoTaskRecord,
} from "../../src/index.js";

/** What the program is started with. */
export interface HandlersArgument {
  apiKey: string;
  baseURL: string;
  directory: string;
  submits: boolean;
  /** What becomes of the process inside the handler. */
  how: "dies" | "returns";
}

/** What the program tells. */
export type HandlersMessage =
  | { told: "submitted" }
  | { told: "called"; id: string; attempt: number }
  | { told: "delivered"; attempts: number };

const KEY = "order-1";
const argument = JSON.parse(process.argv[2] ?? "") as HandlersArgument;
const { directory, submits, how, ...connection } = argument;

const tell = (message: HandlersMessage) =>
  new Promise<void>((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });

class Shop {
  async ship({ key }: VideoTaskRecord, { id, attempt }: VideoDeliveryAttempt) {
    if (key !== KEY) throw new Error(`A video ${key} was never submitted.`);
    await tell({ told: "called", id, attempt });
    if (how === "dies") process.kill(process.pid, "SIGKILL");
  }
}
// Called and not written before it: what compiles this knows no decorators.
const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, "ship");
if (descriptor !== undefined) OnVideo("succeeded")(Shop.prototype, "ship", descriptor);
Injectable()(Shop);

class AppModule {}
const store = new JournalVideoTaskStore({ directory });
Module({
  imports: [
    ModelGatewayModule.forRoot({
      ...connection,
      videos: { store, intervalMs: 5, ratePerSecond: 1_000, handlers: { firstMs: 1, maxMs: 1 } },
    }),
  ],
  providers: [Shop],
})(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: ["error"] });
const videos = app.get(VideosService);
if (submits) {
  const content = [{ type: "text" as const, text: "[[stuck]]" }];
  await videos.submit({ model: "local-video-2.0", content, duration: 4 }, { key: KEY });
  await tell({ told: "submitted" });
}
const [record] = await firstValueFrom(
  defer(() => videos.list({ delivery: "delivered" })).pipe(
    repeat({ delay: 5 }),
    filter((records) => records.length > 0),
  ),
);
await tell({ told: "delivered", attempts: record?.deliveries?.[0]?.attempts ?? 0 });
await app.close();
process.disconnect?.();
