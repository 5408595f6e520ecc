import { type JSONObject, LoadAPIKeyError } from "@ai-sdk/provider";
import { type FetchFunction, loadOptionalSetting } from "@ai-sdk/provider-utils";
// Every entry of the client has it; this one is the smallest.
import { Connection, type ModelGatewayOptions } from "@model-gateway/core/models";

/** How the gateway is reached; what is left out comes from the environment, as for the client itself. */
export interface ConnectionSettings
  extends Pick<
    ModelGatewayOptions,
    | "baseURL"
    | "endpoints"
    | "route"
    | "specializedModels"
    | "timeout"
    | "connectTimeout"
    | "deadline"
    | "streamIdleTimeout"
    | "requireFinishReason"
    | "differentialParsing"
    | "maxConcurrency"
    | "retryBillable"
    | "headers"
    | "hooks"
    | "logger"
    | "logLevel"
    | "tracer"
    | "prices"
    | "budget"
    | "dangerouslyAllowBrowser"
  > {
  /** The key, a promise of it, or a function that gives it. Default: the environment variable `apiKeyVariable`. */
  apiKey?: string | PromiseLike<string> | (() => string | PromiseLike<string>);
  /**
   * Name of the environment variable that holds the key. It is what a workflow stores instead of the key, also where
   * `apiKey` is given. Default `MODEL_GATEWAY_API_KEY`.
   */
  apiKeyVariable?: string;
  /** Used for every request, and for the download of results. */
  fetch?: FetchFunction;
}

/** The connection of a client; made at the first call, so that a missing key is no error before that. */
export function connect(settings: ConnectionSettings): () => Connection {
  let connection: Connection | undefined;
  return () => {
    connection ??= new Connection(toOptions(settings));
    return connection;
  };
}

function toOptions({ apiKey, apiKeyVariable, ...settings }: ConnectionSettings): ModelGatewayOptions {
  if (typeof apiKey === "string") return { ...settings, apiKey };
  if (apiKey !== undefined) {
    const source = typeof apiKey === "function" ? apiKey : () => apiKey;
    return { ...settings, apiKey: async () => source() };
  }
  if (apiKeyVariable === undefined) return settings;
  return { ...settings, apiKey: () => loadKey(apiKeyVariable) };
}

function loadKey(variable: string): string {
  const key = loadOptionalSetting({ settingValue: undefined, environmentVariableName: variable });
  if (key !== undefined && key !== "") return key;
  throw new LoadAPIKeyError({
    message: `The API key is missing: set the environment variable ${variable}, or the setting apiKey.`,
  });
}

/** A pattern of model ids, as JSON. */
interface StoredPattern {
  pattern: string;
  flags: string;
}

/**
 * What of a connection may be written down, as a workflow does between its steps: neither the key nor headers, which may
 * hold one, nor functions.
 */
export function storeConnection(settings: ConnectionSettings): JSONObject {
  const {
    apiKey: _key,
    headers: _headers,
    fetch: _fetch,
    hooks: _hooks,
    logger: _logger,
    tracer: _tracer,
    prices: _prices,
    budget: _budget,
    ...rest
  } = settings;
  const specializedModels = rest.specializedModels?.map((model): string | StoredPattern =>
    typeof model === "string" ? model : { pattern: model.source, flags: model.flags },
  );
  // A round trip through JSON leaves out what is undefined.
  return JSON.parse(
    JSON.stringify({
      ...rest,
      specializedModels,
      apiKeyVariable: settings.apiKeyVariable ?? "MODEL_GATEWAY_API_KEY",
    }),
  );
}

/** The settings that `storeConnection` wrote down; the key comes from the environment variable that is named there. */
export function restoreConnection(stored: JSONObject): ConnectionSettings {
  const { specializedModels, ...rest } = stored as Omit<ConnectionSettings, "specializedModels"> & {
    specializedModels?: ReadonlyArray<string | StoredPattern>;
  };
  if (specializedModels === undefined) return rest;
  return {
    ...rest,
    specializedModels: specializedModels.map((model) =>
      typeof model === "string" ? model : new RegExp(model.pattern, model.flags),
    ),
  };
}
