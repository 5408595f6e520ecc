import "reflect-metadata";
import type { World } from "@model-gateway/emulator/simulation";
import { ModelGatewayModule, OnVideo, VideosService, type VideoTaskRecord } from "@model-gateway/nestjs";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FilmOrders } from "../film-orders.js";
import { NetworkedVideoTaskStore } from "../stores/networked-video-task-store.js";
import { VideoTaskServer } from "../stores/video-task-server.js";

const REPLICAS = 2;

/**
 * Films that two Nest applications order at once, each of the same keys, over a store that they share: whoever dies, the
 * other one goes on with its films, and writes to the store get lost before and after they took effect.
 */
export async function nestReplicas(world: World): Promise<void> {
  const orders = new FilmOrders(world, 3);
  const shop = new Shop();
  const server = new VideoTaskServer();
  const close = await server.open(world);
  const run = () => runApplication(world, orders, shop, server);
  await Promise.all(Array.from({ length: REPLICAS }, (_, index) => orders.fill(run, `app-${index}`)));
  await orders.judge(await server.records(), (record) => shop.complaint(record));
  await close();
}

/** Of films at once, in those worlds in which they wait for their turn. */
export function placesOf(world: World): number | undefined {
  return world.chance("films wait in line", 0.5) ? 1 + Math.floor(world.random("places")() * 2) : undefined;
}

async function runApplication(
  world: World,
  orders: FilmOrders,
  shop: Shop,
  server: VideoTaskServer,
): Promise<readonly VideoTaskRecord[]> {
  const maxOpen = placesOf(world);
  @Module({
    imports: [
      ModelGatewayModule.forRoot({
        ...{ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch },
        videos: {
          store: new NetworkedVideoTaskStore(world, server),
          intervalMs: FilmOrders.LOOK_MS,
          ...(maxOpen !== undefined && { maxOpen }),
        },
      }),
    ],
    providers: [{ provide: Counter, useFactory: () => new Counter(shop) }],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, {
    logger: ["error", "warn"],
    abortOnError: false,
  });
  const records = await orders.follow(app.get(VideosService), {
    ...{ later: maxOpen !== undefined, reconciles: true },
  });
  await app.close();
  return records;
}

/** Who was told of films that ended. */
class Shop {
  readonly #shipped = new Set<string>();

  ship({ key, task }: VideoTaskRecord): void {
    if (task?.videos[0]?.url === undefined) throw new Error(`${key} is told without a video`);
    this.#shipped.add(key);
  }

  complaint(record: VideoTaskRecord | undefined): string | undefined {
    if (record?.status !== "succeeded") return undefined;
    return this.#shipped.has(record.key) ? undefined : "was told to nobody";
  }
}

class Counter {
  constructor(private readonly shop: Shop) {}

  @OnVideo("succeeded")
  ship(record: VideoTaskRecord): void {
    this.shop.ship(record);
  }
}
