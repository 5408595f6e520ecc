import { readNumber } from "../json/read-json-value.js";
import type { ModelPrice } from "./model-price.js";
import { exactly, lookUp, type Range, times } from "./price-range.js";
import { MILLION, type PricedKind } from "./priced-kind.js";

const PIXELS_PER_TOKEN = 1_024;
const FRAMES_PER_SECOND = 24;
/** Modes of the wrapped families make these. */
const RESOLUTION_OF_MODE: Record<string, string> = { std: "720p", pro: "1080p" };
/** What the wrapped families make when nothing is said. */
const WRAPPED_DEFAULTS = { mode: "std", seconds: 5 };
/** Pixels of a frame of each resolution, in 16:9 and in the ratio that has the most of them. */
const PIXELS: Record<string, Range> = {
  "480p": { expected: 864 * 496, upper: 864 * 496 },
  "720p": { expected: 1_280 * 720, upper: 1_112 * 834 },
  "1080p": { expected: 1_920 * 1_080, upper: 1_920 * 1_088 },
  "4k": { expected: 3_840 * 2_160, upper: 3_328 * 2_496 },
};
/** Of 4k, the widest ratio has clearly fewer: decoders take no wider picture. */
const WIDEST_4K = exactly(4_096 * 1_756);

/** Videos: seconds by resolution or mode, or tokens: width × height × frames ÷ 1024. */
export const VIDEOS: PricedKind = {
  amountOf(price, { usage }) {
    if (price.second !== undefined || price.videoTokens === undefined) return undefined;
    const tokens = readNumber(usage?.["total_tokens"] ?? usage?.["completion_tokens"]);
    return tokens === undefined ? undefined : (price.request ?? 0) + (tokens / MILLION) * price.videoTokens;
  },
  estimate(price, body) {
    const perRequest = price.request ?? 0;
    if (price.second === undefined && price.videoTokens === undefined)
      return price.request === undefined ? undefined : exactly(perRequest);
    const seconds = secondsOf(price, body);
    const made =
      price.second === undefined
        ? ofTokens(price, body, seconds)
        : ofSeconds(price.second, price, body, seconds);
    const missing = [
      ...(seconds === Infinity ? ["duration", "maxSeconds"] : []),
      ...(made === undefined ? ["resolution"] : []),
    ];
    const { upper, expected } = made ?? exactly(Infinity);
    return { upper: perRequest + upper, expected: perRequest + expected, missing };
  },
};

type Body = Record<string, unknown>;

function ofSeconds(
  table: NonNullable<ModelPrice["second"]>,
  price: ModelPrice,
  body: Body,
  seconds: number,
): Range | undefined {
  const kind = isWrapped(body) ? modeOf(body) : (body["resolution"] ?? price.resolution);
  const found = lookUp(table, [kind]);
  return found && times(exactly(seconds), found.most);
}

function ofTokens(price: ModelPrice, body: Body, seconds: number): Range | undefined {
  const resolution = isWrapped(body)
    ? RESOLUTION_OF_MODE[modeOf(body)]
    : (body["resolution"] ?? price.resolution);
  const pixels =
    resolution === "4k" && body["ratio"] === "21:9" ? WIDEST_4K : PIXELS[String(resolution).toLowerCase()];
  if (pixels === undefined) return undefined;
  // A video ends with a frame more than its seconds have.
  const frames = readNumber(body["frames"]) ?? seconds * FRAMES_PER_SECOND + 1;
  return times(pixels, (frames / PIXELS_PER_TOKEN / MILLION) * (price.videoTokens ?? 0));
}

/** A length of -1 is the model's own choice. */
function secondsOf(price: ModelPrice, body: Body): number {
  const frames = readNumber(body["frames"]);
  const asked =
    readNumber(body["duration"]) ?? (frames === undefined ? undefined : frames / FRAMES_PER_SECOND);
  if (asked !== undefined && asked > 0) return asked;
  return price.maxSeconds ?? (isWrapped(body) ? WRAPPED_DEFAULTS.seconds : Infinity);
}

function isWrapped(body: Body): boolean {
  return "model_name" in body;
}

function modeOf(body: Body): string {
  return typeof body["mode"] === "string" ? body["mode"] : WRAPPED_DEFAULTS.mode;
}
