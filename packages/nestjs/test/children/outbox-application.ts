import { ModelGatewayModule } from "@model-gateway/nestjs";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { drizzle } from "drizzle-orm/node-postgres";
import { Pool } from "pg";
import { JournalVideoTaskStore, type VideoTaskIntent } from "../../src/index.js";
import { orderVideo, VideoRelay } from "../outbox/video-outbox.js";

/** Where a process dies. */
export type OutboxDeath = "before the commit" | "after the commit" | "after the submission";

/** What the program is started with. */
export interface OutboxArgument {
  apiKey: string;
  baseURL: string;
  database: string;
  directory: string;
  /** Ordered by it, if it dies before or after the commit. */
  key: string;
  death: OutboxDeath;
}

const { database, directory, key, death, ...connection } = JSON.parse(
  process.argv[2] ?? "",
) as OutboxArgument;
const die = () => process.kill(process.pid, "SIGKILL");
const db = drizzle({ client: new Pool({ connectionString: database }) });

/** Dies when a submission is written down, and before the relay can know it. */
class MortalStore extends JournalVideoTaskStore {
  override async begin(intent: VideoTaskIntent) {
    const isBegun = await super.begin(intent);
    die();
    return isBegun;
  }
}

if (death !== "after the submission") {
  await db.transaction(async (tx) => {
    const content = [{ type: "text" as const, text: key }];
    await orderVideo(tx, { key, tenant: "acme", body: { model: "some-video-model", content } });
    if (death === "before the commit") die();
  });
  die();
}

class AppModule {}
Module({
  imports: [
    ModelGatewayModule.forRoot({
      ...connection,
      videos: { maxOpen: 8, store: new MortalStore({ directory }) },
    }),
  ],
  providers: [VideoRelay, { provide: "DATABASE", useValue: db }],
})(AppModule);
await NestFactory.createApplicationContext(AppModule, { logger: ["error"] });
