import { randomUUID } from "node:crypto";
import { Controller, Inject, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ClientProxyFactory, MessagePattern, Payload, Transport } from "@nestjs/microservices";
import { lastValueFrom, map, tap, toArray } from "rxjs";
import { expect, it, onTestFinished } from "vitest";
import { ModelGatewayModule, VideosService } from "../src/index.js";
import { FAST_POLLS, useEmulator, VIDEO } from "./use-emulator.js";
import { hasRedis, useRedis } from "./use-redis.js";

/** Of the channels, on a server that may be shared. */
const WATCH = `watch-${randomUUID()}`;

@Controller()
class Handlers {
  constructor(@Inject(VideosService) private readonly videos: VideosService) {}

  @MessagePattern(WATCH)
  watch(@Payload() key: string) {
    return this.videos.watch$(key).pipe(map(({ status }) => status));
  }
}

it.skipIf(!hasRedis)("streams a watch over the Redis transport, and ends it by itself", async () => {
  const server = await useRedis();
  onTestFinished(() => server.stop());
  const { emulator, connection } = await useEmulator();
  @Module({
    imports: [ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS })],
    controllers: [Handlers],
  })
  class AppModule {}
  const { hostname, port } = new URL(server.url);
  const redis = {
    transport: Transport.REDIS,
    options: { host: hostname, port: Number(port || 6379) },
  } as const;
  const service = await NestFactory.createMicroservice(AppModule, {
    ...redis,
    logger: false,
    abortOnError: false,
  });
  onTestFinished(() => service.close());
  await service.listen();
  const client = ClientProxyFactory.create(redis);
  onTestFinished(() => client.close());

  const videos = service.get(VideosService);
  const { key } = await videos.submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
  const statuses: string[] = [];
  const ended = lastValueFrom(client.send<string>(WATCH, key).pipe(toArray()));
  const alsoEnded = lastValueFrom(
    client.send<string>(WATCH, key).pipe(tap((status) => statuses.push(status))),
  );
  await expect.poll(() => statuses.length).toBeGreaterThan(0);
  await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
  const all = await ended;
  expect(all.length).toBeGreaterThan(1);
  expect(all.at(-1)).toBe("succeeded");
  // Closing the client before would be an error of whoever still listens.
  expect(await alsoEnded).toBe("succeeded");
});
