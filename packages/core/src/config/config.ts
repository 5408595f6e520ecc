import { API_KEY_VARIABLE, type APIKeySource, checkAPIKey } from "../checks/check-api-key.js";
import { checkHeaders } from "../checks/check-headers.js";
import { checkCount, checkDuration, checkRate } from "../checks/check-numbers.js";
import { checkOptionNames } from "../checks/check-option-names.js";
import type { CallPrices } from "../costs/call-prices.js";
import { ConfigurationError } from "../errors/errors.js";
import { type GatewayHooks, type GatewayLogger, isLogLevel, type LogLevel } from "../hooks/observer.js";
import type { GatewayTracer } from "../hooks/tracer.js";
import type { AddressKind } from "../transport/address-kind.js";
import type { FetchFunction } from "../transport/fetch-transport.js";
import { ADDRESS_SOURCES, type Addresses, parseAddress, type Route, requireAddress } from "./addresses.js";
import type { CallBudget, Spending } from "./call-budget.js";

/** Options of `new ModelGateway(…)`. What is left out comes from the environment. */
export interface ModelGatewayOptions {
  /** Default: environment variable `MODEL_GATEWAY_API_KEY`. */
  apiKey?: APIKeySource;
  /** General base address, ends in `/v1`. Default: environment variable `MODEL_GATEWAY_BASE_URL`. */
  baseURL?: string;
  /**
   * The other base addresses. Default: environment variables `MODEL_GATEWAY_CDN_BASE_URL`,
   * `MODEL_GATEWAY_SPECIALIZED_BASE_URL`, `MODEL_GATEWAY_SPECIALIZED_CDN_BASE_URL`.
   */
  endpoints?: { cdn?: string; specialized?: string; specializedCdn?: string };
  /** `general` (default), `cdn`, or `failover`: the first that connects, with a cool-down of 30 s. */
  route?: Route;
  /** Models (ids, or patterns of ids) whose speech is served on the specialised addresses. Default none. */
  specializedModels?: ReadonlyArray<string | RegExp>;
  /** Attempts after the first, at most. Default 2. */
  maxRetries?: number;
  /**
   * Time per attempt until the answer is complete (for streams until its head), in milliseconds.
   * Default 600000 for chat, images and speech, 60000 for everything else.
   */
  timeout?: number;
  /**
   * Time for a call as a whole, over all attempts and waits, for streams until their end, in milliseconds. Default none.
   */
  deadline?: number;
  /**
   * Time until there is a connection, in milliseconds; what has none was not sent, and is sent again whatever it costs.
   * Holds for the built-in transport on Node, which can tell. Default 10000.
   */
  connectTimeout?: number;
  /**
   * Retries that the client makes in a row before it makes first attempts only; successes give them back. Keeps a long
   * outage from being met with three times the requests. Default 100; `Infinity` for no limit.
   */
  retryBudget?: number;
  /** Longest silence inside a stream, in milliseconds. Comments do not count as life. Default 120000. */
  streamIdleTimeout?: number;
  /**
   * Whether a chat stream must say why it ended. One that does not is cut off, whatever marker follows: iteration
   * throws `StreamInterruptedError`. False for routes known to send no finish reason: there the marker `[DONE]` is
   * enough. Default true.
   */
  requireFinishReason?: boolean;
  /**
   * Whether chunks of a chat stream are read by what differs between them: exact, and cheaper than to parse each whole.
   * Default true.
   */
  differentialParsing?: boolean;
  /** Repeat paid image, speech and video creates like any other call. May be billed twice. Default false. */
  retryBillable?: boolean;
  /** Calls under way at once, streams until they are over; others wait in a queue. Default: no limit, fewer after 429. */
  maxConcurrency?: number;
  /** Told of requests, responses, retries, failovers and ends of streams; never of a key, a header or a body. */
  hooks?: GatewayHooks;
  /** Writes what the hooks are told, as text. `console` fits. */
  logger?: GatewayLogger;
  /** Lowest level that is written: `debug` requests, `info` responses, `warn` retries. Default `warn`. */
  logLevel?: LogLevel;
  /** Makes spans of calls: `openTelemetry()` of `@model-gateway/core/opentelemetry`. Default: none. */
  tracer?: GatewayTracer;
  /** Says what calls cost: `priceBook()` of `@model-gateway/core/prices`. Results have no `cost` without. Default: none. */
  prices?: CallPrices;
  /**
   * Holds what calls cost to a limit: `createBudget()` of `@model-gateway/core/budget`. Needs `prices`. Default: no limit.
   */
  budget?: CallBudget;
  /** Polls of video tasks per second, over all watches of this client. Default 20; slows down on 429. */
  maxPollsPerSecond?: number;
  /** Sent with every request. */
  headers?: Record<string, string | undefined>;
  /** Used for every request instead of the built-in transport: for proxies, tests, other runtimes. */
  fetch?: FetchFunction;
  /**
   * Allow construction in a browser, where every visitor can read the key. Paid calls are not safe there either: a browser
   * sends a request again by itself when a kept connection breaks, and nobody is told. Default false.
   */
  dangerouslyAllowBrowser?: boolean;
}

const OPTION_NAMES = Object.keys({
  apiKey: true,
  baseURL: true,
  endpoints: true,
  route: true,
  specializedModels: true,
  maxRetries: true,
  timeout: true,
  deadline: true,
  connectTimeout: true,
  retryBudget: true,
  streamIdleTimeout: true,
  requireFinishReason: true,
  differentialParsing: true,
  retryBillable: true,
  maxConcurrency: true,
  hooks: true,
  logger: true,
  logLevel: true,
  tracer: true,
  prices: true,
  budget: true,
  maxPollsPerSecond: true,
  headers: true,
  fetch: true,
  dangerouslyAllowBrowser: true,
} satisfies Record<keyof ModelGatewayOptions, true>);
const ENDPOINT_NAMES = ["cdn", "specialized", "specializedCdn"];

/** Options with defaults filled in and checked. Lives in closures: nothing that can be printed refers to it. */
export interface GatewayConfig {
  apiKey: APIKeySource;
  addresses: Addresses;
  route: Route;
  specializedModels: ReadonlyArray<string | RegExp>;
  maxRetries: number;
  timeoutMs: number | undefined;
  deadlineMs: number | undefined;
  connectTimeoutMs: number;
  /** `Infinity` for no limit. */
  retryBudget: number;
  streamIdleTimeoutMs: number;
  requireFinishReason: boolean;
  differentialParsing: boolean;
  retryBillable: boolean;
  /** `Infinity` for no limit. */
  maxConcurrency: number;
  hooks: GatewayHooks | undefined;
  logger: GatewayLogger | undefined;
  logLevel: LogLevel;
  tracer: GatewayTracer | undefined;
  prices: CallPrices | undefined;
  spending: Spending | undefined;
  maxPollsPerSecond: number;
  headers: Record<string, string>;
  fetch: FetchFunction | undefined;
}

const DEFAULT_RETRY_BUDGET = 100;
const ROUTES: readonly Route[] = ["general", "cdn", "failover"];

/** Checks the options and the environment. Throws a `ConfigurationError` that names what is wrong. */
export function resolveConfig(options: ModelGatewayOptions): GatewayConfig {
  checkOptionNames(options, OPTION_NAMES, "new ModelGateway()");
  checkOptionNames(options.endpoints, ENDPOINT_NAMES, "endpoints");
  if (isBrowser() && options.dangerouslyAllowBrowser !== true) {
    throw new ConfigurationError(
      "This is a browser: the API key would be readable by every visitor. Call the gateway from a server, " +
        "or set dangerouslyAllowBrowser: true if the key is the visitor's own.",
    );
  }
  const route = options.route ?? "general";
  if (!ROUTES.includes(route)) {
    throw new ConfigurationError(
      `Option route must be one of ${ROUTES.join(", ")}, and not ${String(route)}.`,
      { option: "route" },
    );
  }
  const addresses = resolveAddresses(options);
  requireAddress(addresses, route === "cdn" ? "cdn" : "general");
  return {
    apiKey: checkAPIKey(options.apiKey ?? readEnvironment(API_KEY_VARIABLE)),
    addresses,
    route,
    specializedModels: checkModelPatterns(options.specializedModels ?? []),
    maxRetries: checkCount("maxRetries", options.maxRetries) ?? 2,
    timeoutMs: checkDuration("timeout", options.timeout),
    deadlineMs: checkDuration("deadline", options.deadline),
    connectTimeoutMs: checkDuration("connectTimeout", options.connectTimeout) ?? 10_000,
    retryBudget: checkRetryBudget(options.retryBudget),
    streamIdleTimeoutMs: checkDuration("streamIdleTimeout", options.streamIdleTimeout) ?? 120_000,
    requireFinishReason: options.requireFinishReason ?? true,
    differentialParsing: options.differentialParsing ?? true,
    retryBillable: options.retryBillable ?? false,
    maxConcurrency: checkConcurrency(options.maxConcurrency),
    hooks: options.hooks,
    logger: options.logger,
    logLevel: checkLogLevel(options.logLevel),
    tracer: checkTracer(options.tracer),
    prices: checkPrices(options.prices),
    spending: checkBudget(options.budget)?.spendBy(options.prices),
    maxPollsPerSecond: checkRate("maxPollsPerSecond", options.maxPollsPerSecond) ?? 20,
    headers: checkHeaders(options.headers),
    fetch: options.fetch,
  };
}

function resolveAddresses({ baseURL, endpoints = {} }: ModelGatewayOptions): Addresses {
  const given: Record<AddressKind, string | undefined> = { general: baseURL, ...pickEndpoints(endpoints) };
  const addresses: Addresses = {};
  for (const kind of Object.keys(ADDRESS_SOURCES) as AddressKind[]) {
    const value = given[kind] ?? readEnvironment(ADDRESS_SOURCES[kind].variable);
    if (value !== undefined && value !== "") addresses[kind] = parseAddress(kind, value);
  }
  return addresses;
}

function pickEndpoints({ cdn, specialized, specializedCdn }: NonNullable<ModelGatewayOptions["endpoints"]>) {
  return { cdn, specialized, specializedCdn };
}

function checkTracer(tracer: GatewayTracer | undefined): GatewayTracer | undefined {
  if (tracer === undefined || typeof tracer?.startCall === "function") return tracer;
  throw new ConfigurationError("Option tracer must have a method startCall, as openTelemetry() has.", {
    option: "tracer",
  });
}

function checkPrices(prices: CallPrices | undefined): CallPrices | undefined {
  if (prices === undefined || typeof prices?.settle === "function") return prices;
  throw new ConfigurationError("Option prices must be what priceBook() returns.", { option: "prices" });
}

function checkBudget(budget: CallBudget | undefined): CallBudget | undefined {
  if (budget === undefined || typeof budget?.spendBy === "function") return budget;
  throw new ConfigurationError("Option budget must be what createBudget() returns.", { option: "budget" });
}

function checkModelPatterns(patterns: ReadonlyArray<string | RegExp>): ReadonlyArray<string | RegExp> {
  const valid =
    Array.isArray(patterns) &&
    patterns.every((pattern) => typeof pattern === "string" || pattern instanceof RegExp);
  if (valid) return [...patterns];
  throw new ConfigurationError("Option specializedModels must be an array of model ids and RegExps.", {
    option: "specializedModels",
  });
}

function checkConcurrency(value: number | undefined): number {
  if (value === 0)
    throw new ConfigurationError("Option maxConcurrency must be at least 1.", { option: "maxConcurrency" });
  return value === Number.POSITIVE_INFINITY
    ? value
    : (checkCount("maxConcurrency", value) ?? Number.POSITIVE_INFINITY);
}

function checkRetryBudget(value: number | undefined): number {
  return value === Number.POSITIVE_INFINITY
    ? value
    : (checkCount("retryBudget", value) ?? DEFAULT_RETRY_BUDGET);
}

function checkLogLevel(value: LogLevel | undefined): LogLevel {
  if (value === undefined || isLogLevel(value)) return value ?? "warn";
  throw new ConfigurationError(
    `Option logLevel must be debug, info, warn, error or off, and not ${String(value)}.`,
    { option: "logLevel" },
  );
}

/** Without blanks around it; an empty one counts as missing wherever it is used. */
function readEnvironment(variable: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[variable]?.trim();
}

function isBrowser(): boolean {
  const { window, navigator } = globalThis as { window?: { document?: unknown }; navigator?: unknown };
  return window?.document !== undefined && navigator !== undefined;
}
