import type { APIError } from "../errors/api-error.js";
import type { BatchLimit } from "./batch-limit.js";
import { isRefusal } from "./is-refusal.js";

/** Texts of one request, by their place in the list. */
interface Part {
  texts: number[];
  /** What they are a half of. */
  split?: Split;
  /** One of them was sent alone, and may have been what was at fault. */
  probed?: boolean;
}

interface Split {
  texts: number;
  /** Halves that were accepted as they are. */
  accepted: number;
}

/** What a `BatchRun` is given. */
export interface BatchRunOptions {
  limit: BatchLimit;
  /** Texts per request, where the limit allows as many. */
  batchSize: number;
  concurrency: number;
  /** Sends some of the texts, and keeps what comes of them. */
  send: (texts: readonly number[]) => Promise<void>;
}

/** As many texts may be refused one by one, while none is accepted, until the request itself is taken to be at fault. */
const MAX_PROBES = 8;

/**
 * Sends texts in batches, and halves what is refused until it is known which texts are at fault. Each of them costs at most two
 * requests per halving. Where nothing is accepted, the request may be at fault, such as by its `dimensions`, and halving would never
 * end: then single texts from all over the list are sent, at most `MAX_PROBES` of them, and one that is accepted acquits the request.
 */
export class BatchRun {
  /** Texts that were refused alone. */
  readonly refused = new Map<number, APIError>();
  readonly #options: BatchRunOptions;
  /** What is to be sent, the next last. */
  readonly #queue: Part[] = [];
  /** What was refused while nothing is accepted. */
  #doubtful: Part[] = [];
  #accepted = false;
  #underWay = 0;
  #firstRefusal: APIError | undefined;
  #failure: { error: unknown } | undefined;
  #acquitted = false;

  constructor(options: BatchRunOptions) {
    this.#options = options;
  }

  /**
   * Comes back when nothing is under way any more, also after a failure: what is under way is paid for. May be called again.
   *
   * @param acquitted the same request has been accepted for other texts
   * @throws the first failure that is no refusal, or the first refusal when the request seems to be at fault
   */
  async run(texts: readonly number[], acquitted: boolean): Promise<void> {
    if (texts.length === 0) return;
    this.#acquitted ||= acquitted;
    this.#failure = undefined;
    this.#queue.length = 0;
    this.#doubtful = [];
    const { batchSize: size } = this.#options;
    const parts: Part[] = [];
    for (let start = 0; start < texts.length; start += size)
      parts.push({ texts: texts.slice(start, start + size) });
    this.#queue.push(...parts.reverse());
    await new Promise<void>((resolve) => this.#pump(resolve));
    const failure = this.#failure as { error: unknown } | undefined;
    if (failure !== undefined) throw failure.error;
  }

  get #size(): number {
    return Math.min(this.#options.limit.size, this.#options.batchSize);
  }

  #pump(over: () => void): void {
    while (this.#underWay < this.#options.concurrency) {
      const part = this.#take();
      if (part === undefined) break;
      this.#underWay++;
      void this.#send(part).then(() => {
        this.#underWay--;
        this.#pump(over);
      });
    }
    if (this.#underWay === 0) over();
  }

  #take(): Part | undefined {
    if (this.#failure !== undefined) return undefined;
    if (this.#firstRefusal !== undefined && !this.#accepted)
      return this.#underWay > 0 ? undefined : this.#takeProbe(this.#firstRefusal);
    const size = this.#size;
    for (;;) {
      const part = this.#queue.pop();
      if (part === undefined) return undefined;
      if (part.texts.length > size)
        this.#queue.push({ texts: part.texts.splice(size) }, { texts: part.texts });
      // A probe may have been the last of them.
      else if (part.texts.length > 0) return part;
    }
  }

  /** One text alone, from another place of all that is left each time. */
  #takeProbe(refusal: APIError): Part | undefined {
    const parts = [...this.#doubtful, ...this.#queue];
    const left = parts.reduce((sum, { texts }) => sum + texts.length, 0);
    const probed = this.refused.size;
    if (left === 0 && this.#acquitted) return undefined;
    if (left === 0 || probed >= MAX_PROBES) {
      this.#failure = { error: refusal };
      return undefined;
    }
    let at = Math.floor(((left - 1) * (probed + 1)) / MAX_PROBES);
    for (const part of parts) {
      if (at < part.texts.length) {
        part.probed = true;
        return { texts: part.texts.splice(at, 1) };
      }
      at -= part.texts.length;
    }
    return undefined;
  }

  async #send(part: Part): Promise<void> {
    try {
      await this.#options.send(part.texts);
      this.#accept(part);
    } catch (error) {
      if (isRefusal(error)) this.#refuse(part, error);
      else this.#failure ??= { error };
    }
  }

  #accept({ texts, split }: Part): void {
    this.#accepted = true;
    for (const part of this.#doubtful) this.#halve(part);
    this.#doubtful = [];
    const { limit } = this.#options;
    // Both halves of a batch that was refused: what was wrong with it was its size.
    if (split !== undefined && ++split.accepted === 2) limit.refused(split.texts);
    limit.accepted(texts.length);
  }

  #refuse(part: Part, refusal: APIError): void {
    this.#firstRefusal ??= refusal;
    const [text] = part.texts;
    if (part.texts.length === 1 && text !== undefined) this.refused.set(text, refusal);
    else if (this.#accepted) this.#halve(part);
    else this.#doubtful.push(part);
  }

  #halve({ texts, probed }: Part): void {
    const middle = Math.ceil(texts.length / 2);
    const split = probed || texts.length < 2 ? undefined : { texts: texts.length, accepted: 0 };
    for (const half of [texts.slice(middle), texts.slice(0, middle)])
      if (half.length > 0) this.#queue.push({ texts: half, ...(split && { split }) });
  }
}
