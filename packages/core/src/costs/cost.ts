/**
 * Who says what a call cost: the gateway itself; the price book, by what the gateway counted or what alone decides; or
 * the price book by what was asked for, where the gateway may count otherwise.
 */
export type CostSource = "gateway" | "price-book" | "estimate";

/** What a call cost. Plain JSON. */
export interface Cost {
  /** In units of `currency`, as the gateway rounds it. */
  amount: number;
  /** As the price book names it, such as `USD`. */
  currency: string;
  /** The same in the units that the gateway counts in, which are whole where it rounds. */
  units: number;
  source: CostSource;
  /** An earlier attempt of the call may have been billed as well: that is not in `amount`, and nobody can say how much it is. */
  maybeMore?: true;
}

/** What a call can cost, before anything is sent. Plain JSON but for `Infinity`. */
export interface Quote {
  /** It costs no more than this, in units of `currency`; `Infinity` when nothing bounds it: see `missing`. */
  upper: number;
  /**
   * What it comes to when texts have four bytes per token and the answer is as long as it may be; no promise. At most
   * `upper`.
   */
  expected: number;
  currency: string;
  /** `upper` in the units that the gateway counts in. */
  units: number;
  /** What would bound it: fields of the body or of the model's price. */
  missing?: string[];
}
