import { ConfigurationError } from "../errors/errors.js";

/**
 * The API key, or a function that gives it for each request (for keys that rotate). When the function fails, the call
 * fails with a `ConfigurationError` that has its error as `cause`, and polls of video tasks try again.
 */
export type APIKeySource = string | (() => string | Promise<string>);

/** The environment variable with the key. */
export const API_KEY_VARIABLE = "MODEL_GATEWAY_API_KEY";

/** Throws unless the key can be sent in a header. Never repeats the key. */
export function checkAPIKey(apiKey: APIKeySource | undefined): APIKeySource {
  if (typeof apiKey === "function") return apiKey;
  const key = apiKey?.trim();
  if (key === undefined || key === "") {
    throw new ConfigurationError(
      `The API key is missing: set the environment variable ${API_KEY_VARIABLE} or the option apiKey.`,
      { option: "apiKey" },
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError(
      "The API key contains characters that no key has (spaces, line breaks or letters outside ASCII).",
      { option: "apiKey" },
    );
  }
  return key;
}
