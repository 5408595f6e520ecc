import type { ModelGatewayOptions, PollBackoff } from "@model-gateway/core";
import type { StreamSettings, StreamStore } from "@model-gateway/core/resumable";
import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from "@nestjs/common";
import type { CallbackOptions } from "../callbacks/callback-urls.js";
import type { FileStore } from "../files/file-store.js";
import type { APIKeyFor } from "../videos/tenant-gateways.js";
import type { VideoTaskRetention } from "../videos/video-task-retention.js";
import type { VideoTaskStore } from "../videos/video-task-store.js";

/** How the files of videos are kept. */
export interface KeepVideosOptions {
  /** Where. A `FolderFileStore`, an `S3FileStore` of `@model-gateway/nestjs/s3`, or one of your own. */
  store: FileStore;
  /** Videos whose files one process downloads at once. Default 4. */
  concurrency?: number;
  /**
   * How long an address may be refused (401, 403, 404 and the like) before its file counts as gone, in milliseconds, where
   * the address does not tell when it expires. Default 600000.
   */
  goneAfterMs?: number;
  /** Largest file that is kept, in bytes. Default 2 GiB. */
  maxBytes?: number;
}

/** How handlers of `@OnVideo` are called. Durations are milliseconds. */
export interface VideoHandlersOptions {
  /** Submissions whose handlers one process calls at once, at most. Default 10. */
  concurrency?: number;
  /** Calls of a handler for one submission before it is `dead`. Default 10. */
  attempts?: number;
  /** Wait after the first failure; doubles with each. Default 1000. */
  firstMs?: number;
  /** Longest wait between two attempts. Default 600000. */
  maxMs?: number;
  /** How long closing the application waits for handlers under way. Default 10000. */
  closeMs?: number;
}

/** How video tasks are kept and polled. Durations are milliseconds. */
export interface VideosOptions {
  /**
   * Where tasks are kept. Opened and closed by the module. Default: a `JournalVideoTaskStore` in `.model-gateway`,
   * with the name of the instance.
   */
  store?: VideoTaskStore;
  /**
   * Downloads the files of each video that succeeds, before its addresses die: the videos, their variants with a watermark, and
   * the last frame. Its record says `succeeded` when they are durable, and what they are in `files`. Default: nothing is
   * downloaded.
   */
  keep?: KeepVideosOptions;
  /** What the default store forgets of finished tasks; a store that is given has its own. */
  retention?: VideoTaskRetention;
  /** First distance between two polls of a task; grows with its age to six times that. Default 5000. */
  intervalMs?: number;
  /** Polls per second, over all tasks of this instance. Default 20; slows down on 429. */
  ratePerSecond?: number;
  /**
   * How far polls of a task that cannot be read are apart. `firstMs` after the first of those that pass by themselves
   * (5xx, no answer, an answer that is no task), default 1000, doubling to `maxMs`, default three times `intervalMs`; after
   * those that are refused (400, 401, 403, 404, a redirect) `intervalMs`, doubling to `refusedMs`, default six times that.
   */
  backoff?: PollBackoff;
  /**
   * How long a task is polled, from when it was submitted or reconciled, and with the journal also from when the process
   * began. One that is not over by then is polled no more, told by `troubles()`, and stays until it is reconciled.
   * Default: until the gateway says it is over.
   */
  maxWatchMs?: number;
  /**
   * Paid tasks that are open at once, at most: from submission to end, over everything that shares the store, submissions of
   * unknown outcome included. The others wait, durably, with nothing paid. Default: any number, and nothing waits.
   */
  maxOpen?: number;
  /** The same for each tenant; submissions without one are one more. Default: any number. */
  perTenant?: number;
  /**
   * The API key of a tenant, for what is submitted with `tenant`, and all that is read of it. Asked for each request, in whatever
   * process; never kept or logged. Submissions without a tenant use `apiKey`. Default: all do.
   */
  apiKeyFor?: APIKeyFor;
  /** How handlers of `@OnVideo` are called. */
  handlers?: VideoHandlersOptions;
  /**
   * Allow a store that forgets everything when the process ends although `NODE_ENV` is `production`. A task
   * that was paid for and forgotten is lost. Default false.
   */
  allowMemoryStore?: boolean;
}

/** How streams with a key are kept, those of `stream$(body, { key })`. Durations are milliseconds. */
export interface StreamsOptions extends Partial<StreamSettings> {
  /**
   * Where their events are kept. Opened at the first use and closed by the module. Default: a `MemoryStreamStore`, for one
   * process; with replicas, a `RedisStreamStore` of `@model-gateway/nestjs/redis`.
   */
  store?: StreamStore;
}

/** What an instance is made of: the options of core's client, and those for video tasks and for streams with a key. */
export interface ModelGatewayInstanceOptions extends Omit<ModelGatewayOptions, "maxPollsPerSecond"> {
  videos?: VideosOptions;
  streams?: StreamsOptions;
  /**
   * Lets the gateway tell when a video changes: each submission without a `callback_url` of its own gets a signed
   * one, a controller receives it, and polling goes on six times slower. Default: polling alone.
   */
  callback?: CallbackOptions;
}

/** Options that decide the shape of the module and so cannot come from a factory. */
export interface ModelGatewayModuleExtras {
  /** Sets this instance apart from others: see `getModelGatewayToken`. Default: the default instance. */
  name?: string;
  /** Whether other modules can inject without importing this one. Default false. */
  isGlobal?: boolean;
  /** Set on the controller for callbacks, such as `{ isPublic: true }` for a global guard. */
  callbackMetadata?: Record<string, unknown>;
}

/** Options of `ModelGatewayModule.forRoot()`. What is left out comes from the environment. */
export interface ModelGatewayModuleOptions extends ModelGatewayInstanceOptions, ModelGatewayModuleExtras {}

/** A class that makes the options, for `useClass` and `useExisting`. */
export interface ModelGatewayOptionsFactory {
  createModelGatewayOptions(): ModelGatewayInstanceOptions | Promise<ModelGatewayInstanceOptions>;
}

/** Options of `ModelGatewayModule.forRootAsync()`: exactly one of `useFactory`, `useClass`, `useExisting`. */
export interface ModelGatewayModuleAsyncOptions
  extends ModelGatewayModuleExtras,
    Pick<ModuleMetadata, "imports"> {
  /** Path of the controller for callbacks. Default `model-gateway/callbacks`. */
  callbackPath?: string;
  /** Must not return `name` or `isGlobal`: they stand beside it. */
  useFactory?: (
    ...dependencies: never[]
  ) => ModelGatewayInstanceOptions | Promise<ModelGatewayInstanceOptions>;
  /** What `useFactory` is called with. */
  inject?: Array<InjectionToken | OptionalFactoryDependency>;
  useClass?: Type<ModelGatewayOptionsFactory>;
  useExisting?: InjectionToken<ModelGatewayOptionsFactory>;
}
