import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

type DeltaPart = Extract<
  LanguageModelV4StreamPart,
  { type: "text-delta" | "reasoning-delta" | "tool-input-delta" }
>;

/**
 * Makes one part of deltas that follow each other and arrived together. The SDK works for every part, some of it over all
 * that came before (JSON of `Output.object`), so a reader that lags behind catches up with one part in place of hundreds.
 */
export class DeltaJoiner {
  private held: DeltaPart | undefined;
  /** Pieces of the held part, which is the first of them. */
  private pieces: string[] = [];

  constructor(private readonly emit: (part: LanguageModelV4StreamPart) => void) {}

  readonly add = (part: LanguageModelV4StreamPart): void => {
    const { held } = this;
    if (held !== undefined && part.type === held.type && part.id === held.id) {
      this.pieces.push(part.delta);
      return;
    }
    this.flush();
    if (isDelta(part)) {
      this.held = part;
      this.pieces.push(part.delta);
    } else {
      this.emit(part);
    }
  };

  /** Hands out what is held: nothing more has arrived. */
  flush(): void {
    const { held, pieces } = this;
    if (held === undefined) return;
    this.held = undefined;
    this.pieces = [];
    this.emit(pieces.length === 1 ? held : { ...held, delta: pieces.join("") });
  }
}

function isDelta(part: LanguageModelV4StreamPart): part is DeltaPart {
  const { type } = part;
  return type === "text-delta" || type === "reasoning-delta" || type === "tool-input-delta";
}
