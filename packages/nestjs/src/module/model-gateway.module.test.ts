import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError, ModelGateway } from "@model-gateway/core";
import { Inject, Injectable, Module } from "@nestjs/common";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  ChatService,
  EmbeddingsService,
  getModelGatewayToken,
  InjectModelGateway,
  JournalVideoTaskStore,
  MemoryVideoTaskStore,
  type ModelGatewayInstanceOptions,
  ModelGatewayModule,
  type ModelGatewayOptionsFactory,
  ModelsService,
  VideosService,
  VideoTaskStore,
} from "../index.js";

const CONNECTION = { apiKey: "sk-test", baseURL: "http://127.0.0.1:9/v1" };

@Injectable()
class Consumer {
  constructor(
    @InjectModelGateway() readonly gateway: ModelGateway,
    @Inject(ChatService) readonly chat: ChatService,
    @Inject(EmbeddingsService) readonly embeddings: EmbeddingsService,
    @Inject(ModelsService) readonly models: ModelsService,
    @Inject(VideosService) readonly videos: VideosService,
  ) {}
}

@Module({ providers: [Consumer], exports: [Consumer] })
class FeatureModule {}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("forRoot", () => {
  it("takes key and address from the environment when it is given nothing", async () => {
    const { connection } = await useEmulator();
    vi.stubEnv("MODEL_GATEWAY_API_KEY", connection.apiKey);
    vi.stubEnv("MODEL_GATEWAY_BASE_URL", connection.baseURL);
    const { app } = await bootApp([ModelGatewayModule.forRoot()]);
    expect(app.get(ModelGateway).baseURL).toBe(connection.baseURL);
    const ids = (await app.get(ModelsService).list()).map(({ id }) => id);
    expect(ids).toContain("local-chat");
  });

  it("gives every service to a module that does not import it, when it is global", async () => {
    const { connection } = await useEmulator();
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({ ...connection, isGlobal: true }),
      FeatureModule,
    ]);
    const { gateway, chat, embeddings, models, videos } = app.get(Consumer);
    expect([gateway, chat, embeddings, models, videos]).toEqual(
      [ModelGateway, ChatService, EmbeddingsService, ModelsService, VideosService].map((type) =>
        app.get(type),
      ),
    );
    const { data } = await embeddings.create({ model: "local-embedding", input: ["one", "two"] });
    expect(data).toHaveLength(2);
  });

  it("keeps to the modules that import it otherwise", async () => {
    await expect(bootApp([ModelGatewayModule.forRoot(CONNECTION), FeatureModule])).rejects.toThrow(
      /Nest can't resolve dependencies of the Consumer/,
    );
  });

  it("runs several instances side by side, each with its own key", async () => {
    const { emulator, connection } = await useEmulator({ keys: [{ key: "sk-eu", group: "default" }] });
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS }),
      ModelGatewayModule.forRoot({ ...connection, apiKey: "sk-eu", name: "eu", videos: FAST_POLLS }),
    ]);
    const chat = app.get(ChatService);
    const euChat: ChatService = app.get(getModelGatewayToken("eu", ChatService));
    const euVideos: VideosService = app.get(getModelGatewayToken("eu", VideosService));
    expect(app.get(getModelGatewayToken("eu"))).toBeInstanceOf(ModelGateway);
    expect(app.get(getModelGatewayToken("eu"))).not.toBe(app.get(ModelGateway));

    const body = { model: "local-chat", messages: [{ role: "user" as const, content: "Hello" }] };
    await euChat.create(body);
    expect(emulator.journal.list({ key: "sk-eu" })).toHaveLength(1);
    await chat.create(body);
    expect(emulator.journal.list({ key: "sk-eu" })).toHaveLength(1);
    const { key } = await euVideos.submit(VIDEO);
    expect(await app.get(VideosService).get(key)).toBeUndefined();
  });
});

describe("forRootAsync", () => {
  @Injectable()
  class Settings {
    readonly connection: ModelGatewayInstanceOptions = CONNECTION;
  }
  @Module({ providers: [Settings], exports: [Settings] })
  class SettingsModule {}

  @Injectable()
  class OptionsFactory implements ModelGatewayOptionsFactory {
    async createModelGatewayOptions() {
      return CONNECTION;
    }
  }
  @Module({ providers: [OptionsFactory], exports: [OptionsFactory] })
  class OptionsModule {}

  it("makes the options with a factory and what it injects", async () => {
    const { app } = await bootApp([
      ModelGatewayModule.forRootAsync({
        imports: [SettingsModule],
        inject: [Settings],
        useFactory: async (settings: Settings) => settings.connection,
      }),
    ]);
    expect(app.get(ModelGateway).baseURL).toBe(CONNECTION.baseURL);
  });

  it("makes the options with a class of its own", async () => {
    const { app } = await bootApp([ModelGatewayModule.forRootAsync({ useClass: OptionsFactory })]);
    expect(app.get(ModelGateway).baseURL).toBe(CONNECTION.baseURL);
  });

  it("makes the options with a class that is there already", async () => {
    const { app } = await bootApp([
      ModelGatewayModule.forRootAsync({ imports: [OptionsModule], useExisting: OptionsFactory }),
    ]);
    expect(app.get(ModelGateway).baseURL).toBe(CONNECTION.baseURL);
  });

  it("takes name and isGlobal beside the factory", async () => {
    const { app } = await bootApp([
      ModelGatewayModule.forRootAsync({ name: "eu", isGlobal: true, useFactory: () => CONNECTION }),
    ]);
    expect(app.get(getModelGatewayToken("eu", VideosService))).toBeInstanceOf(VideosService);
  });

  it.each(["name", "isGlobal"])("fails the boot when the factory returns %s", async (option) => {
    const useFactory = () => ({ ...CONNECTION, [option]: "eu" });
    await expect(bootApp([ModelGatewayModule.forRootAsync({ useFactory })])).rejects.toThrow(
      new RegExp(`Option ${option} was returned by the options factory.*beside useFactory`),
    );
  });

  it("refuses an option that the factory should return", () => {
    const options = { useFactory: () => CONNECTION, maxRetries: 0 };
    expect(() => ModelGatewayModule.forRootAsync(options)).toThrow(/Option maxRetries has no effect/);
  });

  it("wants exactly one way to make the options", () => {
    expect(() => ModelGatewayModule.forRootAsync({})).toThrow(/exactly one of useFactory/);
    expect(() =>
      ModelGatewayModule.forRootAsync({ useClass: OptionsFactory, useFactory: () => CONNECTION }),
    ).toThrow(ConfigurationError);
  });
});

describe("options", () => {
  const boot = (options: object) => bootApp([ModelGatewayModule.forRoot(options)]);

  it.each([
    [{ baseUrl: "http://127.0.0.1:9/v1" }, "Option baseUrl is unknown"],
    [{ videos: { interval: 5 } }, "Option videos.interval is unknown"],
    [{ videos: { intervalMs: 0 } }, "Option videos.intervalMs must be"],
    [{ videos: { intervalMs: "5" } }, "Option videos.intervalMs must be"],
    [{ videos: { ratePerSecond: -1 } }, "Option videos.ratePerSecond must be"],
    [{ videos: { maxWatchMs: "1h" } }, "Option videos.maxWatchMs must be"],
    [{ maxPollsPerSecond: 5 }, "Option maxPollsPerSecond is unknown"],
    [{ maxRetries: -1 }, "Option maxRetries must be"],
    [{ apiKey: "" }, "MODEL_GATEWAY_API_KEY"],
    [{ baseURL: undefined }, "MODEL_GATEWAY_BASE_URL"],
  ])("fail the boot by name: %j", async (options, message) => {
    await expect(boot({ ...CONNECTION, ...options })).rejects.toThrow(message);
  });

  it("name the instance too, when it has a name", async () => {
    await expect(boot({ ...CONNECTION, name: "eu", maxRetries: -1 })).rejects.toThrow(
      /Model gateway instance "eu": Option maxRetries/,
    );
  });

  it("keep tasks in a journal by default, in production too", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const { app } = await bootApp([
      ModelGatewayModule.forRoot(CONNECTION),
      ModelGatewayModule.forRoot({ ...CONNECTION, name: "eu" }),
    ]);
    const stores = [app.get(VideoTaskStore), app.get(getModelGatewayToken("eu", VideoTaskStore))];
    for (const store of stores) expect(store).toBeInstanceOf(JournalVideoTaskStore);
    expect(stores[0]).not.toBe(stores[1]);
  });

  it("keep the tasks of each instance in a journal of its own", async () => {
    const folder = await mkdtemp(join(tmpdir(), "instances-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const workingFolder = vi.spyOn(process, "cwd").mockReturnValue(folder);
    onTestFinished(() => workingFolder.mockRestore());
    const { connection } = await useEmulator();
    const { app } = await bootApp([
      ModelGatewayModule.forRoot(connection),
      ModelGatewayModule.forRoot({ ...connection, name: "eu" }),
    ]);
    for (const token of [VideosService, getModelGatewayToken("eu", VideosService)]) {
      const videos: VideosService = app.get(token);
      expect(await videos.submit(VIDEO, { key: "order-1" })).toEqual({ key: "order-1" });
    }
    await app.close();
    const journals = (await readdir(join(folder, ".model-gateway"))).filter((name) =>
      name.endsWith(".journal"),
    );
    expect(journals.sort()).toEqual(["video-tasks.eu.journal", "video-tasks.journal"]);
  });

  it("refuse to keep tasks in memory in production, unless that is allowed", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const store = new MemoryVideoTaskStore();
    await expect(boot({ ...CONNECTION, videos: { store } })).rejects.toThrow(ConfigurationError);
    await expect(boot({ ...CONNECTION, videos: { store } })).rejects.toThrow(/videos.allowMemoryStore/);
    const { app } = await boot({ ...CONNECTION, videos: { store, allowMemoryStore: true } });
    expect(app.get(VideosService)).toBeInstanceOf(VideosService);
  });

  it("take a store, and open and close it", async () => {
    const calls: string[] = [];
    class WatchedStore extends MemoryVideoTaskStore {
      override async open(poll: Parameters<VideoTaskStore["open"]>[0]) {
        calls.push("open");
        await super.open(poll);
      }
      override async stop() {
        calls.push("stop");
        await super.stop();
      }
      override async close() {
        calls.push("close");
        await super.close();
      }
    }
    const store = new WatchedStore();
    const { app } = await boot({ ...CONNECTION, videos: { store } });
    expect(app.get(VideoTaskStore)).toBe(store);
    await app.get(VideosService).list();
    await app.close();
    expect(calls).toEqual(["open", "stop", "close"]);
  });
});
