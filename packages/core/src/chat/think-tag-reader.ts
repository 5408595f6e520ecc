const OPEN = "<think>";
const CLOSE = "</think>";
/** A tag is not waited for behind more than this, blanks included: an answer of nothing but blanks is one, too. */
const MAX_LEAD = 64;

/** What a piece of text turned out to be. */
export interface ThinkTagPiece {
  text: string;
  reasoning: string;
}

type Place = "before" | "thinking" | "between" | "text";

/**
 * Tells the reasoning that some models write in `<think>` tags before their answer from the answer. Only tags at the
 * very beginning count; white space before them and behind them goes with them.
 */
export class ThinkTagReader {
  private place: Place = "before";
  /** Text that may turn out to be (the beginning of) a tag. */
  private held = "";

  /** Text that may belong to a tag is held back until more is known. */
  add(piece: string): ThinkTagPiece {
    if (this.place === "text") return { text: piece, reasoning: "" };
    const read = { text: "", reasoning: "" };
    this.held += piece;
    if (this.place === "before") this.readOpening(read);
    if (this.place === "thinking") this.readThoughts(read);
    if (this.place === "between") this.readGap(read);
    return read;
  }

  /** What is still held back when the answer is over. */
  end(): ThinkTagPiece {
    const { held, place } = this;
    this.held = "";
    return place === "thinking" ? { text: "", reasoning: held } : { text: held, reasoning: "" };
  }

  private readOpening(read: ThinkTagPiece): void {
    const begun = this.held.trimStart();
    if (begun.startsWith(OPEN)) {
      this.place = "thinking";
      this.held = begun.slice(OPEN.length);
    } else if (!OPEN.startsWith(begun) || this.held.length > MAX_LEAD) this.passOn(read);
  }

  private readThoughts(read: ThinkTagPiece): void {
    const end = this.held.indexOf(CLOSE);
    // What is passed on may not end in a piece of the closing tag.
    const known = end === -1 ? this.held.length - heldBack(this.held) : end;
    read.reasoning = this.held.slice(0, known);
    this.held = this.held.slice(end === -1 ? known : end + CLOSE.length);
    if (end !== -1) this.place = "between";
  }

  private readGap(read: ThinkTagPiece): void {
    this.held = this.held.trimStart();
    if (this.held !== "") this.passOn(read);
  }

  private passOn(read: ThinkTagPiece): void {
    this.place = "text";
    read.text = this.held;
    this.held = "";
  }
}

/** Length of the end of a text that could be the beginning of the closing tag. */
function heldBack(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
