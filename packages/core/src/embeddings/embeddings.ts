import { APIPromise, type WithResponse } from "../call/api-promise.js";
import { type RequestOptions, SHORT_TIMEOUT_MS } from "../call/call.js";
import type { Sender } from "../call/sender.js";
import { checkCount } from "../checks/check-numbers.js";
import { Checker } from "../checks/checker.js";
import { ConfigurationError } from "../errors/errors.js";
import { BatchLimit } from "./batch-limit.js";
import type { EmbeddingCache } from "./embedding-cache.js";
import { EmbeddingFlights } from "./embedding-flights.js";
import { EmbeddingJob } from "./embedding-job.js";
import type { EmbeddingRequest, EmbeddingResult } from "./embedding-types.js";
import { type EmbeddingBatch, readEmbeddings } from "./read-embeddings.js";

/** Options of `embeddings.create`. */
export interface EmbeddingOptions extends RequestOptions {
  /** Texts per request. Default 64, the size the API description advises. */
  batchSize?: number;
  /** Requests under way at once. Default 4. */
  concurrency?: number;
  /**
   * Where vectors are looked for before they are paid for, and kept afterwards. Vectors are those of 32-bit floats then, whether they
   * come from there or from the gateway, and calls of one client that want the same text at once share one request.
   */
  cache?: EmbeddingCache;
  /** Called after each request, and after the cache has been asked, with the number of inputs that are done. */
  onProgress?: (progress: { done: number; total: number }) => void;
}

const DEFAULT_BATCH_SIZE = 64;
const DEFAULT_CONCURRENCY = 4;
/** Names of models may come from outside. */
const MAX_LIMITS = 1_000;

/** `POST /embeddings`. */
export class Embeddings {
  readonly #sender: Sender;
  readonly #flights = new EmbeddingFlights();
  readonly #limits = new Map<string, BatchLimit>();

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /**
   * Embeds texts and returns the vectors in input order. Equal texts are sent once; each position has an array of its own. Many
   * inputs are split into batches, and a batch that is refused is halved until it is known which texts are at fault; the size that
   * the gateway turns out to take is kept for later calls. No inputs give no vectors and send no request.
   *
   * @throws InvalidInputsError when some texts were refused and the others are embedded. Of any other error, `partial` is the result so
   * far, when there is any: what was under way is waited for, since it is paid for.
   */
  create(body: EmbeddingRequest, options: EmbeddingOptions = {}): APIPromise<EmbeddingResult> {
    return new APIPromise(this.#run(body, options));
  }

  async #run(body: EmbeddingRequest, options: EmbeddingOptions): Promise<WithResponse<EmbeddingResult>> {
    checkEmbeddingRequest(body);
    const { batchSize, concurrency, cache, onProgress, ...requestOptions } = options;
    const sender = this.#sender.asOneCall(requestOptions);
    const job = new EmbeddingJob(body, {
      limit: this.#limitOf(body.model),
      batchSize: atLeastOne("batchSize", batchSize) ?? DEFAULT_BATCH_SIZE,
      concurrency: atLeastOne("concurrency", concurrency) ?? DEFAULT_CONCURRENCY,
      send: (batch, count) => sendBatch(sender, batch, count, requestOptions),
      signal: options.signal,
      warn: (text) => this.#sender.warn(text),
      ...{ cache, onProgress, flights: this.#flights },
    });
    return job.run();
  }

  #limitOf(model: string): BatchLimit {
    const known = this.#limits.get(model);
    if (known !== undefined) return known;
    if (this.#limits.size >= MAX_LIMITS) this.#limits.clear();
    const limit = new BatchLimit();
    this.#limits.set(model, limit);
    return limit;
  }
}

function sendBatch(
  sender: Pick<Sender, "json">,
  body: EmbeddingRequest,
  count: number,
  options: RequestOptions,
): Promise<WithResponse<EmbeddingBatch>> {
  return sender
    .json(
      {
        name: "embeddings.create",
        method: "POST",
        path: "/embeddings",
        cost: "repeatable",
        body,
        defaultTimeoutMs: SHORT_TIMEOUT_MS,
      },
      options,
      (answer, unreadable) => readEmbeddings(answer, count, unreadable),
    )
    .withResponse();
}

function checkEmbeddingRequest(body: EmbeddingRequest): void {
  const check = new Checker(body);
  check.requiredString("model");
  const { input } = body;
  if (Array.isArray(input)) {
    input.forEach((text: unknown, index) => {
      if (typeof text !== "string") check.add(`input[${index}]`, "must be a string", text);
    });
  } else if (typeof input !== "string") {
    check.add("input", "is required and must be a string or an array of strings", input);
  }
  check.throwIfAny();
}

function atLeastOne(option: string, value: number | undefined): number | undefined {
  if (value === 0) throw new ConfigurationError(`Option ${option} must be at least 1.`);
  return checkCount(option, value);
}
