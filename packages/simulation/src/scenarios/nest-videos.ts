import "reflect-metadata";
import type { World } from "@model-gateway/emulator/simulation";
import {
  JournalVideoTaskStore,
  ModelGatewayModule,
  VideosService,
  type VideoTaskRecord,
} from "@model-gateway/nestjs";
import { NestFactory } from "@nestjs/core";
import { FilmOrders } from "../film-orders.js";

/**
 * Films that are ordered from a Nest application whose tasks stand in a journal on the disk of the world. The application
 * dies in the middle of everything and starts again; where its store says that it needs a restart, it gets one.
 */
export async function nestVideos(world: World): Promise<void> {
  const orders = new FilmOrders(world, 4);
  let records = await orders.fill(() => runApplication(world, orders));
  // What is on the disk in the end is what the next deployment begins with.
  if (world.chance("is deployed again", 0.5))
    records = await orders.fill(() => runApplication(world, orders));
  await orders.judge(records, (record) =>
    record?.status === "succeeded" && record.task?.videos[0]?.url === undefined
      ? "succeeded without a video"
      : undefined,
  );
}

async function runApplication(world: World, orders: FilmOrders): Promise<readonly VideoTaskRecord[]> {
  const app = await NestFactory.createApplicationContext(
    ModelGatewayModule.forRoot({
      ...{ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch },
      videos: {
        store: new JournalVideoTaskStore({ directory: world.disk.path("tasks") }),
        intervalMs: FilmOrders.LOOK_MS,
      },
    }),
    { logger: ["error", "warn"], abortOnError: false },
  );
  const records = await orders.follow(app.get(VideosService));
  await app.close();
  return records;
}
