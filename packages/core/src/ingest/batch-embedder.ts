import type { RequestOptions } from "../call/call.js";
import type { Cost } from "../costs/cost.js";
import { sumCosts } from "../costs/sum-costs.js";
import type { EmbeddingCache } from "../embeddings/embedding-cache.js";
import type { EmbeddingRequest, EmbeddingResult } from "../embeddings/embedding-types.js";
import type { Embeddings } from "../embeddings/embeddings.js";
import { InvalidInputsError } from "../embeddings/invalid-inputs-error.js";
import { isRefusal } from "../embeddings/is-refusal.js";
import { GatewayError } from "../errors/gateway-error.js";

/** As many texts may be refused before any is accepted until the request itself is taken to be at fault. */
const MAX_REFUSED_AT_FIRST = 8;
/** So many texts may be refused in a row until the model is taken to refuse everything by now. */
const MAX_REFUSED_IN_A_ROW = 256;

/** What a `BatchEmbedder` is given. */
export interface BatchEmbedderOptions {
  embeddings: Pick<Embeddings, "create">;
  body: Omit<EmbeddingRequest, "input">;
  cache: EmbeddingCache;
  batchSize: number;
  request: RequestOptions;
  /** A batch waits for others, of which there should be more. */
  onDoubt: () => void;
}

/** What came of a batch, by text. */
export interface EmbeddedBatch {
  vectors: Map<string, number[]>;
  /** Why. */
  refused: Map<string, string>;
  /** Texts that were sent and paid for. */
  paid: number;
}

/** Embeds the batches of an ingest, several at once; a text that is refused fails none of them. */
export class BatchEmbedder {
  /** What was paid for, as far as the gateway told. */
  tokens = 0;
  readonly #options: BatchEmbedderOptions;
  #cost: Cost | undefined;
  #isCostKnown = true;
  #embedding = 0;
  #doubtful = 0;
  #isProven = false;
  #isLast = false;
  #refusedAtFirst = 0;
  #refusedInARow = 0;
  #waiting: Array<() => void> = [];

  constructor(options: BatchEmbedderOptions) {
    this.#options = options;
  }

  /** Undefined when it is not known of each request. */
  get cost(): Cost | undefined {
    return this.#isCostKnown ? this.#cost : undefined;
  }

  /** Batches that wait for what comes of others, since everything of theirs was refused and nothing is known to be accepted. */
  get waiting(): number {
    return this.#refusedAtFirst < MAX_REFUSED_AT_FIRST ? this.#doubtful : 0;
  }

  /** There are no more batches to come. */
  end(): void {
    this.#isLast = true;
    this.#changed();
  }

  /** Such requests are accepted: a text that is refused is at fault itself. */
  prove(): void {
    this.#isProven = true;
    this.#changed();
  }

  /**
   * @param texts different ones
   * @throws any failure but the refusal of single texts
   */
  async embed(texts: readonly string[]): Promise<EmbeddedBatch> {
    const batch: EmbeddedBatch = { vectors: new Map(), refused: new Map(), paid: 0 };
    this.#embedding++;
    try {
      await this.#embed(texts, batch);
      return batch;
    } finally {
      this.#embedding--;
      this.#changed();
    }
  }

  async #embed(texts: readonly string[], batch: EmbeddedBatch): Promise<void> {
    const { embeddings, body, cache, batchSize, request } = this.#options;
    try {
      const options = { ...request, cache, batchSize, concurrency: 1 };
      this.#take(
        await embeddings.create({ ...body, input: texts } as EmbeddingRequest, options),
        texts,
        batch,
      );
    } catch (error) {
      const partial = GatewayError.isInstance(error) ? error.partial : undefined;
      if (partial !== undefined) this.#take(partial as EmbeddingResult, texts, batch);
      if (InvalidInputsError.isInstance(error)) {
        for (const { index, reason } of error.inputs) batch.refused.set(texts[index] as string, reason);
        return;
      }
      if (!isRefusal(error) || !(await this.#mayBeTexts(texts.length))) throw error;
      await this.#refuse(texts, batch, error);
    }
  }

  #take(
    { data, usage, cached = 0, cost, raw }: EmbeddingResult,
    texts: readonly string[],
    batch: EmbeddedBatch,
  ): void {
    for (const { index, embedding } of data) batch.vectors.set(texts[index] as string, embedding);
    batch.paid += data.length - cached;
    this.tokens += usage?.total_tokens ?? 0;
    if (raw.length > 0) {
      if (cost === undefined) this.#isCostKnown = false;
      else this.#cost = this.#cost === undefined ? cost : sumCosts([this.#cost, cost]);
    }
    if (data.length === 0) return;
    this.#refusedInARow = 0;
    this.prove();
  }

  /** None of what was sent of it was accepted, and not everything was sent alone. */
  async #refuse(texts: readonly string[], batch: EmbeddedBatch, refusal: GatewayError): Promise<void> {
    const [text] = texts;
    if (texts.length === 1 && text !== undefined) {
      if (++this.#refusedInARow > MAX_REFUSED_IN_A_ROW) throw refusal;
      batch.refused.set(text, refusal.message);
      return;
    }
    for (const one of texts) if (!batch.vectors.has(one)) await this.#embed([one], batch);
  }

  /** Waits for the other batches, as long as one of them may be accepted. */
  async #mayBeTexts(count: number): Promise<boolean> {
    this.#doubtful++;
    this.#refusedAtFirst += count;
    this.#options.onDoubt();
    this.#changed();
    const mayCome = () => !this.#isLast && this.#refusedAtFirst < MAX_REFUSED_AT_FIRST;
    while (!this.#isProven && (this.#doubtful < this.#embedding || mayCome()))
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#doubtful--;
    return this.#isProven;
  }

  #changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
