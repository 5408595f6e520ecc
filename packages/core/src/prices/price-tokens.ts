import type { Usage } from "../chat/chat-types.js";
import { readCacheTokens } from "../chat/read-cache-tokens.js";
import { readNumber } from "../json/read-json-value.js";
import { measureText } from "./measure-text.js";
import type { ModelPrice } from "./model-price.js";
import { add, exactly, type Range } from "./price-range.js";
import { type CountedCall, MILLION, type PricedKind } from "./priced-kind.js";

const BYTES_PER_TOKEN = 4;
const NONE: readonly string[] = [];
/** Messages end with the beginning of the one that is to come. */
const REPLY = {};

/** Chat: tokens in, some of them cached, and tokens out, some of them reasoning. */
export const CHAT: PricedKind = {
  amountOf: tokenAmount,
  estimate(price, body) {
    if (!isPaidByTokens(price)) return price.request === undefined ? undefined : exactly(price.request);
    const { messages, max_completion_tokens, max_tokens, n } = body;
    const { tools, functions, response_format } = body;
    const given = estimateInput(price, [messages, tools, functions, response_format, REPLY]);
    const limit = readNumber(max_completion_tokens) ?? readNumber(max_tokens) ?? price.maxOutputTokens;
    const dearest = Math.max(price.output ?? 0, price.reasoning ?? 0);
    // What is free needs no bound.
    const made = dearest === 0 ? 0 : (limit ?? Infinity) * Math.max(1, readNumber(n) ?? 1);
    const fixed = (price.request ?? 0) + (made * dearest) / MILLION;
    return {
      upper: given.upper + fixed,
      expected: given.expected + fixed,
      missing: made === Infinity ? [...given.missing, "max_tokens", "maxOutputTokens"] : given.missing,
    };
  },
};

/** Embeddings and moderation: one text or many, nothing but tokens in. A call may be sent as a request per text. */
export const TEXTS: PricedKind = {
  amountOf: tokenAmount,
  estimate(price, { input }, isOneRequest = false) {
    const requests = Array.isArray(input) && !isOneRequest ? input.length : 1;
    const perRequest = exactly((price.request ?? 0) * requests);
    if (!isPaidByTokens(price)) return price.request === undefined ? undefined : { ...perRequest, requests };
    const given = estimateInput(price, input);
    return { ...add(perRequest, given), requests, missing: given.missing };
  },
};

export function isPaidByTokens({ input, output }: ModelPrice): boolean {
  return input !== undefined || output !== undefined;
}

/** What texts and media cost to be read. */
export function estimateInput(
  price: ModelPrice,
  given: unknown,
  moreImages = 0,
): Range & { missing: readonly string[] } {
  const { bytes, media } = measureText(given);
  const dearest = Math.max(price.input ?? 0, price.cachedInput ?? 0, price.cacheWrite ?? 0);
  const images = media + moreImages;
  const unbounded = images > 0 && price.inputImageTokens === undefined && dearest > 0;
  const ofImages = images === 0 ? 0 : images * (price.inputImageTokens ?? Infinity);
  // Nothing times without bound is nothing.
  const each = dearest / MILLION;
  return {
    upper: each === 0 ? 0 : (bytes + ofImages) * each,
    expected: each === 0 ? 0 : (bytes / BYTES_PER_TOKEN + ofImages) * each,
    missing: unbounded ? ["inputImageTokens"] : NONE,
  };
}

/** What the gateway counted, in the names of both families; undefined when it counted nothing. */
export function tokenAmount(price: ModelPrice, { usage = {} }: CountedCall): number | undefined {
  const perRequest = price.request ?? 0;
  if (!isPaidByTokens(price)) return price.request;
  const input = readNumber(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const total = readNumber(usage["total_tokens"]);
  const told = readNumber(usage["completion_tokens"] ?? usage["output_tokens"]);
  if (input === undefined && told === undefined && total === undefined) return undefined;
  const output = told ?? (input === undefined || total === undefined ? 0 : Math.max(0, total - input));
  const given = input ?? (total === undefined ? 0 : Math.max(0, total - output));
  const { read = 0, written = 0 } = readCacheTokens(usage as Usage);
  const cached = Math.min(read, given);
  const stored = Math.min(written, given - cached);
  const details = (usage as Usage).completion_tokens_details;
  const reasoning = Math.min(readNumber(details?.reasoning_tokens) ?? 0, output);
  return addPriced([
    [1, perRequest],
    [(given - cached - stored) / MILLION, price.input],
    [cached / MILLION, price.cachedInput ?? price.input],
    [stored / MILLION, price.cacheWrite ?? price.input],
    [(output - reasoning) / MILLION, price.output],
    [reasoning / MILLION, price.reasoning ?? price.output],
  ]);
}

/** What was counted and has no price is never taken for free. */
function addPriced(parts: ReadonlyArray<[count: number, price: number | undefined]>): number | undefined {
  let sum = 0;
  for (const [count, price] of parts) {
    if (count === 0) continue;
    if (price === undefined) return undefined;
    sum += count * price;
  }
  return sum;
}
