import { NestFactory } from "@nestjs/core";
import { lastValueFrom } from "rxjs";
import {
  FolderFileStore,
  JournalVideoTaskStore,
  ModelGatewayModule,
  VideoKeyTakenError,
  VideosService,
} from "../../src/index.js";
import { S3FileStore, type S3FileStoreOptions } from "../../src/s3.js";

/** What the program is started with. */
export interface KeepingArgument {
  apiKey: string;
  baseURL: string;
  directory: string;
  key: string;
  /** Where files are kept, if not in a folder. */
  bucket?: S3FileStoreOptions;
}

const { directory, key, bucket, ...connection } = JSON.parse(process.argv[2] ?? "") as KeepingArgument;
const app = await NestFactory.create(
  ModelGatewayModule.forRoot({
    ...connection,
    videos: {
      store: new JournalVideoTaskStore({ directory }),
      intervalMs: 5,
      ratePerSecond: 1_000,
      keep: {
        store:
          bucket === undefined
            ? new FolderFileStore({ directory: `${directory}/files` })
            : new S3FileStore({ ...bucket, spoolDirectory: `${directory}/files` }),
      },
    },
  }),
  { logger: ["error"] },
);
await app.init();
const videos = app.get(VideosService);
const content = [{ type: "text" as const, text: "A paper boat" }];
await videos.submit({ model: "local-video-2.0", content, duration: 4 }, { key }).catch((error: unknown) => {
  if (!(error instanceof VideoKeyTakenError)) throw error;
});
const { status, files, problem } = await lastValueFrom(videos.watch$(key));
process.send?.({ status, files, problem });
await app.close();
process.disconnect?.();
