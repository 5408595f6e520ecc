import { createHash } from "node:crypto";

/** What happened, in order, on the clock of the world: equal for equal seeds. */
export class Trace {
  readonly lines: string[] = [];
  readonly #startedAt: number;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  add(who: string, what: string): void {
    const ms = String(Date.now() - this.#startedAt).padStart(9);
    this.lines.push(`${ms} ms  ${who.padEnd(10)} ${what}`);
  }

  hash(): string {
    return createHash("sha256").update(this.lines.join("\n")).digest("hex").slice(0, 16);
  }
}
