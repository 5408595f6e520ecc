import { mayHaveBeenBilled } from "../call/retry-policy.js";
import { checkRate } from "../checks/check-numbers.js";
import type { CallPrices, PricedAnswer, PricedCall } from "../costs/call-prices.js";
import type { Cost, CostSource, Quote } from "../costs/cost.js";
import { readNumber, readObject } from "../json/read-json-value.js";
import type { VideoTask } from "../videos/video-types.js";
import type { BillableCalls } from "./billable-calls.js";
import {
  checkModelPrice,
  checkPriceList,
  type ModelPrice,
  type ModelPrices,
  type PriceList,
} from "./model-price.js";
import { CHAT_IMAGES, IMAGES } from "./price-images.js";
import { SPEECH } from "./price-speech.js";
import { CHAT, TEXTS } from "./price-tokens.js";
import { VIDEOS } from "./price-videos.js";
import type { PricedKind } from "./priced-kind.js";

/** What models cost. For the option `prices` of a client. */
export interface PriceBook extends CallPrices {
  /** Adds prices, or parts of the price of a model that is there: the later ones win. */
  add(models: ModelPrices): void;
  /** The price of a model as the book has it. */
  priceOf(model: string): ModelPrice | undefined;
  /** What a call can cost, before anything is sent; undefined when its model has no price that such calls are paid by. */
  quote<Name extends keyof BillableCalls>(name: Name, body: BillableCalls[Name]): Quote | undefined;
}

/** How each call is paid. */
const KINDS: Readonly<Record<keyof BillableCalls | "moderations.classify", PricedKind>> = {
  "chat.completions.create": CHAT,
  "embeddings.create": TEXTS,
  "moderations.create": TEXTS,
  // Either way it is tokens that are counted.
  "moderations.classify": CHAT,
  "images.generate": IMAGES,
  "images.stream": IMAGES,
  "images.edit": IMAGES,
  "images.editStream": IMAGES,
  "images.generateThroughChat": CHAT_IMAGES,
  "audio.speech.create": SPEECH,
  "videos.create": VIDEOS,
  "videos.imageToVideo": VIDEOS,
  "videos.omniVideo": VIDEOS,
};

/** Units that gateways of this kind count in, per unit of the currency. */
const UNITS_PER_CURRENCY = 500_000;
/** What is a whole number of units but for the way that computers reckon is not rounded away from it. */
const TOLERANCE = 1e-12;
/** Where a gateway says what a request cost, beside its usage. */
const COST_HEADER = "x-litellm-response-cost";

/**
 * Makes a price book of a list, such as one read from JSON. A client that is given it says what its calls cost: by what
 * the gateway says, else by these prices; what neither knows has no `cost`.
 *
 * @example
 * const prices = priceBook({ models: { "local-chat": { input: 0.5, output: 2 } } });
 * const gateway = new ModelGateway({ prices });
 *
 * @throws ConfigurationError that names what is wrong with the list
 */
export function priceBook(list: PriceList = {}): PriceBook {
  return new Book(list);
}

class Book implements PriceBook {
  readonly currency: string;
  readonly unitsPerCurrency: number;
  readonly #round: (units: number) => number;
  readonly #models = new Map<string, ModelPrice>();

  constructor(list: PriceList) {
    checkPriceList(list);
    const { currency = "USD", unitsPerCurrency, rounding = "up", models = {} } = list;
    this.currency = currency;
    this.unitsPerCurrency = checkRate("unitsPerCurrency", unitsPerCurrency) ?? UNITS_PER_CURRENCY;
    this.#round = ROUNDERS[rounding];
    this.add(models);
  }

  add(models: ModelPrices): void {
    const entries = Object.entries(models);
    for (const [model, price] of entries) checkModelPrice(model, price);
    for (const [model, price] of entries) this.#models.set(model, { ...this.#models.get(model), ...price });
  }

  priceOf(model: string): ModelPrice | undefined {
    return this.#models.get(model);
  }

  quote(name: string, given: unknown, isOneRequest?: boolean): Quote | undefined {
    const body = readObject(given) ?? {};
    const price = this.#models.get(modelOf(body) ?? "");
    const estimate = price && kindOf(name)?.estimate(price, body, isOneRequest);
    if (estimate === undefined) return undefined;
    const { upper, expected, requests = 1, missing = [] } = estimate;
    const { currency, unitsPerCurrency } = this;
    // Each request is rounded by itself, at most by a unit.
    const units = upper === 0 ? 0 : this.#round(upper * unitsPerCurrency) + Math.max(0, requests - 1);
    const quote: Quote = {
      upper: units / unitsPerCurrency,
      expected: Math.min(units, this.#round(expected * unitsPerCurrency)) / unitsPerCurrency,
      currency,
      units,
    };
    if (missing.length > 0) quote.missing = [...missing];
    return quote;
  }

  settle(call: PricedCall, answer: PricedAnswer, result: unknown): void {
    const target = readObject(result);
    if (target === undefined) return;
    if (call.name === "videos.retrieve") this.#settleTask(answer, result as VideoTask);
    const kind = kindOf(call.name);
    if (kind === undefined) return;
    const body = readObject(call.body ?? call.request) ?? {};
    const { reader } = answer;
    if (kind === VIDEOS) this.#promise(call.name, body, answer, result as VideoTask);
    else if (reader === undefined || kind === SPEECH) {
      const cost = this.#costOf(kind, body, answer, readObject(answer.body));
      if (cost !== undefined) target["cost"] = cost;
    } else {
      // Said once for all: what is told of a stream no longer changes when it is over.
      let cost: Cost | undefined;
      Object.defineProperty(result, "cost", {
        get: () => {
          if (reader.complete) cost ??= this.#costOf(kind, body, answer, readObject(reader.partial?.()));
          return cost;
        },
      });
    }
  }

  /** A task is paid for when it has succeeded: its handle remembers what that costs, in whatever process it ends. */
  #promise(
    name: string,
    body: Record<string, unknown>,
    answer: PricedAnswer,
    { handle, usage }: VideoTask,
  ): void {
    const quote = this.quote(name, body);
    const model = modelOf(body);
    if (model !== undefined) handle.model = model;
    const told = toldCost(readObject(usage), answer);
    if (told !== undefined) handle.cost = this.#cost(told, "gateway");
    else if (quote !== undefined && quote.expected !== Infinity)
      handle.cost = this.#cost(quote.expected, "estimate");
  }

  #settleTask(answer: PricedAnswer, task: VideoTask): void {
    if (task.status !== "succeeded") return;
    const usage = readObject(task.usage);
    const price = this.#models.get(task.handle.model ?? "");
    const told = toldCost(usage, answer);
    const counted = price && VIDEOS.amountOf(price, { body: {}, usage, answer: undefined });
    const cost =
      told !== undefined
        ? this.#cost(told, "gateway")
        : counted !== undefined
          ? this.#cost(counted, "price-book")
          : task.handle.cost;
    if (cost !== undefined) task.cost = cost;
  }

  #costOf(
    kind: PricedKind,
    body: Record<string, unknown>,
    answer: PricedAnswer,
    whole: Record<string, unknown> | undefined,
  ): Cost | undefined {
    const usage = readObject(answer.reader ? answer.reader.usage?.() : whole?.["usage"]);
    const told = toldCost(usage, answer);
    const price = this.#models.get(modelOf(body) ?? "");
    const amount = told ?? (price && kind.amountOf(price, { body, usage, answer: whole }));
    if (amount === undefined) return undefined;
    const cost = this.#cost(amount, told === undefined ? "price-book" : "gateway");
    const { timeline } = answer.info;
    // Whatever the call: an answer that nobody got may have been paid for.
    const doubt = timeline.length > 1 && mayHaveBeenBilled("billable", timeline.slice(0, -1));
    return doubt ? { ...cost, maybeMore: true } : cost;
  }

  #cost(amount: number, source: CostSource): Cost {
    const exact = amount * this.unitsPerCurrency;
    const { currency } = this;
    // The gateway's own word has been rounded already.
    if (source === "gateway") return { amount, currency, units: Math.round(exact * 1e6) / 1e6, source };
    const units = this.#round(exact);
    return { amount: units / this.unitsPerCurrency, currency, units, source };
  }
}

const ROUNDERS = {
  up: (units: number) => Math.ceil(units * (1 - TOLERANCE)),
  nearest: (units: number) => Math.round(units * (1 + TOLERANCE)),
  none: (units: number) => units,
};

function kindOf(name: string): PricedKind | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name as keyof typeof KINDS] : undefined;
}

function modelOf(body: Record<string, unknown>): string | undefined {
  const model = body["model_name"] ?? body["model"];
  return typeof model === "string" ? model : undefined;
}

/** What the gateway says that the request cost, in units of the currency. */
function toldCost(usage: Record<string, unknown> | undefined, { info }: PricedAnswer): number | undefined {
  const told = readNumber(usage?.["cost"] ?? usage?.["total_cost"] ?? info.headers.get(COST_HEADER));
  return told !== undefined && told >= 0 ? told : undefined;
}
