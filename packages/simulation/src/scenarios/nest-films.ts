import "reflect-metadata";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { World } from "@model-gateway/emulator/simulation";
import {
  FolderFileStore,
  JournalVideoTaskStore,
  ModelGatewayModule,
  OnVideo,
  type VideoDeliveryAttempt,
  VideosService,
  type VideoTaskRecord,
} from "@model-gateway/nestjs";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { ModulesContainer, NestFactory } from "@nestjs/core";
import { FilmOrders } from "../film-orders.js";

const ORIGIN = "https://films.example";
/** Looks for which a callback may still tell of a submission whose answer got lost. */
const HOPES = 12;

/**
 * Films that are ordered from a Nest application which the gateway calls back, whose files it keeps, and whose ends it tells
 * a handler: on one disk, with a power supply that fails.
 */
export async function nestFilms(world: World): Promise<void> {
  const orders = new FilmOrders(world, 3);
  const handlers = new Handlers(world);
  const records = await orders.fill(() => runApplication(world, orders, handlers));
  await orders.judge(
    records,
    async (record) => (await complaintOfFiles(world, record)) ?? handlers.complaint(record),
  );
}

async function runApplication(
  world: World,
  orders: FilmOrders,
  handlers: Handlers,
): Promise<readonly VideoTaskRecord[]> {
  @Module({
    imports: [
      ModelGatewayModule.forRoot({
        ...{ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch },
        callback: { publicURL: ORIGIN, secret: "a secret of at least 32 characters" },
        videos: {
          store: new JournalVideoTaskStore({ directory: world.disk.path("tasks") }),
          keep: { store: filesOf(world) },
          intervalMs: FilmOrders.LOOK_MS,
        },
      }),
    ],
    providers: [{ provide: Shop, useFactory: () => new Shop(handlers) }],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, {
    logger: ["error", "warn"],
    abortOnError: false,
  });
  const route = callbackRouteOf(app);
  const close = world.serve(ORIGIN, async (request) => {
    const [mac = "", expires = "", key = ""] = new URL(request.url).pathname.split("/").reverse();
    const body: unknown = await request.json();
    const status = await route.receive(decodeURIComponent(key), expires, mac, body).then(
      () => 202,
      () => 404,
    );
    return new Response(null, { status });
  });
  const records = await orders.follow(app.get(VideosService), { hopes: HOPES });
  close();
  await app.close();
  return records;
}

/** Called in place of a web server, whose sockets have a clock that is not the world's. */
function callbackRouteOf(app: INestApplicationContext): CallbackRoute {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [
    ...module.controllers.values(),
  ]);
  const found = controllers.find(({ name }) => name === "ModelGatewayCallbackController");
  if (found === undefined) throw new Error("There is no route for callbacks.");
  return found.instance as CallbackRoute;
}

interface CallbackRoute {
  receive(key: string, expires: string, mac: string, body: unknown): Promise<void>;
}

/** What is told of films that ended. */
class Handlers {
  readonly #world: World;
  /** Which process saw them return, by id of the delivery. */
  readonly #returned = new Map<string, { key: string; pid: number }>();
  #calls = 0;
  #toldTwice: string | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  async take({ key, files }: VideoTaskRecord, { id }: VideoDeliveryAttempt): Promise<void> {
    const before = this.#returned.get(id);
    const isDiskWell = !this.#world.faults.some(({ name }) => name === "diskFull" || name === "syncFails");
    // Only a process that died, or a disk that took no note of it, may have it called again.
    if (before?.pid === process.pid && isDiskWell)
      this.#toldTwice ??= `${key} was told again after it was told`;
    const { pid } = process;
    const number = ++this.#calls;
    if (files === undefined) throw new Error("a film is told before its files are kept");
    await this.#world.sleep(this.#world.random(`handler ${number} takes`)() * 1_000);
    if (this.#world.chance(`handler ${number} fails`, 0.2)) throw new Error("The printer is out of paper.");
    this.#returned.set(id, { key, pid });
  }

  complaint(record: VideoTaskRecord | undefined): string | undefined {
    if (this.#toldTwice !== undefined) return `ended, and ${this.#toldTwice}`;
    if (record?.status !== "succeeded") return undefined;
    const { key, deliveries = [] } = record;
    if (deliveries.length !== 1) return `has ${deliveries.length} deliveries`;
    if (![...this.#returned.values()].some((returned) => returned.key === key)) return "was told to nobody";
    return undefined;
  }
}

class Shop {
  constructor(private readonly handlers: Handlers) {}

  @OnVideo("succeeded")
  ship(record: VideoTaskRecord, delivery: VideoDeliveryAttempt): Promise<void> {
    return this.handlers.take(record, delivery);
  }
}

function filesOf({ disk }: World): FolderFileStore {
  return new FolderFileStore({ directory: disk.path("files") });
}

/** What is wrong with what was kept of a film. */
async function complaintOfFiles(
  world: World,
  record: VideoTaskRecord | undefined,
): Promise<string | undefined> {
  if (record?.status !== "succeeded") return undefined;
  const { files = [], problem } = record;
  if (files.length === 0 && problem === undefined) return "succeeded without a file, and does not say why";
  for (const { key: name, length, sha256 } of files) {
    const bytes = await readFile(filesOf(world).pathOf(name)).catch(() => undefined);
    if (bytes === undefined) return `has no file ${name}`;
    if (bytes.length !== length || digestOf(bytes) !== sha256)
      return `has a file ${name} that is not what was kept`;
  }
  const [video] = record.task?.videos ?? [];
  const original = video && (await (await world.emulator.fetch(video.url)).arrayBuffer());
  const kept = files.find(({ kind }) => kind === "video");
  if (kept && original && digestOf(new Uint8Array(original)) !== kept.sha256)
    return "has another film than the gateway";
  return undefined;
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
