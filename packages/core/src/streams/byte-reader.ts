import type { ExchangeFailure } from "../transport/exchange-failure.js";
import { AsyncQueue } from "./async-queue.js";
import type { StreamErrors, StreamReader } from "./stream-reader.js";

/** Unread chunks at which the connection is paused; a chunk is at most 64 KB. */
const HIGH_WATER_MARK = 16;

/** Passes the bytes of an answer on and holds them against a cap. */
export class ByteReader implements StreamReader<Uint8Array> {
  readonly queue = new AsyncQueue<Uint8Array>(HIGH_WATER_MARK);
  complete = false;
  #received = 0;

  readonly #maxBytes: number;
  readonly #errors: StreamErrors;

  constructor(maxBytes: number, errors: StreamErrors) {
    this.#maxBytes = maxBytes;
    this.#errors = errors;
  }

  push(chunk: Uint8Array): number {
    this.#received += chunk.length;
    if (this.#received > this.#maxBytes) {
      throw this.#errors.unreadable(`more than ${this.#maxBytes} bytes`);
    }
    this.queue.push(chunk);
    return 1;
  }

  end(): void {
    this.complete = true;
  }

  interrupted(failure: ExchangeFailure): unknown {
    return this.#errors.interrupted(failure, undefined);
  }
}
