import { ConfigurationError } from "@model-gateway/core";
import { CONSTRUCTOR_ONLY, OWN_FIELD_NAMES, WIRE_NAMES } from "./chat-model-options.js";

/** Names under which other integrations have a setting that is spelled quite differently here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  modelname: "model",
  modelid: "model",
  maxcompletiontokens: "maxTokens",
  maxoutputtokens: "maxTokens",
  numpredict: "maxTokens",
  openaiapikey: "apiKey",
  reasoning: "reasoningEffort",
  stopsequences: "stop",
  basepath: "baseURL",
  configuration: "baseURL, headers or fetch",
  extrabody: "modelKwargs",
};

/**
 * Refuses settings that are written as another integration, or the wire, writes them, and settings of the constructor
 * in a call. They would be dropped in silence: LangChain takes any object for the options of a call, and adds to it.
 *
 * @param known the names that are right in this place
 * @throws ConfigurationError that names the setting and what to write
 */
export function refuseMisnamedOptions(options: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const plain = normalize(name);
    const right = OTHER_NAMES[plain] ?? KNOWN_BY_PLAIN_NAME.get(plain);
    if (right !== undefined && right !== name)
      throw new ConfigurationError(`Option ${name} would not be sent: it is called ${right} here.`, {
        option: name,
      });
    if (CONSTRUCTOR_ONLY.includes(name))
      throw new ConfigurationError(`Option ${name} has no effect in a call: it is one of the constructor.`, {
        option: name,
      });
  }
}

const KNOWN_BY_PLAIN_NAME = new Map(
  [...OWN_FIELD_NAMES, "apiKey", "baseURL", "timeout", "maxRetries"]
    .map((name) => [normalize(name), name])
    .concat(Object.entries(WIRE_NAMES).map(([name, wireName]) => [normalize(wireName), name]))
    .map(([plain, name]) => [plain as string, name as string]),
);

function normalize(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}
