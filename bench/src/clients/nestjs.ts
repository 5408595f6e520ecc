import "reflect-metadata";
import {
  ChatService,
  JournalVideoTaskStore,
  MemoryVideoTaskStore,
  ModelGatewayModule,
  VideosService,
} from "@model-gateway/nestjs";
import { NestFactory } from "@nestjs/core";
import { filter, firstValueFrom, Subject, scan } from "rxjs";
import type { ClientFactory } from "../bench-client.js";

const submission = {
  family: "content" as const,
  body: { model: "m", content: [{ type: "text" as const, text: "A boat" }] },
};

export const nestjs: ClientFactory = async (baseURL) => {
  const polled = new Subject<void>();
  const boot = (store: MemoryVideoTaskStore) =>
    NestFactory.createApplicationContext(
      ModelGatewayModule.forRoot({
        apiKey: "sk-bench",
        baseURL,
        hooks: { onResponse: () => polled.next() },
        videos: { store, intervalMs: 1_000, ratePerSecond: 1_000 },
      }),
      { logger: ["error"] },
    );
  const chat = (await boot(new MemoryVideoTaskStore())).get(ChatService);
  return {
    chat: (prompt) => chat.create({ model: "m", messages: [{ role: "user", content: prompt }] }),
    async watch(tasks) {
      const store = new MemoryVideoTaskStore();
      const videos = (await boot(store)).get(VideosService);
      for (let index = 0; index < tasks; index++) {
        const key = `order-${index}`;
        const handle = { v: 1 as const, family: "content" as const, id: `task-${index}` };
        await store.begin({ key, submission });
        await store.accept(key, {
          handle,
          id: handle.id,
          family: "content",
          status: "running",
          videos: [],
          raw: {},
        });
        videos.watch$(key).subscribe();
      }
      return {
        async polls(count) {
          await firstValueFrom(
            polled.pipe(
              scan((sum) => sum + 1, 0),
              filter((sum) => sum >= count),
            ),
          );
        },
      };
    },
    journal(directory) {
      const store = new JournalVideoTaskStore({ directory });
      return {
        async open() {
          await store.open({
            ratePerSecond: 1,
            toEnd: async () => {},
            once: async () => ({ failedPolls: 0 }),
          });
          return (await store.list()).length;
        },
        append: (key) => store.begin({ key, submission }),
      };
    },
  };
};
