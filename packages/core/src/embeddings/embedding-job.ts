import { onAbort } from "../call/abort-signal.js";
import type { WithResponse } from "../call/api-promise.js";
import { sumCosts } from "../costs/sum-costs.js";
import { APIUserAbortError } from "../errors/errors.js";
import { defineHidden, GatewayError } from "../errors/gateway-error.js";
import type { BatchLimit } from "./batch-limit.js";
import { BatchRun } from "./batch-run.js";
import type { EmbeddingCache } from "./embedding-cache.js";
import type { EmbeddingClaim, EmbeddingFlights } from "./embedding-flights.js";
import { embeddingKeyOf } from "./embedding-key.js";
import type { EmbeddingRequest, EmbeddingResult, EmbeddingUsage } from "./embedding-types.js";
import { GuardedCache } from "./guarded-cache.js";
import { InvalidInputsError } from "./invalid-inputs-error.js";
import { isRefusal } from "./is-refusal.js";
import type { EmbeddingBatch } from "./read-embeddings.js";

/** What a call of `embeddings.create` works with. */
export interface EmbeddingJobOptions {
  limit: BatchLimit;
  batchSize: number;
  concurrency: number;
  send: (body: EmbeddingRequest, count: number) => Promise<WithResponse<EmbeddingBatch>>;
  cache: EmbeddingCache | undefined;
  flights: EmbeddingFlights;
  onProgress: ((progress: { done: number; total: number }) => void) | undefined;
  signal: AbortSignal | undefined;
  warn: (text: string) => void;
}

type Vector = number[] | Float32Array;

/** One call of `embeddings.create`. Texts are known by their place in the list of different ones. */
export class EmbeddingJob {
  readonly #body: EmbeddingRequest;
  readonly #options: EmbeddingJobOptions;
  readonly #texts: readonly string[];
  /** The place of the text of each input. */
  readonly #placeOf: readonly number[];
  /** How many inputs have the text. */
  readonly #counts: number[] = [];
  readonly #vectors: (Vector | undefined)[] = [];
  readonly #batches: WithResponse<EmbeddingBatch>[] = [];
  readonly #run: BatchRun;
  #done = 0;
  #cached = 0;
  /** Keeps what a batch gave, and hands it to others that wait for it. */
  #keep: (places: readonly number[]) => Promise<void> | undefined = () => undefined;

  constructor(body: EmbeddingRequest, options: EmbeddingJobOptions) {
    const inputs = typeof body.input === "string" ? [body.input] : body.input;
    const places = new Map<string, number>();
    this.#placeOf = inputs.map((text) => {
      const place = places.get(text) ?? places.size;
      places.set(text, place);
      this.#counts[place] = (this.#counts[place] ?? 0) + 1;
      return place;
    });
    this.#texts = [...places.keys()];
    this.#body = body;
    this.#options = options;
    const { limit, batchSize, concurrency } = options;
    this.#run = new BatchRun({ limit, batchSize, concurrency, send: (batch) => this.#send(batch) });
  }

  async run(): Promise<WithResponse<EmbeddingResult>> {
    const { cache } = this.#options;
    try {
      if (cache === undefined) await this.#run.run([...this.#texts.keys()], false);
      else await this.#runThrough(cache);
    } catch (error) {
      if (this.#done > 0 && GatewayError.isInstance(error)) defineHidden(error, { partial: this.#result() });
      throw error;
    }
    const [refusal] = this.#run.refused.values();
    if (refusal !== undefined) throw this.#invalidInputs(refusal);
    const data = this.#result();
    const [first] = this.#batches;
    return {
      data,
      get response() {
        // Where no request was sent, there is no answer to tell of.
        return first?.response ?? { status: 204, headers: new Headers(), url: "" };
      },
      requestId: first?.requestId,
      attempts: this.#batches.reduce((sum, { attempts }) => sum + attempts, 0),
    };
  }

  async #send(places: readonly number[]): Promise<void> {
    const { input } = this.#body;
    // A single text stays a string: that is how the caller wrote it.
    const texts = typeof input === "string" ? input : places.map((place) => this.#texts[place] as string);
    const answer = await this.#options.send({ ...this.#body, input: texts }, places.length);
    this.#batches.push(answer);
    places.forEach((place, index) => {
      this.#vectors[place] = answer.data.vectors[index];
    });
    await this.#keep(places);
    this.#tell(places);
  }

  /** Each text is looked for, or waited for where another call asks for it already; the others are sent. */
  async #runThrough(cache: EmbeddingCache): Promise<void> {
    const { flights, warn, signal } = this.#options;
    const guarded = new GuardedCache(cache, warn, signal);
    const keys = this.#texts.map(embeddingKeyOf(this.#body));
    let open = [...keys.keys()];
    while (open.length > 0) {
      const claim = flights.claim(cache, keys, open);
      this.#keep = async (places) => {
        const entries = places.flatMap((place) => {
          const vector = Float32Array.from(this.#vectors[place] ?? []);
          // What 32 bits cannot hold is handed out as it came.
          if (!vector.every(Number.isFinite)) return [];
          this.#vectors[place] = vector;
          return [[keys[place] as string, vector] as const];
        });
        await guarded.write(entries);
        for (const [key, vector] of entries) claim.land(key, vector);
      };
      const refusal = await this.#embedOwn(claim, keys, guarded)
        .then(
          () => undefined,
          (error) => {
            if (isRefusal(error) && claim.theirs.size > 0) return error;
            throw error;
          },
        )
        .finally(() => claim.release());
      open = await this.#collect(claim);
      if (refusal === undefined) continue;
      // What others asked for acquits the request, when it was accepted.
      if (this.#done === 0) throw refusal;
      const { refused } = this.#run;
      open.push(...claim.mine.filter((place) => this.#vectors[place] === undefined && !refused.has(place)));
    }
  }

  async #embedOwn(claim: EmbeddingClaim, keys: readonly string[], guarded: GuardedCache): Promise<void> {
    const { mine } = claim;
    const found = await guarded.read(mine.map((place) => keys[place] as string));
    const hits: number[] = [];
    mine.forEach((place, index) => {
      this.#vectors[place] = found[index];
      if (found[index] !== undefined) hits.push(place);
    });
    const missing = mine.filter((place) => this.#vectors[place] === undefined);
    this.#cached += this.#tell(hits);
    const acquitted = this.#done > 0;
    await this.#run.run(missing, acquitted);
    const length = this.#batches[0]?.data.vectors[0]?.length;
    const wrong = hits.filter((place) => length !== undefined && this.#vectors[place]?.length !== length);
    if (wrong.length > 0) {
      guarded.distrust(new Error("it holds vectors of different lengths"));
      for (const place of wrong) this.#vectors[place] = undefined;
      const inputs = this.#inputsOf(wrong);
      this.#cached -= inputs;
      this.#done -= inputs;
      await this.#run.run(wrong, acquitted);
    }
    for (const place of hits) claim.land(keys[place] as string, this.#vectors[place] as Float32Array);
  }

  /** @returns the places whose calls did not get a vector */
  async #collect({ theirs }: EmbeddingClaim): Promise<number[]> {
    if (theirs.size === 0) return [];
    const { signal } = this.#options;
    let unlink = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      const abort = () => {
        const { reason: cause } = signal as AbortSignal;
        reject(new APIUserAbortError("embeddings.create was aborted by the caller.", { cause }));
      };
      unlink = onAbort(signal, abort);
      if (signal?.aborted) abort();
    });
    try {
      const all = Promise.all([...theirs].map(async ([place, flight]) => [place, await flight] as const));
      const arrived = (await Promise.race([all, aborted])).filter(([place, vector]) => {
        this.#vectors[place] = vector;
        return vector !== undefined;
      });
      this.#cached += this.#tell(arrived.map(([place]) => place));
      return [...theirs.keys()].filter((place) => this.#vectors[place] === undefined);
    } finally {
      unlink();
    }
  }

  #inputsOf(places: readonly number[]): number {
    return places.reduce((sum, place) => sum + (this.#counts[place] as number), 0);
  }

  /** @returns how many inputs are done by it */
  #tell(places: readonly number[]): number {
    const inputs = this.#inputsOf(places);
    this.#done += inputs;
    if (inputs > 0) this.#options.onProgress?.({ done: this.#done, total: this.#placeOf.length });
    return inputs;
  }

  #invalidInputs(cause: GatewayError): InvalidInputsError {
    const { refused } = this.#run;
    const inputs = this.#placeOf.flatMap((place, index) => {
      const error = refused.get(place);
      return error === undefined ? [] : [{ index, reason: error.message }];
    });
    const { method, path, requestId, timeline } = cause;
    const details = { method, path, requestId, timeline, cause };
    return new InvalidInputsError(inputs, this.#result(), this.#placeOf.length, details);
  }

  /** As far as there is one. */
  #result(): EmbeddingResult {
    const batches = this.#batches.map(({ data }) => data);
    const cost = batches.length === 0 ? undefined : sumCosts(batches.map((batch) => batch.cost));
    const taken = new Set<number>();
    return {
      data: this.#placeOf.flatMap((place, index) => {
        const vector = this.#vectors[place];
        if (vector === undefined) return [];
        // Who changes one vector changes no other.
        const embedding = Array.isArray(vector) && !taken.has(place) ? vector : Array.from(vector);
        taken.add(place);
        return [{ index, embedding }];
      }),
      model: batches[0]?.model ?? this.#body.model,
      usage: sumUsage(batches),
      raw: batches.map(({ raw }) => raw),
      ...(this.#options.cache && { cached: this.#cached }),
      ...(cost && { cost }),
    };
  }
}

function sumUsage(batches: readonly EmbeddingBatch[]): EmbeddingUsage | undefined {
  const known = batches.map(({ usage }) => usage).filter((usage) => usage !== undefined);
  if (known.length === 0 && batches.length > 0) return undefined;
  return {
    prompt_tokens: known.reduce((sum, usage) => sum + usage.prompt_tokens, 0),
    total_tokens: known.reduce((sum, usage) => sum + usage.total_tokens, 0),
  };
}
