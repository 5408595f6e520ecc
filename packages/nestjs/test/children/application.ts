import { type VideoTask, videoOutcome } from "@model-gateway/core";
import { NestFactory } from "@nestjs/core";
import { lastValueFrom } from "rxjs";
import {
  JournalVideoTaskStore,
  ModelGatewayModule,
  VideoKeyTakenError,
  VideosService,
  type VideoTaskIntent,
} from "../../src/index.js";

/** Where in the life of its task the process dies. */
export type KillPoint =
  | "before the intent is written"
  | "after the intent is written"
  | "before the task id is written"
  | "after the task id is written"
  | "before the end is written"
  | "after the end is written";

/** What the program is started with. */
export interface ApplicationArgument {
  apiKey: string;
  baseURL: string;
  directory: string;
  /** Keys to submit: one group after another, those of a group at once. */
  groups: string[][];
  kill?: { key: string; at: KillPoint };
}

/** What the program tells. */
export type ApplicationMessage =
  | { told: "orphan"; key: string }
  | { told: "submitted"; key: string; taskId: string | undefined }
  | { told: "taken"; key: string }
  | { told: "settled"; key: string; status: string; taskId: string | undefined };

const { groups, kill, directory, ...connection } = JSON.parse(process.argv[2] ?? "") as ApplicationArgument;

/** Dies around the writes of one task; everything it does is inherited. */
class MortalStore extends JournalVideoTaskStore {
  override async begin(intent: VideoTaskIntent) {
    this.dieIf(intent.key, "before the intent is written");
    const isBegun = await super.begin(intent);
    this.dieIf(intent.key, "after the intent is written");
    return isBegun;
  }

  override async accept(key: string, task: VideoTask) {
    this.dieIf(key, "before the task id is written");
    await super.accept(key, task);
    this.dieIf(key, "after the task id is written");
  }

  override async update(key: string, task: VideoTask) {
    const isEnd = videoOutcome(task) !== "pending";
    if (isEnd) this.dieIf(key, "before the end is written");
    await super.update(key, task);
    if (isEnd) this.dieIf(key, "after the end is written");
  }

  private dieIf(key: string, point: KillPoint): void {
    if (kill?.key === key && kill.at === point) process.kill(process.pid, "SIGKILL");
  }
}

const tell = (message: ApplicationMessage) => process.send?.(message);
const store = new MortalStore({ directory });
const app = await NestFactory.create(
  ModelGatewayModule.forRoot({ ...connection, videos: { store, intervalMs: 5, ratePerSecond: 1_000 } }),
  { logger: ["error"] },
);
await app.listen(0, "127.0.0.1");
const videos = app.get(VideosService);
videos.orphans$.subscribe(({ key }) => tell({ told: "orphan", key }));

async function submit(key: string): Promise<void> {
  // Over only when the test says so, however slow the machine is.
  const content = [{ type: "text" as const, text: `${key} [[stuck]]` }];
  const body = { model: "local-video-2.0", content, duration: 4 };
  try {
    await videos.submit(body, { key });
    tell({ told: "submitted", key, taskId: (await videos.get(key))?.handle?.id });
  } catch (error) {
    if (!(error instanceof VideoKeyTakenError)) throw error;
    tell({ told: "taken", key });
  }
}

async function settle(key: string): Promise<void> {
  const { status, handle } = await lastValueFrom(videos.watch$(key));
  tell({ told: "settled", key, status, taskId: handle?.id });
}

for (const keys of groups) await Promise.all(keys.map(submit));
await Promise.all(groups.flat().map(settle));
await app.close();
process.disconnect?.();
