const FENCE = "```";

/** More than this is held back of no answer: a fence with the blanks around it is short, and reading stays linear. */
const LONGEST_FENCE = 64;

/**
 * Takes the fence away that models put around JSON when only the prompt asks for it: a first line of backticks and a
 * language, a last one of backticks. An answer without a fence passes as it is.
 */
export class FenceReader {
  private state: "before" | "inside" | "plain" = "before";
  /** What may still turn out to be part of a fence. */
  private held = "";

  /** @returns the text that is known to be none of the fence */
  add(text: string): string {
    if (this.state === "plain") return text;
    this.held += text;
    if (this.state === "before") {
      const start = this.held.trimStart();
      const mayBegin = this.held.length < LONGEST_FENCE;
      if (mayBegin && start.length < FENCE.length && FENCE.startsWith(start)) return "";
      const line = start.startsWith(FENCE) ? start.indexOf("\n") : -1;
      if (line === -1) {
        if (mayBegin && start.startsWith(FENCE)) return "";
        this.state = "plain";
        return this.take(this.held.length);
      }
      this.state = "inside";
      this.held = start.slice(line + 1);
    }
    let end = this.held.length;
    const least = Math.max(0, end - LONGEST_FENCE);
    while (end > least && /[\s`]/.test(this.held[end - 1] as string)) end--;
    return this.take(end);
  }

  /** The answer is over. @returns what was held back and is no fence after all */
  end(): string {
    const rest = this.take(this.held.length);
    return this.state === "inside" && ["", FENCE].includes(rest.trim()) ? "" : rest;
  }

  private take(length: number): string {
    const taken = this.held.slice(0, length);
    this.held = this.held.slice(length);
    return taken;
  }
}
