import { freePort } from "@model-gateway/test-servers";
import { Controller, Inject, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ClientProxyFactory, MessagePattern, Payload, Transport } from "@nestjs/microservices";
import { lastValueFrom, map, toArray } from "rxjs";
import { expect, it, onTestFinished } from "vitest";
import {
  ChatService,
  MemoryVideoTaskStore,
  ModelGatewayExceptionFilter,
  ModelGatewayModule,
  VideosService,
} from "../src/index.js";
import { FAST_POLLS, useEmulator, VIDEO } from "./use-emulator.js";

@Controller()
class Handlers {
  constructor(
    @Inject(ChatService) private readonly chat: ChatService,
    @Inject(VideosService) private readonly videos: VideosService,
  ) {}

  @MessagePattern("answer")
  answer(@Payload() model: string) {
    return this.chat.create({ model, messages: [{ role: "user", content: "Hello" }] });
  }

  @MessagePattern("submit")
  submit(@Payload() key: string) {
    return this.videos.submit(VIDEO, { key });
  }

  @MessagePattern("cancel")
  cancel(@Payload() key: string) {
    return this.videos.cancelWatch(key);
  }

  @MessagePattern("watch")
  watch(@Payload() key: string) {
    return this.videos.watch$(key).pipe(map(({ status }) => status));
  }
}

/** A store on a bad day. */
class FailingStore extends MemoryVideoTaskStore {
  fails = false;
  override async begin(...intent: Parameters<MemoryVideoTaskStore["begin"]>): Promise<boolean> {
    if (this.fails) throw new Error("connect ECONNREFUSED 10.1.2.3:6379");
    return super.begin(...intent);
  }
  override async get(key: string) {
    if (this.fails) throw new Error("connect ECONNREFUSED 10.1.2.3:6379");
    return super.get(key);
  }
}

async function bootService() {
  const { emulator, connection } = await useEmulator();
  const store = new FailingStore();
  @Module({
    imports: [ModelGatewayModule.forRoot({ ...connection, videos: { ...FAST_POLLS, store } })],
    controllers: [Handlers],
  })
  class AppModule {}
  const tcp = { transport: Transport.TCP, options: { host: "127.0.0.1", port: await freePort() } } as const;
  const service = await NestFactory.createMicroservice(AppModule, {
    ...tcp,
    logger: false,
    abortOnError: false,
  });
  onTestFinished(() => service.close());
  service.useGlobalFilters(new ModelGatewayExceptionFilter());
  await service.listen();
  const client = ClientProxyFactory.create(tcp);
  onTestFinished(() => client.close());
  const ask = (pattern: string, payload: string) => lastValueFrom(client.send(pattern, payload));
  return { emulator, store, service, client, ask };
}

it("works in a microservice: streams a watch, and answers failures with a plain object", async () => {
  const { emulator, service, client } = await bootService();
  await expect(lastValueFrom(client.send("answer", "no-such-model"))).rejects.toMatchObject({
    status: "error",
    statusCode: 404,
    message: "The model or the task does not exist.",
  });

  const videos = service.get(VideosService);
  const { key } = await videos.submit(VIDEO);
  await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
  const statuses = await lastValueFrom(client.send<string>("watch", key).pipe(toArray()));
  expect(statuses.at(-1)).toBe("succeeded");
});

it("says in a microservice what stands against a request, as it does over HTTP", async () => {
  const { emulator, store, ask } = await bootService();
  expect(await ask("submit", "order-1")).toEqual({ key: "order-1" });
  await expect(ask("submit", "order-1")).rejects.toEqual({
    status: "error",
    statusCode: 409,
    error: "Conflict",
    message: expect.stringContaining("There is a video with key order-1 already"),
  });
  for (const pattern of ["watch", "cancel"]) {
    await expect(ask(pattern, "order-2")).rejects.toEqual({
      status: "error",
      statusCode: 404,
      error: "Not Found",
      message: "There is no video with key order-2.",
    });
  }
  store.fails = true;
  for (const pattern of ["submit", "watch"]) {
    await expect(ask(pattern, "order-3")).rejects.toEqual({
      status: "error",
      statusCode: 503,
      error: "Service Unavailable",
      message: expect.stringMatching(/Nothing was paid/),
    });
  }
  expect(emulator.videos.list()).toHaveLength(1);
});
