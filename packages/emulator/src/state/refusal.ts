/** What a caller asked of the emulator's state makes no sense: a bad value, or something that is not there. */
export class Refusal extends TypeError {
  override readonly name = "Refusal";
  /** Whether it named something that does not exist. */
  readonly missing: boolean;

  constructor(message: string, { missing = false } = {}) {
    super(message);
    this.missing = missing;
  }

  static missing(message: string): Refusal {
    return new Refusal(message, { missing: true });
  }
}
