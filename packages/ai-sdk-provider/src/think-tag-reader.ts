/** A piece of an answer whose reasoning stands between tags. */
export interface TaggedPiece {
  type: "text" | "reasoning";
  text: string;
}

const OPENING = "<think>";
const CLOSING = "</think>";

/** More blanks than this before a tag are prose: what is held back stays short, and reading linear. */
const LONGEST_BEGINNING = 64;

/**
 * Tells the reasoning from the text of an answer that begins with `<think>…</think>`. A tag further on is prose: a model
 * may well write about one.
 */
export class ThinkTagReader {
  private state: "before" | "inside" | "after-tag" | "prose" = "before";
  /** What may still turn out to be a tag. */
  private held = "";

  add(text: string): TaggedPiece[] {
    if (this.state === "prose") return [{ type: "text", text }];
    this.held += text;
    return this.read().filter((piece) => piece.text !== "");
  }

  /** The answer is over: what was held back is what it looks like. */
  end(): TaggedPiece[] {
    const text = this.held;
    this.held = "";
    if (text === "") return [];
    return [{ type: this.state === "inside" ? "reasoning" : "text", text }];
  }

  private read(): TaggedPiece[] {
    if (this.state === "before") {
      const start = this.held.trimStart();
      const mayBegin = this.held.length < LONGEST_BEGINNING;
      if (mayBegin && start.length < OPENING.length && OPENING.startsWith(start)) return [];
      if (!start.startsWith(OPENING)) return this.release("prose");
      this.state = "inside";
      this.held = start.slice(OPENING.length);
    }
    if (this.state === "inside") return this.readReasoning();
    // The line breaks between reasoning and answer belong to neither.
    this.held = this.held.trimStart();
    return this.held === "" ? [] : this.release("prose");
  }

  private readReasoning(): TaggedPiece[] {
    const end = this.held.indexOf(CLOSING);
    if (end !== -1) {
      const text = this.held.slice(0, end);
      this.held = this.held.slice(end + CLOSING.length);
      this.state = "after-tag";
      return [{ type: "reasoning", text }, ...this.read()];
    }
    const kept = this.lengthOfBegunTag();
    const text = this.held.slice(0, this.held.length - kept);
    this.held = this.held.slice(this.held.length - kept);
    return [{ type: "reasoning", text }];
  }

  /** How much of the end of what is held may be the beginning of the closing tag. */
  private lengthOfBegunTag(): number {
    for (let length = Math.min(CLOSING.length - 1, this.held.length); length > 0; length--) {
      if (CLOSING.startsWith(this.held.slice(-length))) return length;
    }
    return 0;
  }

  private release(state: "prose"): TaggedPiece[] {
    const text = this.held;
    this.held = "";
    this.state = state;
    return [{ type: "text", text }];
  }
}
