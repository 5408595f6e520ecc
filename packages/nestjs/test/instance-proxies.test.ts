import type { ModelGateway } from "@model-gateway/core";
import { Inject, Injectable } from "@nestjs/common";
import { TerminusModule } from "@nestjs/terminus";
import { filter, firstValueFrom, lastValueFrom, toArray } from "rxjs";
import { expect, it } from "vitest";
import {
  ChatService,
  EmbeddingsService,
  ImagesService,
  InjectModelGateway,
  MetricsService,
  ModelGatewayModule,
  ModelsService,
  ModerationsService,
  OnVideo,
  SpeechService,
  VideosService,
  type VideoTaskRecord,
} from "../src/index.js";
import { ModelGatewayHealthIndicator } from "../src/terminus.js";
import { bootApp } from "./boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "./use-emulator.js";

const shipped: string[] = [];

@Injectable()
class Consumer {
  constructor(
    @InjectModelGateway() readonly gateway: ModelGateway,
    @Inject(ChatService) readonly chat: ChatService,
    @Inject(EmbeddingsService) readonly embeddings: EmbeddingsService,
    @Inject(ModelGatewayHealthIndicator) readonly health: ModelGatewayHealthIndicator,
    @Inject(ImagesService) readonly images: ImagesService,
    @Inject(MetricsService) readonly metrics: MetricsService,
    @Inject(ModelsService) readonly models: ModelsService,
    @Inject(ModerationsService) readonly moderations: ModerationsService,
    @Inject(SpeechService) readonly speech: SpeechService,
    @Inject(VideosService) readonly videos: VideosService,
  ) {}

  @OnVideo("succeeded")
  ship({ key }: VideoTaskRecord) {
    shipped.push(key);
  }
}

/** Boots with every provider behind a Proxy, as observability tools wrap them. */
async function bootProxied() {
  const proxies = new WeakSet<object>();
  const { emulator, connection } = await useEmulator();
  const { app } = await bootApp(
    [TerminusModule, ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS })],
    {
      providers: [Consumer, ModelGatewayHealthIndicator],
      instrument: {
        instanceDecorator: (instance) => {
          const proxy = new Proxy(instance as object, {});
          proxies.add(proxy);
          return proxy;
        },
      },
    },
  );
  const consumer = app.get(Consumer);
  for (const injected of Object.values(consumer)) expect(proxies.has(injected)).toBe(true);
  return { ...consumer, app, emulator, connection };
}

const BODY = { model: "local-chat", messages: [{ role: "user" as const, content: "Hello" }] };
const PICTURE = { model: "local-image-b64", prompt: "A lighthouse", size: "1024x1024", partial_images: 1 };

it("chat, embeddings, models, moderation, health and the client work behind a Proxy", async () => {
  const { chat, connection, embeddings, gateway, health, models, moderations } = await bootProxied();
  expect((await chat.create(BODY)).choices).toHaveLength(1);
  expect((await lastValueFrom(chat.stream$(BODY))).object).toBe("chat.completion.chunk");
  expect((await embeddings.create({ model: "local-embedding", input: "one" })).data).toHaveLength(1);
  expect(await models.list()).not.toHaveLength(0);
  const judged = { model: "local-moderation", chatModel: "local-chat" };
  expect(await moderations.classify("Good morning!", judged)).toMatchObject({ action: "allow" });
  await expect(moderations.create({ model: judged.model, input: "Hi" })).rejects.toMatchObject({
    kind: "permission_denied",
  });
  expect(await health.isHealthy("gateway")).toEqual({ gateway: { status: "up" } });
  expect(gateway.toJSON()).toEqual({ baseURL: connection.baseURL });
  const listed = await gateway.request<{ data: unknown[] }>({ method: "GET", path: "/models" });
  expect(listed.data).not.toHaveLength(0);
});

it("images and speech work behind a Proxy", async () => {
  const { gateway, images, speech } = await bootProxied();
  const events = await lastValueFrom(images.stream$(PICTURE).pipe(toArray()));
  expect(events.map(({ type }) => type)).toEqual(["partial", "completed"]);
  const { images: made } = await images.generate({ model: "local-image", prompt: "A lighthouse" });
  const original = await made[0]?.bytes();
  if (original === undefined) throw new Error("There is no image to edit.");
  const edit = { ...PICTURE, images: [original] };
  expect((await images.edit({ ...edit, partial_images: undefined })).images).toHaveLength(1);
  expect((await lastValueFrom(images.editStream$(edit))).type).toBe("completed");
  const throughChat = { model: "local-chat-image", prompt: "A lighthouse" };
  expect((await images.generateThroughChat(throughChat)).images).toHaveLength(1);
  const download = await gateway.download(made[0]?.url ?? "");
  expect(await download.bytes()).toEqual(original);
  const { contentType } = await speech.create({ model: "local-speech", input: "Hello", voice: "alloy" });
  expect(contentType).toContain("audio/");
});

it("videos, their watches and metrics work behind a Proxy, and everything closes", async () => {
  const { app, emulator, metrics, videos } = await bootProxied();
  const polled = firstValueFrom(metrics.events$.pipe(filter(({ type }) => type === "request")));
  const { key } = await videos.submit(VIDEO);
  const watched = lastValueFrom(videos.watch$(key));
  await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
  expect((await watched).status).toBe("succeeded");
  expect((await videos.list()).map((record) => record.key)).toEqual([key]);
  expect(await polled).toMatchObject({ type: "request" });
  await expect.poll(() => videos.list({ delivery: "delivered" })).toHaveLength(1);
  expect(shipped).toEqual([key]);
  const ended = Promise.all([
    lastValueFrom(videos.orphans$.pipe(toArray())),
    lastValueFrom(metrics.events$, { defaultValue: undefined }),
  ]);
  await app.close();
  expect(await ended).toEqual([[], undefined]);
});
