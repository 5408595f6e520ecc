import "reflect-metadata";
import type { World } from "@model-gateway/emulator/simulation";
import {
  JournalVideoTaskStore,
  ModelGatewayModule,
  VideoKeyTakenError,
  VideosService,
  type VideoTaskRecord,
} from "@model-gateway/nestjs";
import { NestFactory } from "@nestjs/core";

const LOOK_MS = 5_000;
/** An operator looks after so many looks that show the same trouble. */
const PATIENCE = 12;

/**
 * Films that are ordered from a Nest application whose tasks stand in a journal on the disk of the world. The application
 * dies in the middle of everything and starts again; where its store says that it needs a restart, it gets one.
 */
export async function nestVideos(world: World): Promise<void> {
  const orders = Array.from({ length: world.count("orders", 1, 4) }, (_, index) => `film-${index}`);
  let records: readonly VideoTaskRecord[] = [];
  const service = world.service("app", async () => {
    do records = await runApplication(world, orders);
    while (records.some(isOpen));
  });
  await service.ended;
  for (const key of orders) {
    const record = records.find((candidate) => candidate.key === key);
    world.trace.add("operator", `${key}: ${record?.status ?? "none"}`);
    const problem = complaint(record, world.purchases.of(key).charged);
    if (problem !== undefined) throw new Error(`${key} ${problem}`);
  }
}

/** Orders what was not ordered, and waits until nothing is open, or until only a restart helps. */
async function runApplication(world: World, orders: readonly string[]): Promise<readonly VideoTaskRecord[]> {
  const app = await NestFactory.createApplicationContext(
    ModelGatewayModule.forRoot({
      ...{ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch },
      videos: {
        store: new JournalVideoTaskStore({ directory: world.disk.path("tasks") }),
        intervalMs: LOOK_MS,
      },
    }),
    { logger: ["error", "warn"], abortOnError: false },
  );
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
  for (let troubled = 0; troubled < PATIENCE && records.some(isOpen); ) {
    await world.sleep(LOOK_MS);
    troubled = (await videos.troubles()).length > 0 ? troubled + 1 : 0;
    records = await videos.list();
  }
  await app.close();
  return records;
}

function isOpen({ status }: VideoTaskRecord): boolean {
  return status === "submitting" || status === "queued" || status === "running";
}

/** What is wrong with how an order ended. */
function complaint(record: VideoTaskRecord | undefined, charged: number): string | undefined {
  if (record === undefined)
    return charged > 0 ? "was paid, and the application knows nothing of it" : undefined;
  if (record.status === "rejected") return charged > 0 ? "was paid, and counts as rejected" : undefined;
  if (record.status === "succeeded") {
    if (charged === 0) return "succeeded, and was never paid";
    if (record.task?.videos[0]?.url === undefined) return "succeeded without a video";
  }
  return undefined;
}
