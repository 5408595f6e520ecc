/** As many batches of the largest size are taken until a larger one is tried again. */
const TRY_LARGER_AFTER = 16;

/** How many texts the gateway takes at once of one model, as far as it was found out; kept from call to call. */
export class BatchLimit {
  #size = Number.POSITIVE_INFINITY;
  #largestAccepted = 0;
  #streak = 0;

  get size(): number {
    return this.#size;
  }

  accepted(texts: number): void {
    this.#largestAccepted = Math.max(this.#largestAccepted, texts);
    if (texts < this.#size || ++this.#streak < TRY_LARGER_AFTER) return;
    // The texts of then may have been long ones.
    this.#streak = 0;
    this.#size *= 2;
  }

  /** A batch was refused, and its halves were not. */
  refused(texts: number): void {
    this.#streak = 0;
    // As many were taken before: it was not their number this time, unless it happens again.
    if (this.#largestAccepted >= texts) this.#largestAccepted = 0;
    else this.#size = Math.min(this.#size, Math.floor(texts / 2));
  }
}
