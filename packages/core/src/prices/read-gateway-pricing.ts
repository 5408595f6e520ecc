import type { APIPromise } from "../call/api-promise.js";
import type { RequestOptions } from "../call/call.js";
import { ConfigurationError, InvalidResponseError } from "../errors/errors.js";
import { type JSONObject, readNumber, readObject, readText } from "../json/read-json-value.js";
import type { GatewayRequest } from "../request/gateway-request.js";
import type { ModelPrice, ModelPrices } from "./model-price.js";

/** Options of `readGatewayPricing`. */
export interface ReadPricingOptions extends Omit<RequestOptions, "idempotencyKey" | "retryBillable"> {
  /** Where to ask, from the root of the address, without the `/v1`. Default `/api/pricing`. */
  path?: string;
  /** The token group of the key, whose rate multiplies all prices. Default `default`. */
  group?: string;
  /** What a ratio of 1 stands for, in units of the currency per million tokens. Default 2: a quota unit per token. */
  ratioPrice?: number;
}

/** What a gateway says of its prices. Unofficial: no API description tells of it. */
export interface GatewayPricing {
  unofficial: true;
  /** For `priceBook({ models })` or `book.add(models)`; models outside the group are left out. */
  models: ModelPrices;
  group: string;
  /** What the group multiplies prices by, already in them. */
  groupRatio: number;
  /** The answer as it came. */
  raw: unknown;
}

const PRICING_PATH = "/api/pricing";
const DEFAULT_GROUP = "default";
/** Dollars per million tokens at a ratio of 1, where 500000 quota units are a dollar and one is a token. */
const RATIO_PRICE = 2;
/** Priced per request; everything else is priced by ratios. */
const PER_REQUEST = 1;

/**
 * Reads prices from the gateway: ratios of models, of their completions and of groups. Unofficial: gateways of this kind
 * answer so, and no API description tells of it.
 *
 * @example
 * const book = priceBook();
 * const gateway = new ModelGateway({ prices: book });
 * book.add((await readGatewayPricing(gateway)).models);
 *
 * @param gateway the client to ask with
 * @throws InvalidResponseError when the answer is no price table, ConfigurationError when it does not know the group,
 * APIError when the gateway refuses
 */
export async function readGatewayPricing(
  gateway: { request<T>(request: GatewayRequest): APIPromise<T> },
  options: ReadPricingOptions = {},
): Promise<GatewayPricing> {
  const { path = PRICING_PATH, group = DEFAULT_GROUP, ratioPrice = RATIO_PRICE, ...requestOptions } = options;
  const raw = await gateway.request<unknown>({ method: "GET", path, unversioned: true, ...requestOptions });
  const body = readObject(raw);
  if (!Array.isArray(body?.["data"])) {
    throw new InvalidResponseError(
      `The gateway answered ${path} with JSON that is no price table: it has no list data.`,
    );
  }
  const groupRatio = ratioOf(body["group_ratio"], group);
  const models: Record<string, ModelPrice> = {};
  for (const entry of body["data"]) {
    const row = readObject(entry);
    const model = readText(row?.["model_name"]);
    if (row === undefined || model === undefined || !isOpenTo(row["enable_groups"], group)) continue;
    const price = priceOf(row, groupRatio, ratioPrice);
    if (price !== undefined) models[model] = price;
  }
  return { unofficial: true, models, group, groupRatio, raw };
}

function ratioOf(ratios: unknown, group: string): number {
  const known = readObject(ratios);
  // One that tells of no groups has no rates of groups.
  if (known === undefined) return 1;
  const ratio = readNumber(known[group]);
  if (ratio !== undefined && ratio >= 0) return ratio;
  throw new ConfigurationError(
    `The gateway tells of no rate of the group ${JSON.stringify(group)}, only of ${Object.keys(known).join(", ") || "none"}: give the group of the key in the option group.`,
    { option: "group" },
  );
}

function isOpenTo(groups: unknown, group: string): boolean {
  return !Array.isArray(groups) || groups.length === 0 || groups.includes(group) || groups.includes("all");
}

/** Characters of speech and tokens of videos are counted as tokens given. */
function priceOf(row: JSONObject, groupRatio: number, ratioPrice: number): ModelPrice | undefined {
  if (readNumber(row["quota_type"]) === PER_REQUEST) {
    const price = readNumber(row["model_price"]);
    return price === undefined || price < 0 ? undefined : { request: price * groupRatio };
  }
  const ratio = readNumber(row["model_ratio"]);
  if (ratio === undefined || ratio < 0) return undefined;
  const input = ratio * ratioPrice * groupRatio;
  const share = (name: string) => {
    const factor = readNumber(row[name]);
    return factor === undefined || factor < 0 ? undefined : input * factor;
  };
  const cachedInput = share("cache_ratio");
  const cacheWrite = share("create_cache_ratio");
  return {
    input,
    output: share("completion_ratio") ?? input,
    characters: input,
    videoTokens: input,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  };
}
