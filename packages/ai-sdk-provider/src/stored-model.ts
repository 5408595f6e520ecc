import type { JSONObject } from "@ai-sdk/provider";
import { connect, restoreConnection, storeConnection } from "./connection.js";
import type { ModelConfig } from "./model-gateway-config.js";

/** A model as a workflow keeps it between its steps: plain JSON without a key, which the environment keeps. */
export interface StoredModel {
  modelId: string;
  /** Functions among the settings are not kept. */
  settings: JSONObject;
  config: { provider: string; connection: JSONObject };
}

/** Writes a model down. */
export function storeModel(modelId: string, settings: object, config: ModelConfig): StoredModel {
  return {
    modelId,
    // A round trip through JSON leaves out functions and what is undefined.
    settings: JSON.parse(JSON.stringify(settings)),
    config: { provider: config.provider, connection: storeConnection(config.connection) },
  };
}

/** What a model is made with that was written down. */
export function restoreConfig({ config: { provider, connection } }: StoredModel): ModelConfig {
  const settings = restoreConnection(connection);
  return { provider, connection: settings, connect: connect(settings) };
}
