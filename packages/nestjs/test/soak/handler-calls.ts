import type { VideoTaskRecordStatus } from "../../src/index.js";

/** A call of a handler, as the process that it ran in told of it. */
export interface HandlerCall {
  key: string;
  status: VideoTaskRecordStatus;
  /** The same at each attempt. */
  id: string;
}

/** How a handler is to end. */
export type HandlerEnd = "return" | "throw" | "die";

/** Counts the calls of handlers outside the processes that they run in, and decides how each ends. */
export class HandlerCalls {
  private readonly begun: Array<HandlerCall & { end: HandlerEnd }> = [];

  constructor(private readonly random: () => number) {}

  /** @param isCalm every handler returns */
  begin(call: HandlerCall, isCalm: boolean): HandlerEnd {
    const dice = isCalm ? 1 : this.random();
    const end = dice < 0.03 ? "die" : dice < 0.35 ? "throw" : "return";
    this.begun.push({ ...call, end });
    return end;
  }

  get count(): number {
    return this.begun.length;
  }

  /** Those from the given one on. */
  since(count: number): HandlerCall[] {
    return this.begun.slice(count).map(({ end: _decided, ...call }) => call);
  }

  /** Whether a handler that was told of this end of a submission has returned. */
  hasReturned(key: string, status: VideoTaskRecordStatus): boolean {
    return this.begun.some((call) => call.key === key && call.status === status && call.end === "return");
  }

  /** Calls of what had returned before, as when that could not be written down. */
  get repeated(): number {
    const returned = new Set<string>();
    let repeated = 0;
    for (const { id, end } of this.begun) {
      if (returned.has(id)) repeated += 1;
      if (end === "return") returned.add(id);
    }
    return repeated;
  }
}
