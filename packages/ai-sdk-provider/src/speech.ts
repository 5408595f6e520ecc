export type { ConnectionSettings } from "./connection.js";
export { createSpeechModels } from "./create-speech-models.js";
export type { ModelGatewaySpeechModelOptions } from "./model-gateway-speech-model-options.js";
