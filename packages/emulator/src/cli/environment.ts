import type { Emulator } from "../emulator.js";
import { WELL_KNOWN_KEY } from "../state/key-store.js";

/** The variables by which clients of the wire format, such as the `openai` SDK, find it. */
export function openaiEnvironment({ url }: Emulator): Record<string, string> {
  return { OPENAI_API_KEY: WELL_KNOWN_KEY, OPENAI_BASE_URL: url };
}

/** The variables by which clients find the emulator. */
export function emulatorEnvironment({ urls }: Emulator): Record<string, string> {
  return {
    MODEL_GATEWAY_API_KEY: WELL_KNOWN_KEY,
    MODEL_GATEWAY_BASE_URL: urls.general,
    MODEL_GATEWAY_CDN_BASE_URL: urls.cdn,
    MODEL_GATEWAY_SPECIALIZED_BASE_URL: urls.specialized,
    MODEL_GATEWAY_SPECIALIZED_CDN_BASE_URL: urls.specializedCdn,
  };
}
