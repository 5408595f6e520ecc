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
  VideoKeyTakenError,
  VideosService,
  type VideoTaskRecord,
} from "@model-gateway/nestjs";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { ModulesContainer, NestFactory } from "@nestjs/core";

const ORIGIN = "https://films.example";
const LOOK_MS = 5_000;
/** An operator looks after so many looks that show the same trouble. */
const PATIENCE = 12;

/**
 * Films that are ordered from a Nest application which the gateway calls back, whose files it keeps, and whose ends it tells
 * a handler: on one disk, with a power supply that fails.
 */
export async function nestFilms(world: World): Promise<void> {
  const orders = Array.from({ length: world.count("orders", 1, 3) }, (_, index) => `film-${index}`);
  const handlers = new Handlers(world);
  let records: readonly VideoTaskRecord[] = [];
  const service = world.service("app", async () => {
    do records = await runApplication(world, orders, handlers);
    while (records.some(isOpen));
  });
  await service.ended;
  for (const key of orders) {
    const record = records.find((candidate) => candidate.key === key);
    world.trace.add("operator", `${key}: ${record?.status ?? "none"}`);
    const problem = (await complaint(world, record, key)) ?? handlers.complaint(record);
    if (problem !== undefined) throw new Error(`${key} ${problem}`);
  }
}

/** Orders what was not ordered, and waits until nothing is open, or until only a restart helps. */
async function runApplication(
  world: World,
  orders: readonly string[],
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
          intervalMs: LOOK_MS,
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
  const videos = app.get(VideosService);
  for (const key of orders) {
    if ((await videos.get(key)) !== undefined) continue;
    const body = { model: "local-video-2.0", content: [{ type: "text" as const, text: key }], duration: 5 };
    await world
      .intend(key, () => videos.submit(body, { key }))
      .catch((error) => {
        if (!(error instanceof VideoKeyTakenError)) world.trace.add("app", `${key}: ${error.name}`);
      });
  }
  let records = await videos.list();
  // A callback may still tell of a submission whose answer got lost.
  const isAwaited = (looks: number) => (record: VideoTaskRecord) =>
    isOpen(record) || (record.status === "unknown" && looks < PATIENCE);
  for (let looks = 0, troubled = 0; troubled < PATIENCE && records.some(isAwaited(looks)); looks++) {
    await world.sleep(LOOK_MS);
    troubled = (await videos.troubles()).length > 0 ? troubled + 1 : 0;
    records = await videos.list();
  }
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

function isOpen({ status, deliveries = [] }: VideoTaskRecord): boolean {
  const isTold = deliveries.every(({ state }) => state !== "due");
  return status === "submitting" || status === "queued" || status === "running" || !isTold;
}

/** What is wrong with how an order ended. */
async function complaint(
  world: World,
  record: VideoTaskRecord | undefined,
  key: string,
): Promise<string | undefined> {
  const { charged } = world.purchases.of(key);
  if (record === undefined)
    return charged > 0 ? "was paid, and the application knows nothing of it" : undefined;
  if (record.status === "rejected") return charged > 0 ? "was paid, and counts as rejected" : undefined;
  if (record.status !== "succeeded") return undefined;
  if (charged === 0) return "succeeded, and was never paid";
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
