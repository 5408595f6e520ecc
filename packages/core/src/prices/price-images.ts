import { readNumber, readObject } from "../json/read-json-value.js";
import type { ModelPrice } from "./model-price.js";
import { add, exactly, lookUp, type Range, times } from "./price-range.js";
import { estimateInput, isPaidByTokens, tokenAmount } from "./price-tokens.js";
import { type CountedCall, MILLION, type PricedKind } from "./priced-kind.js";

/** Most images of a set, by the API description. */
const MOST_IMAGES = 15;
/** The side of a square of each tier; other shapes have no more pixels. */
const TIER_SIDES: Record<string, number> = { "1K": 1_024, "2K": 2_048, "3K": 3_072, "4K": 4_096 };

/** Images made or edited: a price for each by size and quality, or tokens in and out. */
export const IMAGES: PricedKind = {
  amountOf(price, call) {
    const { body, usage, answer } = call;
    // Each event of a stream tells of its own image: without some of them, nobody knows the whole.
    const arrived = answer?.["images"];
    if (Array.isArray(arrived) && arrived.length < (readNumber(body["n"]) ?? 0)) return undefined;
    if (price.image === undefined) return tokenAmount(price, call);
    const count = readNumber(usage?.["generated_images"]) ?? countImages(answer);
    const told = (name: string) => body[name] ?? answer?.[name];
    const found = lookUp(price.image, [told("size"), told("quality")]);
    if (count === undefined || found === undefined || found.least !== found.most) return undefined;
    return (price.request ?? 0) + count * found.most;
  },
  estimate(price, body) {
    const table = price.image ?? {};
    const each = lookUp(table, [body["size"], body["quality"]]);
    const count = exactly(countAsked(body));
    const perRequest = exactly(price.request ?? 0);
    if (each !== undefined) return add(perRequest, times(count, each.most));
    if (!isPaidByTokens(price)) return price.request === undefined ? undefined : perRequest;
    const images = ["images", "image"].flatMap((name) => body[name] ?? []).length;
    const given = estimateInput(price, body["prompt"], images + (body["mask"] === undefined ? 0 : 1));
    const made = estimateOutput(price, body);
    return {
      ...add(perRequest, given, times(times(made, count.upper), (price.output ?? 0) / MILLION)),
      missing: [...given.missing, ...(price.output === 0 ? [] : made.missing)],
    };
  },
};

/** Images made through chat: their tokens, and those of a text around them that only the model's limit bounds. */
export const CHAT_IMAGES: PricedKind = {
  amountOf: (price, call) =>
    price.image === undefined ? tokenAmount(price, call) : IMAGES.amountOf(price, call),
  estimate(price, body) {
    const ofImages = IMAGES.estimate(price, body);
    if (ofImages === undefined || price.image !== undefined || !isPaidByTokens(price)) return ofImages;
    const text = exactly(price.maxOutputTokens ?? Infinity);
    const missing = price.maxOutputTokens === undefined && price.output !== 0 ? ["maxOutputTokens"] : [];
    return {
      ...add(ofImages, times(text, (price.output ?? 0) / MILLION)),
      missing: [...(ofImages.missing ?? []), ...missing],
    };
  },
};

function countAsked(body: Record<string, unknown>): number {
  if (body["sequential_image_generation"] !== "auto") return Math.max(1, readNumber(body["n"]) ?? 1);
  const options = readObject(body["sequential_image_generation_options"]);
  return readNumber(options?.["max_images"]) ?? MOST_IMAGES;
}

/** Images that failed by themselves are none. */
function countImages(answer: CountedCall["answer"]): number | undefined {
  const images = answer?.["data"] ?? answer?.["images"];
  return Array.isArray(images)
    ? images.filter((image) => readObject(image)?.["error"] == null).length
    : undefined;
}

/** Tokens of one image with the intermediate pictures before it. */
function estimateOutput(price: ModelPrice, body: Record<string, unknown>): Range & { missing: string[] } {
  const partials = readNumber(body["partial_images"]) ?? 0;
  const ofPartials = partials === 0 ? 0 : partials * (price.partialImageTokens ?? Infinity);
  const tokens = tokensOfImage(price.imageTokens, body) ?? Infinity;
  const missing = [
    ...(tokens === Infinity ? ["imageTokens", "size"] : []),
    ...(ofPartials === Infinity ? ["partialImageTokens"] : []),
  ];
  return { ...exactly(tokens + ofPartials), missing };
}

function tokensOfImage(
  table: ModelPrice["imageTokens"],
  { size, quality }: Record<string, unknown>,
): number | undefined {
  const perToken = typeof table === "object" ? table["pixels"] : undefined;
  if (table === undefined || perToken === undefined) return table && lookUp(table, [size, quality])?.most;
  const pixels = pixelsOf(size);
  return pixels === undefined ? undefined : pixels / perToken;
}

function pixelsOf(size: unknown): number | undefined {
  if (typeof size !== "string") return undefined;
  const side = TIER_SIDES[size.toUpperCase()];
  if (side !== undefined) return side * side;
  const [, width, height] = /^(\d+)x(\d+)$/.exec(size) ?? [];
  return width === undefined ? undefined : Number(width) * Number(height);
}
