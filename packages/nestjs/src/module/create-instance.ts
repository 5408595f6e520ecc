import { type CallBudget, ConfigurationError, ModelGateway, type PollBackoff } from "@model-gateway/core";
import { DEFAULT_STREAM_SETTINGS, MemoryStreamStore } from "@model-gateway/core/resumable";
import { Subject } from "rxjs";
import { type CallbackOptions, CallbackURLs } from "../callbacks/callback-urls.js";
import { CostTellingBudget } from "../metrics/cost-telling-budget.js";
import type { MetricsEvent } from "../metrics/metrics-event.js";
import { publishingHooks } from "../metrics/publishing-hooks.js";
import { KeyedStreams } from "../streams/keyed-streams.js";
import { JournalVideoTaskStore } from "../videos/journal/journal-video-task-store.js";
import { ResultKeeper } from "../videos/result-keeper.js";
import { type APIKeyFor, TenantGateways } from "../videos/tenant-gateways.js";
import type { DeliverySettings } from "../videos/video-deliverer.js";
import type { QueueSettings } from "../videos/video-dispatcher.js";
import type { VideoTaskStore } from "../videos/video-task-store.js";
import type { VideosParts } from "../videos/videos.service.js";
import type {
  KeepVideosOptions,
  ModelGatewayInstanceOptions,
  ModelGatewayModuleExtras,
  StreamsOptions,
  VideoHandlersOptions,
  VideosOptions,
} from "./model-gateway-module-options.js";
import { DEFAULT_INSTANCE } from "./model-gateway-token.js";

/** What the providers of an instance are made from. */
export interface Instance {
  gateway: ModelGateway;
  /** What the client's hooks are told. */
  events: Subject<MetricsEvent>;
  store: VideoTaskStore;
  keyedStreams: KeyedStreams;
  /** What videos are made of, beside their store and handlers. */
  videos: VideosParts;
  delivering: DeliverySettings;
  callbacks: CallbackURLs | undefined;
}

const DEFAULT_INTERVAL_MS = 5_000;
const DEFAULT_RATE_PER_SECOND = 20;
/** What timers hold, and texts. */
const MAX_STREAM_SETTING = 2 ** 31 - 1;
const DEFAULT_FIRST_BACKOFF_MS = 1_000;
/** In intervals: polls that fail come at most so far apart, those that pass by themselves and those that are refused. */
const BACKOFF_FACTOR = 3;
const REFUSED_FACTOR = 6;
/** With callbacks, polling is what remains when one gets lost. */
const CALLBACK_INTERVAL_FACTOR = 6;
const DEFAULT_KEEP_CONCURRENCY = 4;
const DEFAULT_GONE_AFTER_MS = 600_000;

// Records and not lists: an option that is added to the types and forgotten here does not compile.
const OPTION_NAMES: Record<keyof ModelGatewayInstanceOptions, true> = {
  apiKey: true,
  baseURL: true,
  endpoints: true,
  route: true,
  maxRetries: true,
  timeout: true,
  deadline: true,
  connectTimeout: true,
  retryBudget: true,
  streamIdleTimeout: true,
  requireFinishReason: true,
  differentialParsing: true,
  retryBillable: true,
  headers: true,
  fetch: true,
  dangerouslyAllowBrowser: true,
  maxConcurrency: true,
  hooks: true,
  logger: true,
  logLevel: true,
  tracer: true,
  prices: true,
  budget: true,
  specializedModels: true,
  videos: true,
  streams: true,
  callback: true,
};
const EXTRA_NAMES: Record<keyof ModelGatewayModuleExtras, true> = {
  name: true,
  isGlobal: true,
  callbackMetadata: true,
};
const CALLBACK_OPTION_NAMES: Record<keyof CallbackOptions, true> = {
  publicURL: true,
  secret: true,
  secrets: true,
  path: true,
  expiresInMs: true,
};
const VIDEOS_OPTION_NAMES: Record<keyof VideosOptions, true> = {
  store: true,
  retention: true,
  intervalMs: true,
  ratePerSecond: true,
  maxWatchMs: true,
  backoff: true,
  handlers: true,
  keep: true,
  maxOpen: true,
  perTenant: true,
  apiKeyFor: true,
  allowMemoryStore: true,
};
const HANDLERS_OPTION_NAMES: Record<keyof VideoHandlersOptions, true> = {
  concurrency: true,
  attempts: true,
  firstMs: true,
  maxMs: true,
  closeMs: true,
};
const HANDLERS_DEFAULTS: Required<VideoHandlersOptions> = {
  concurrency: 10,
  attempts: 10,
  firstMs: 1_000,
  maxMs: 600_000,
  closeMs: 10_000,
};
const STREAMS_OPTION_NAMES: Record<keyof StreamsOptions, true> = {
  store: true,
  graceMs: true,
  keepMs: true,
  leaseMs: true,
  maxStreamBytes: true,
};
const KEEP_OPTION_NAMES: Record<keyof KeepVideosOptions, true> = {
  store: true,
  concurrency: true,
  goneAfterMs: true,
  maxBytes: true,
};
const BACKOFF_OPTION_NAMES: Record<keyof PollBackoff, true> = { firstMs: true, maxMs: true, refusedMs: true };

/**
 * Checks the options and makes the client. Nothing is sent.
 *
 * @param callbackPath where callbacks come in
 * @throws ConfigurationError that names the option, and the instance if it is not the default one
 */
export function createInstance(
  name: string,
  options: ModelGatewayInstanceOptions,
  callbackPath: string,
): Instance {
  try {
    return fromOptions(name, options, callbackPath);
  } catch (error) {
    if (name === DEFAULT_INSTANCE || !ConfigurationError.isInstance(error)) throw error;
    throw new ConfigurationError(`Model gateway instance "${name}": ${error.message}`, { cause: error });
  }
}

function fromOptions(name: string, options: ModelGatewayInstanceOptions, callbackPath: string): Instance {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`The module's options must be an object, and not ${String(options)}.`);
  }
  refuseExtras(options);
  refuseUnknown(options, OPTION_NAMES, "");
  const { videos = {}, streams = {}, callback, ...gateway } = options;
  refuseUnknown(videos, VIDEOS_OPTION_NAMES, "videos.");
  const { ratePerSecond = DEFAULT_RATE_PER_SECOND, maxWatchMs, backoff = {} } = videos;
  const { intervalMs = DEFAULT_INTERVAL_MS } = videos;
  refuseUnknown(backoff, BACKOFF_OPTION_NAMES, "videos.backoff.");
  for (const [option, value] of Object.entries(backoff)) requirePositive(`videos.backoff.${option}`, value);
  const { handlers = {} } = videos;
  refuseUnknown(handlers, HANDLERS_OPTION_NAMES, "videos.handlers.");
  for (const [option, value] of Object.entries(handlers)) requirePositive(`videos.handlers.${option}`, value);
  requirePositive("videos.intervalMs", intervalMs);
  requirePositive("videos.ratePerSecond", ratePerSecond);
  requirePositive("videos.maxWatchMs", maxWatchMs);
  if (callback !== undefined) refuseUnknown(callback, CALLBACK_OPTION_NAMES, "callback.");
  requirePositive("callback.expiresInMs", callback?.expiresInMs);
  if (callback?.path !== undefined && callback.path !== callbackPath) {
    throw new ConfigurationError(
      "Option callback.path was returned by the options factory, where it has no effect: put callbackPath beside " +
        "useFactory, useClass or useExisting.",
    );
  }
  const factor = callback === undefined ? 1 : CALLBACK_INTERVAL_FACTOR;
  const events = new Subject<MetricsEvent>();
  const inHand = new Set<string>();
  const hooks = publishingHooks(events, inHand, gateway.hooks);
  const budget = observedBudget(gateway, events);
  const client = new ModelGateway({
    ...gateway,
    ...(budget !== undefined && { budget }),
    ...{ hooks, maxPollsPerSecond: ratePerSecond },
  });
  const polls = {
    firstMs: backoff.firstMs ?? DEFAULT_FIRST_BACKOFF_MS,
    maxMs: backoff.maxMs ?? intervalMs * BACKOFF_FACTOR,
    refusedMs: backoff.refusedMs ?? intervalMs * REFUSED_FACTOR,
  };
  const callbacks = callback && new CallbackURLs(name, callbackPath, callback);
  return {
    gateway: client,
    events,
    store: resolveStore(name, videos),
    keyedStreams: createKeyedStreams(name, streams),
    videos: {
      gateways: new TenantGateways(client, checkKeySource(videos.apiKeyFor)),
      polling: {
        intervalMs: intervalMs * factor,
        ratePerSecond,
        maxWatchMs,
        backoff: polls,
        inHand,
        events,
        keeper: videos.keep && makeKeeper(name, videos.keep, polls),
      },
      callbacks,
      queue: queueOf(videos, polls.firstMs),
    },
    delivering: { ...HANDLERS_DEFAULTS, ...handlers, tracer: gateway.tracer, events },
    callbacks,
  };
}

/** Without prices nobody knows what anything costs; what is no budget is refused by the client. */
function observedBudget(
  { prices, budget }: ModelGatewayInstanceOptions,
  events: Subject<MetricsEvent>,
): CallBudget | undefined {
  if (prices === undefined || (budget !== undefined && typeof budget?.spendBy !== "function")) return budget;
  return new CostTellingBudget(budget, (event) => {
    if (events.observed) events.next({ type: "cost", ...event });
  });
}

/** @returns undefined where nothing waits */
function queueOf({ maxOpen, perTenant }: VideosOptions, firstMs: number): QueueSettings | undefined {
  for (const [option, value] of Object.entries({ maxOpen, perTenant })) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
    throw new ConfigurationError(
      `Option videos.${option} must be a whole number above 0, and not ${String(value)}.`,
    );
  }
  if (maxOpen === undefined && perTenant === undefined) return undefined;
  const limits = { ...(maxOpen !== undefined && { maxOpen }), ...(perTenant !== undefined && { perTenant }) };
  return { limits, firstMs };
}

function checkKeySource(apiKeyFor: APIKeyFor | undefined): APIKeyFor | undefined {
  if (apiKeyFor === undefined || typeof apiKeyFor === "function") return apiKeyFor;
  throw new ConfigurationError("Option videos.apiKeyFor must be a function that gives the key of a tenant.");
}

function createKeyedStreams(name: string, options: StreamsOptions): KeyedStreams {
  refuseUnknown(options, STREAMS_OPTION_NAMES, "streams.");
  const { store = new MemoryStreamStore(), ...given } = options;
  for (const [option, value] of Object.entries(given)) {
    requirePositive(`streams.${option}`, value);
    if (value <= MAX_STREAM_SETTING) continue;
    throw new ConfigurationError(
      `Option streams.${option} must be at most ${MAX_STREAM_SETTING}, and not ${value}.`,
    );
  }
  return new KeyedStreams(name, store, { ...DEFAULT_STREAM_SETTINGS, ...given });
}

function makeKeeper(
  instance: string,
  keep: KeepVideosOptions,
  { firstMs, refusedMs }: Required<PollBackoff>,
): ResultKeeper {
  refuseUnknown(keep, KEEP_OPTION_NAMES, "videos.keep.");
  const {
    store,
    concurrency = DEFAULT_KEEP_CONCURRENCY,
    goneAfterMs = DEFAULT_GONE_AFTER_MS,
    maxBytes,
  } = keep;
  if (typeof store?.keep !== "function") {
    throw new ConfigurationError(
      `Option videos.keep.store must be a FileStore, such as new FolderFileStore(), and not ${String(store)}.`,
    );
  }
  requirePositive("videos.keep.concurrency", concurrency);
  requirePositive("videos.keep.goneAfterMs", goneAfterMs);
  requirePositive("videos.keep.maxBytes", maxBytes);
  const backoff = { firstMs, maxMs: refusedMs };
  return new ResultKeeper({ store, instance, concurrency, goneAfterMs, maxBytes, backoff });
}

function resolveStore(
  name: string,
  { store, retention, allowMemoryStore = false }: VideosOptions,
): VideoTaskStore {
  if (store === undefined) {
    return new JournalVideoTaskStore({
      // Nobody asked for it: applications that only chat run where nothing can be written.
      whenUnwritable: "warn",
      ...(name !== DEFAULT_INSTANCE && { name }),
      ...(retention !== undefined && { retention }),
    });
  }
  if (retention !== undefined) {
    throw new ConfigurationError(
      "Option videos.retention is for the default store: give it to the store in videos.store instead.",
    );
  }
  if (!store.durable && !allowMemoryStore && process.env["NODE_ENV"] === "production") {
    throw new ConfigurationError(
      "Video tasks would be kept in memory only, and NODE_ENV is production: tasks that were paid for would be " +
        "lost when the process ends. Leave the option videos.store out or set it to a durable store, or set " +
        "videos.allowMemoryStore: true if this application submits no videos or may lose them.",
    );
  }
  return store;
}

/** Nest reads these before any factory runs, so here they would be ignored. */
function refuseExtras(options: object): void {
  for (const name of Object.keys(EXTRA_NAMES)) {
    if (name in options) {
      throw new ConfigurationError(
        `Option ${name} was returned by the options factory, where it has no effect: put it beside ` +
          "useFactory, useClass or useExisting.",
      );
    }
  }
}

function refuseUnknown(options: object, known: Record<string, true>, prefix: string): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    throw new ConfigurationError(
      `Option ${prefix}${name} is unknown. Known are ${Object.keys(known).join(", ")}.`,
    );
  }
}

function requirePositive(option: string, value: number | undefined): void {
  if (value === undefined || (typeof value === "number" && value > 0)) return;
  throw new ConfigurationError(`Option ${option} must be a number above 0, and not ${String(value)}.`);
}
