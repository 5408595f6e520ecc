import { ConfigurationError, ModelGateway } from "@model-gateway/core";
import {
  type Abstract,
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  Module,
  type Provider,
  type Type,
} from "@nestjs/common";
import { DiscoveryModule, DiscoveryService, MetadataScanner, ModuleRef } from "@nestjs/core";
import { DEFAULT_CALLBACK_PATH } from "../callbacks/callback-urls.js";
import { createCallbackController } from "../callbacks/create-callback-controller.js";
import { ChatService } from "../chat/chat.service.js";
import { EmbeddingsService } from "../embeddings/embeddings.service.js";
import { SseRequestsModule } from "../events/sse-requests.module.js";
import { ImagesService } from "../images/images.service.js";
import { MetricsService } from "../metrics/metrics.service.js";
import { ModelsService } from "../models/models.service.js";
import { ModerationsService } from "../moderations/moderations.service.js";
import { SpeechService } from "../speech/speech.service.js";
import { KeyedStreams } from "../streams/keyed-streams.js";
import { discoverVideoHandlers } from "../videos/discover-video-handlers.js";
import { VideoTaskStore } from "../videos/video-task-store.js";
import { VideosService } from "../videos/videos.service.js";
import { createInstance, type Instance } from "./create-instance.js";
import type {
  ModelGatewayInstanceOptions,
  ModelGatewayModuleAsyncOptions,
  ModelGatewayModuleExtras,
  ModelGatewayModuleOptions,
  ModelGatewayOptionsFactory,
} from "./model-gateway-module-options.js";
import { DEFAULT_INSTANCE, getModelGatewayToken } from "./model-gateway-token.js";

/**
 * Provides a client of a model gateway and a service per capability.
 *
 * @example
 * \@Module({ imports: [ModelGatewayModule.forRoot()] }) // key and address from the environment
 * export class AppModule {}
 */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest wants its modules to be classes.
export class ModelGatewayModule {
  /**
   * One instance with fixed options. They are checked when the application starts.
   *
   * @throws ConfigurationError at start-up, naming the option
   */
  static forRoot({
    name,
    isGlobal,
    callbackMetadata,
    ...options
  }: ModelGatewayModuleOptions = {}): DynamicModule {
    const token = optionsToken(name);
    return defineInstance({
      ...{ name, isGlobal, callbackMetadata },
      callbackPath: options.callback?.path ?? DEFAULT_CALLBACK_PATH,
      takesCallbacks: options.callback !== undefined,
      imports: [],
      providers: [{ provide: token, useFactory: () => options }],
      options: token,
    });
  }

  /**
   * One instance with options that other providers make.
   *
   * @throws ConfigurationError at once when not exactly one way to make them is given, and at start-up when
   * they are wrong, naming the option
   */
  static forRootAsync(options: ModelGatewayModuleAsyncOptions): DynamicModule {
    const token = optionsToken(options.name);
    const { name, isGlobal, callbackMetadata, callbackPath = DEFAULT_CALLBACK_PATH, imports = [] } = options;
    return defineInstance({
      ...{ name, isGlobal, callbackMetadata, callbackPath, imports },
      // Whether it does is known when the factory has run; routes are made before.
      takesCallbacks: true,
      providers: optionsProviders(options, token),
      options: token,
    });
  }
}

/** Services that need the client and nothing else. */
const CLIENT_SERVICES = [EmbeddingsService, ModelsService, ModerationsService, SpeechService];
/** Services whose streams can have a key. */
const STREAMING_SERVICES = [ChatService, ImagesService];

function optionsToken(name = DEFAULT_INSTANCE): symbol {
  return Symbol(`ModelGatewayModuleOptions(${name})`);
}

function optionsProviders(options: ModelGatewayModuleAsyncOptions, token: symbol): Provider[] {
  const { name: _n, isGlobal: _g, callbackMetadata: _m, callbackPath: _p, imports: _i, ...ways } = options;
  const { useFactory, useClass, useExisting, inject = [], ...misplaced } = ways;
  const [stray] = Object.keys(misplaced);
  if (stray !== undefined) {
    throw new ConfigurationError(
      `Option ${stray} has no effect beside useFactory, useClass or useExisting: let them return it.`,
    );
  }
  const given = [useFactory, useClass, useExisting].filter((way) => way !== undefined);
  if (given.length !== 1) {
    throw new ConfigurationError(
      "ModelGatewayModule.forRootAsync needs exactly one of useFactory, useClass and useExisting, " +
        `and not ${given.length}.`,
    );
  }
  if (useFactory !== undefined) {
    // What the container resolves for `inject` is beyond the type system.
    return [{ provide: token, useFactory: useFactory as FactoryProvider["useFactory"], inject }];
  }
  const factory = (useClass ?? useExisting) as InjectionToken<ModelGatewayOptionsFactory>;
  return [
    {
      provide: token,
      useFactory: (maker: ModelGatewayOptionsFactory) => maker.createModelGatewayOptions(),
      inject: [factory],
    },
    ...(useClass === undefined ? [] : [{ provide: useClass, useClass }]),
  ];
}

interface InstanceDefinition extends ModelGatewayModuleExtras {
  callbackPath: string;
  /** Whether there is a controller for callbacks. */
  takesCallbacks: boolean;
  imports: NonNullable<DynamicModule["imports"]>;
  providers: Provider[];
  /** Token of the options among `providers`. */
  options: symbol;
}

function defineInstance({
  name = DEFAULT_INSTANCE,
  isGlobal = false,
  callbackMetadata = {},
  callbackPath,
  takesCallbacks,
  imports,
  providers,
  options,
}: InstanceDefinition): DynamicModule {
  checkName(name);
  const instance = Symbol(`ModelGatewayInstance(${name})`);
  const callbacks = Symbol(`ModelGatewayCallbacks(${name})`);
  const token = (provided: Type<unknown> | Abstract<unknown>) => getModelGatewayToken(name, provided);
  const client = token(ModelGateway);
  const store = token(VideoTaskStore);
  const keyedStreams = token(KeyedStreams);
  const videos = getModelGatewayToken(name, VideosService);
  // Factories name what they inject: no compiler has to emit metadata for it.
  const exported: FactoryProvider[] = [
    { provide: client, useFactory: ({ gateway }: Instance) => gateway, inject: [instance] },
    ...CLIENT_SERVICES.map((service) => ({
      provide: token(service),
      useFactory: (gateway: ModelGateway) => new service(gateway),
      inject: [client],
    })),
    ...STREAMING_SERVICES.map((service) => ({
      provide: token(service),
      useFactory: (gateway: ModelGateway, streams: KeyedStreams) => new service(gateway, streams),
      inject: [client, keyedStreams],
    })),
    {
      provide: token(MetricsService),
      useFactory: ({ events }: Instance) => new MetricsService(events),
      inject: [instance],
    },
    {
      provide: videos,
      useFactory: (
        tasks: VideoTaskStore,
        { videos: parts, delivering }: Instance,
        discovery: DiscoveryService,
        scanner: MetadataScanner,
        modules: ModuleRef,
      ) => {
        const search = { discovery, scanner, modules, instance: name, defaultInstance: DEFAULT_INSTANCE };
        return new VideosService(tasks, parts, {
          settings: delivering,
          findHandlers: () => discoverVideoHandlers(search),
        });
      },
      inject: [store, instance, DiscoveryService, MetadataScanner, ModuleRef],
    },
  ];
  return {
    module: ModelGatewayModule,
    global: isGlobal,
    imports: [DiscoveryModule, ...imports, SseRequestsModule],
    controllers: takesCallbacks
      ? [
          createCallbackController(
            { path: callbackPath, metadata: callbackMetadata },
            name,
            callbacks,
            videos,
          ),
        ]
      : [],
    providers: [
      ...providers,
      {
        provide: instance,
        useFactory: (given: ModelGatewayInstanceOptions) => createInstance(name, given, callbackPath),
        inject: [options],
      },
      { provide: store, useFactory: ({ store: tasks }: Instance) => tasks, inject: [instance] },
      {
        provide: keyedStreams,
        useFactory: ({ keyedStreams: streams }: Instance) => streams,
        inject: [instance],
      },
      { provide: callbacks, useFactory: ({ callbacks: urls }: Instance) => urls, inject: [instance] },
      ...exported,
    ],
    exports: exported.map(({ provide }) => provide),
  };
}

/** It stands in the path of callbacks and in the names of files. */
function checkName(name: string): void {
  if (/^[\w.-]+$/.test(name)) return;
  throw new ConfigurationError(
    `The instance name ${JSON.stringify(name)} must be made of letters, digits, ".", "_" and "-".`,
  );
}
