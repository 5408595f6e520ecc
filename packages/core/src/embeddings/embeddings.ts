import { onAbort } from "../call/abort-signal.js";
import { APIPromise, type WithResponse } from "../call/api-promise.js";
import { type RequestOptions, SHORT_TIMEOUT_MS } from "../call/call.js";
import type { Sender } from "../call/sender.js";
import { checkCount } from "../checks/check-numbers.js";
import { Checker } from "../checks/checker.js";
import { sumCosts } from "../costs/sum-costs.js";
import { ConfigurationError } from "../errors/errors.js";
import type { EmbeddingRequest, EmbeddingResult, EmbeddingUsage } from "./embedding-types.js";
import { type EmbeddingBatch, readEmbeddings } from "./read-embeddings.js";

/** Options of `embeddings.create`. */
export interface EmbeddingOptions extends RequestOptions {
  /** Inputs per request. Default 64, the size the API description advises. */
  batchSize?: number;
  /** Requests under way at once. Default 4. */
  concurrency?: number;
  /** Called after each request with the number of inputs that are done. */
  onProgress?: (progress: { done: number; total: number }) => void;
}

const DEFAULT_BATCH_SIZE = 64;
const DEFAULT_CONCURRENCY = 4;

/** `POST /embeddings`. */
export class Embeddings {
  constructor(private readonly sender: Sender) {}

  /**
   * Embeds texts and returns the vectors in input order. Many inputs are split into batches; if one batch
   * fails, the others are aborted and its error is thrown. No inputs give no vectors and send no request.
   */
  create(body: EmbeddingRequest, options: EmbeddingOptions = {}): APIPromise<EmbeddingResult> {
    return new APIPromise(this.run(body, options));
  }

  private async run(
    body: EmbeddingRequest,
    options: EmbeddingOptions,
  ): Promise<WithResponse<EmbeddingResult>> {
    checkEmbeddingRequest(body);
    const batchSize = atLeastOne("batchSize", options.batchSize) ?? DEFAULT_BATCH_SIZE;
    const concurrency = atLeastOne("concurrency", options.concurrency) ?? DEFAULT_CONCURRENCY;
    const inputs = typeof body.input === "string" ? [body.input] : body.input;
    const total = inputs.length;
    if (total === 0) return nothing(body.model);

    const starts: number[] = [];
    for (let start = 0; start < total; start += batchSize) starts.push(start);
    const results: WithResponse<EmbeddingBatch>[] = new Array(starts.length);
    const siblings = new AbortController();
    const { batchSize: _size, concurrency: _concurrency, onProgress, ...requestOptions } = options;
    const { signal } = options;
    if (signal?.aborted) siblings.abort(signal.reason);
    const unlink = onAbort(signal, () => siblings.abort(signal?.reason));
    const sender = this.sender.asOneCall(requestOptions);
    let next = 0;
    let done = 0;

    const worker = async () => {
      while (next < starts.length) {
        const position = next++;
        const start = starts[position] as number;
        // A single text stays a string: that is how the caller wrote it.
        const input = typeof body.input === "string" ? body.input : inputs.slice(start, start + batchSize);
        const count = typeof input === "string" ? 1 : input.length;
        results[position] = await sendBatch(sender, { ...body, input }, count, {
          ...requestOptions,
          signal: siblings.signal,
        });
        done += count;
        onProgress?.({ done, total });
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(concurrency, starts.length) }, worker));
    } catch (error) {
      siblings.abort(error);
      throw error;
    } finally {
      unlink();
    }
    return combine(results, body.model);
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

function combine(
  results: readonly WithResponse<EmbeddingBatch>[],
  model: string,
): WithResponse<EmbeddingResult> {
  const [first] = results;
  if (first === undefined) return nothing(model);
  const batches = results.map(({ data }) => data);
  const cost = sumCosts(batches.map((batch) => batch.cost));
  return {
    data: {
      data: batches.flatMap(({ vectors }) => vectors).map((embedding, index) => ({ index, embedding })),
      model: first.data.model ?? model,
      usage: sumUsage(batches),
      raw: batches.map(({ raw }) => raw),
      ...(cost && { cost }),
    },
    get response() {
      return first.response;
    },
    requestId: first.requestId,
    attempts: results.reduce((sum, { attempts }) => sum + attempts, 0),
  };
}

function sumUsage(batches: readonly EmbeddingBatch[]): EmbeddingUsage | undefined {
  const known = batches.map(({ usage }) => usage).filter((usage) => usage !== undefined);
  if (known.length === 0) return undefined;
  return {
    prompt_tokens: known.reduce((sum, usage) => sum + usage.prompt_tokens, 0),
    total_tokens: known.reduce((sum, usage) => sum + usage.total_tokens, 0),
  };
}

function nothing(model: string): WithResponse<EmbeddingResult> {
  return {
    data: { data: [], model, usage: { prompt_tokens: 0, total_tokens: 0 }, raw: [] },
    // No request was sent, so there is no answer to tell of.
    response: { status: 204, headers: new Headers(), url: "" },
    requestId: undefined,
    attempts: 0,
  };
}
