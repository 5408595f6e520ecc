import { Controller, Inject, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ClientProxyFactory, MessagePattern, Payload, Transport } from "@nestjs/microservices";
import { lastValueFrom, map, toArray } from "rxjs";
import { expect, it, onTestFinished } from "vitest";
import { ChatService, ModelGatewayExceptionFilter, ModelGatewayModule, VideosService } from "../src/index.js";
import { freePort } from "./free-port.js";
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

  @MessagePattern("watch")
  watch(@Payload() key: string) {
    return this.videos.watch$(key).pipe(map(({ status }) => status));
  }
}

it("works in a microservice: streams a watch, and answers failures with a plain object", async () => {
  const { emulator, connection } = await useEmulator();
  @Module({
    imports: [ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS })],
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
