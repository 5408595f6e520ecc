import { ConfigurationError } from "../errors/errors.js";

/** What other clients call the options of this one, where the name itself does not lead to it. */
const ALIASES: Record<string, string> = {
  baseurl: "baseURL",
  basepath: "baseURL",
  baseapi: "baseURL",
  defaultheaders: "headers",
  extraheaders: "headers",
  defaultquery: "fetch",
  httpagent: "fetch",
  httpclient: "fetch",
  fetchoptions: "fetch",
  proxy: "fetch",
  apitoken: "apiKey",
  token: "apiKey",
  key: "apiKey",
  timeoutms: "timeout",
  requesttimeout: "timeout",
  streamtimeout: "streamIdleTimeout",
  abortsignal: "signal",
  log: "logger",
};

/** Typing slips within this distance are taken for the name they are nearest to. */
const MAX_DISTANCE = 3;

/**
 * Refuses an option that nobody reads, where the compiler has not: a misspelt time-out or header would otherwise be
 * dropped in silence.
 * @param what the options belong to, for the message: `new ModelGateway()`
 */
export function checkOptionNames(options: object | undefined, known: readonly string[], what: string): void {
  if (options === undefined || options === null) return;
  if (typeof options !== "object") throw new ConfigurationError(`The options of ${what} must be an object.`);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue;
    const nearest = nearestName(name, known);
    const hint = nearest === undefined ? `known are ${known.join(", ")}.` : `did you mean ${nearest}?`;
    throw new ConfigurationError(
      `Option ${JSON.stringify(name.slice(0, 60))} of ${what} does not exist; ${hint} Nothing was sent.`,
      { option: name },
    );
  }
}

function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = simplify(name);
  const alias = ALIASES[plain];
  if (alias !== undefined && known.includes(alias)) return alias;
  let nearest: string | undefined;
  let least = MAX_DISTANCE + 1;
  for (const candidate of known) {
    const distance = editDistance(plain, simplify(candidate));
    if (distance < least && distance < candidate.length / 2) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

function simplify(name: string): string {
  return name.slice(0, 40).toLowerCase().replaceAll("_", "").replaceAll("-", "");
}

/** Insertions, deletions and replacements between two words. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
