import { type ErrorContext, errorFromInterruption, errorFromUnreadable } from "../call/call-errors.js";
import type { AttemptFailure, StreamReader } from "../call/exchange.js";
import { AsyncQueue } from "./async-queue.js";

/** Unread chunks at which the connection is paused; a chunk is at most 64 KB. */
const HIGH_WATER_MARK = 16;

/** Passes the bytes of an answer on and holds them against a cap. */
export class ByteReader implements StreamReader<Uint8Array> {
  readonly queue = new AsyncQueue<Uint8Array>(HIGH_WATER_MARK);
  complete = false;
  private received = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly context: ErrorContext,
  ) {}

  push(chunk: Uint8Array): number {
    this.received += chunk.length;
    if (this.received > this.maxBytes) {
      throw errorFromUnreadable(`more than ${this.maxBytes} bytes`, 200, undefined, this.context);
    }
    this.queue.push(chunk);
    return 1;
  }

  end(): void {
    this.complete = true;
  }

  interrupted(failure: AttemptFailure): unknown {
    return errorFromInterruption(failure, this.context, undefined);
  }
}
