import { type DynamicModule, Module } from "@nestjs/common";
import { ModelGatewayModule } from "../module/model-gateway.module.js";
import type { ModelGatewayModuleOptions } from "../module/model-gateway-module-options.js";
import { getModelGatewayToken } from "../module/model-gateway-token.js";
import { MemoryVideoTaskStore } from "../videos/memory-video-task-store.js";
import { VideosService } from "../videos/videos.service.js";
import { ModelGatewayTesting, type TestClock } from "./model-gateway-testing.js";

/** What the module needs of a gateway in this process; the emulator is one. */
export interface TestGateway {
  /** Base address that ends in `/v1`; need not be listened on. */
  url: string;
  fetch: typeof globalThis.fetch;
  clock: TestClock;
}

/** Options of `ModelGatewayTestingModule.forRoot()`: all of the module's own, and exactly one of these two. */
export type ModelGatewayTestingOptions = ModelGatewayModuleOptions &
  (
    | {
        /** `createEmulator()` of `@model-gateway/emulator`: needs no port. */
        emulator: TestGateway;
        fetch?: never;
      }
    | {
        emulator?: never;
        /** Answers every request itself. */
        fetch: typeof globalThis.fetch;
      }
  );

/** The emulator's key that may do everything. */
const EMULATOR_KEY = "sk-emulator";
/** Where nothing is: a stub answers whatever the address. */
const NOWHERE = "http://gateway.invalid/v1";
/** Real time plays no part: `advance` looks. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * The module for tests: no network, no account, video tasks in memory, and time that moves when
 * `ModelGatewayTesting` is told to. Provides all that `ModelGatewayModule` provides.
 *
 * @example
 * const emulator = createEmulator({ seed: 1 });
 * const testing = await Test.createTestingModule({
 *   imports: [ModelGatewayTestingModule.forRoot({ emulator, isGlobal: true })],
 *   providers: [MyService],
 * }).compile();
 */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest wants its modules to be classes.
export class ModelGatewayTestingModule {
  static forRoot({ emulator, fetch, ...options }: ModelGatewayTestingOptions): DynamicModule {
    const { name, isGlobal = false } = options;
    const token = getModelGatewayToken(name, ModelGatewayTesting);
    const gateway = ModelGatewayModule.forRoot({
      apiKey: EMULATOR_KEY,
      baseURL: emulator?.url ?? NOWHERE,
      ...options,
      fetch: emulator?.fetch ?? fetch,
      videos: { store: new MemoryVideoTaskStore(), intervalMs: NEVER_MS, ...options.videos },
    });
    return {
      module: ModelGatewayTestingModule,
      global: isGlobal,
      imports: [gateway],
      providers: [
        {
          provide: token,
          useFactory: (videos: VideosService) => new ModelGatewayTesting(videos, emulator?.clock),
          inject: [getModelGatewayToken(name, VideosService)],
        },
      ],
      exports: [gateway, token],
    };
  }
}
