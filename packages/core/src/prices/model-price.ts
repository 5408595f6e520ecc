import { checkOptionNames } from "../checks/check-option-names.js";
import { ConfigurationError } from "../errors/errors.js";

/**
 * A price, or prices by what makes the difference: a size (`1024x1024`, `2K`), a quality (`high`), both
 * (`1024x1024 high`); of videos a resolution (`720p`) or a mode (`pro`). What is not told is the dearest that fits.
 */
export type PriceByKind = number | Readonly<Record<string, number>>;

/** What a model costs, in units of the currency. What it is not paid by is left out; 0 is free. */
export interface ModelPrice {
  /** Per million tokens given. */
  input?: number;
  /** Per million of them that came out of a cache. Default: `input`. */
  cachedInput?: number;
  /** Per million of them that were written into a cache. Default: `input`. */
  cacheWrite?: number;
  /** Per million tokens made, those of pictures included. */
  output?: number;
  /** Per million of them that are reasoning. Default: `output`. */
  reasoning?: number;
  /** Per request, whatever it is for. */
  request?: number;
  /** Per image made, in place of its tokens. */
  image?: PriceByKind;
  /** Per million characters of text to speak. */
  characters?: number;
  /** Per million video tokens: width × height × frames ÷ 1024. */
  videoTokens?: number;
  /** Per second of video, in place of its tokens. */
  second?: PriceByKind;

  /** Bounds quotes: the most tokens that the model writes, where a request sets no limit. */
  maxOutputTokens?: number;
  /** Bounds quotes: the tokens of one image made; `{ pixels: 256 }` for a token per so many pixels. */
  imageTokens?: PriceByKind;
  /** Bounds quotes: the tokens of one intermediate picture of a stream. */
  partialImageTokens?: number;
  /** Bounds quotes: the most tokens of one image given. */
  inputImageTokens?: number;
  /** Bounds quotes: the most seconds of a video that a request sets no length for. */
  maxSeconds?: number;
  /** Bounds quotes: the resolution of a video that a request sets none for. */
  resolution?: string;
}

/** Prices by model id. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/** Prices as JSON has them. */
export interface PriceList {
  /** Default `USD`. */
  currency?: string;
  /** Units that the gateway counts in per unit of the currency. Default 500000, which gateways of this kind share. */
  unitsPerCurrency?: number;
  /** How the gateway makes whole units of what a request comes to; `none` for one that does not. Default `up`. */
  rounding?: Rounding;
  models?: ModelPrices;
}

export type Rounding = "up" | "nearest" | "none";

const ROUNDINGS: readonly Rounding[] = ["up", "nearest", "none"];
const LIST_NAMES = ["currency", "unitsPerCurrency", "rounding", "models"];

const NUMBERS = [
  ...["input", "cachedInput", "cacheWrite", "output", "reasoning", "request", "characters", "videoTokens"],
  ...["maxOutputTokens", "partialImageTokens", "inputImageTokens", "maxSeconds"],
] as const;
const BY_KIND = ["image", "imageTokens", "second"];
const PRICE_NAMES = [...NUMBERS, ...BY_KIND, "resolution"];

/** @throws ConfigurationError that names what is wrong */
export function checkPriceList({ currency, rounding, ...rest }: PriceList): void {
  checkOptionNames(rest, LIST_NAMES, "the price list");
  if (currency !== undefined && (typeof currency !== "string" || currency === "")) {
    throw new ConfigurationError("Option currency must be text such as USD.", { option: "currency" });
  }
  if (rounding !== undefined && !ROUNDINGS.includes(rounding)) {
    const message = `Option rounding must be one of ${ROUNDINGS.join(", ")}, and not ${String(rounding)}.`;
    throw new ConfigurationError(message, { option: "rounding" });
  }
}

/** @throws ConfigurationError that names what is wrong */
export function checkModelPrice(model: string, price: ModelPrice): void {
  checkOptionNames(price, PRICE_NAMES, `the price of ${model}`);
  for (const [name, value] of Object.entries(price ?? {})) {
    if (value === undefined || (name === "resolution" && typeof value === "string")) continue;
    const values = BY_KIND.includes(name) && typeof value === "object" ? Object.values(value ?? {}) : [value];
    const valid = values.every((each) => typeof each === "number" && each >= 0 && each < Infinity);
    if (valid && values.length > 0) continue;
    throw new ConfigurationError(
      `The price of ${model} is wrong: ${name} must be a number from 0, and not ${JSON.stringify(value)}.`,
      { option: name },
    );
  }
}
