import type { APIError } from "../errors/api-error.js";
import { GatewayError } from "../errors/gateway-error.js";
import { answerWithin } from "./answer-within.js";
import { byteLength } from "./byte-length.js";
import { pause } from "./pause.js";
import { repeatEvery } from "./repeat-every.js";
import type { StreamEnd } from "./stream-end.js";
import { heartbeatMs, type StreamSettings } from "./stream-settings.js";
import type { StreamSource } from "./stream-source.js";
import type { StreamStore } from "./stream-store.js";
import { StreamStoreFullError } from "./stream-store-full-error.js";
import { untilAborted } from "./until-aborted.js";

/** The process that makes the call. */
export interface StreamProcess {
  /** Whether any reader of this stream is in it. */
  hasReaders(): boolean;
  warn(message: string): void;
}

/** Between two tries to write to a store that does not answer. */
const AGAIN_MS = 250;

/** One paid call, and its way into the store: goes on whoever reads. */
export class StreamRun {
  /** Settles when the call and its writing are over. Never rejects. */
  readonly over: Promise<void>;
  private readonly controller = new AbortController();
  /** Set when this process ends the call, and why. */
  private ending: StreamEnd | undefined;
  /** Whether all of the call was read: there is nothing left to abort. */
  private isRead = false;

  constructor(
    private readonly store: StreamStore,
    readonly key: string,
    private readonly run: string,
    private readonly settings: StreamSettings,
    source: StreamSource,
    private readonly process: StreamProcess,
  ) {
    const over = new AbortController();
    const beats = repeatEvery(heartbeatMs(settings), over.signal, () => this.renew());
    const unwatch = store.watch(key, ({ ended }) => {
      if (ended) void this.renew();
    });
    this.over = this.pump(source).then(() => {
      unwatch();
      over.abort();
      return beats;
    });
  }

  /** Ends the call; its readers are told why. */
  end(outcome: "cut" | "abandoned" | "full"): void {
    this.ending ??= { outcome };
    this.controller.abort();
  }

  private async pump(source: StreamSource): Promise<void> {
    let number = 0;
    let bytes = 0;
    let end: StreamEnd = { outcome: "complete" };
    try {
      for await (const event of untilAborted(source, this.controller.signal)) {
        const json = JSON.stringify(event);
        bytes += byteLength(json);
        if (bytes > this.settings.maxStreamBytes) {
          this.end("full");
          break;
        }
        const next = ++number;
        if (!(await this.write(() => this.store.append(this.key, this.run, next, json)))) this.lose();
      }
    } catch (error) {
      if (StreamStoreFullError.isInstance(error)) this.end("full");
      else end = endOf(error, number);
    }
    if (this.controller.signal.aborted && this.ending === undefined) return;
    this.isRead = true;
    const { keepMs } = this.settings;
    await this.write(() => this.store.finish(this.key, this.run, this.ending ?? end, keepMs)).catch(() => {});
  }

  /** The stream has its end without us. */
  private lose(): void {
    if (!this.isRead) this.controller.abort();
  }

  private async renew(): Promise<void> {
    try {
      const { leaseMs } = this.settings;
      const renewed = this.store.renew(this.key, this.run, leaseMs);
      const { held, unreadMs } = await answerWithin(leaseMs, renewed);
      if (!held) this.lose();
      else if (unreadMs > this.settings.graceMs && !this.process.hasReaders()) this.end("abandoned");
    } catch {
      // Writing finds out how long it can go on without the store.
    }
  }

  /** A store that is away for less than the lease costs nothing; after that, others take the stream for cut. */
  private async write(attempt: () => Promise<boolean>): Promise<boolean> {
    const until = performance.now() + this.settings.leaseMs;
    for (;;) {
      try {
        return await answerWithin(Math.max(1, until - performance.now()), attempt());
      } catch (error) {
        if (StreamStoreFullError.isInstance(error)) throw error;
        // The application is closing, and the lease tells the others.
        if (this.ending?.outcome === "cut") return false;
        if (performance.now() > until) {
          this.process.warn(
            `The store of streams did not answer for ${this.settings.leaseMs} ms. The call of a stream was aborted, and what ` +
              `was made of it is paid for: ${error instanceof Error ? error.message : String(error)}`,
          );
          this.lose();
          return false;
        }
        await pause(AGAIN_MS);
      }
    }
  }
}

/** What readers in any process may know of what core, or the application, threw. */
function endOf(error: unknown, events: number): StreamEnd {
  if (!GatewayError.isInstance(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      outcome: "broken",
      problem: { name: "Error", kind: "api", message, retryable: false, maybeProcessed: true },
    };
  }
  const { name, kind, message, requestId, retryable, maybeProcessed } = error;
  const { status, code } = error as Partial<APIError>;
  return {
    // What nobody paid for can be asked again under the same key.
    outcome: events === 0 && !maybeProcessed ? "refused" : "broken",
    problem: {
      ...{ name, kind, message, retryable, maybeProcessed },
      ...(status !== undefined && { status }),
      ...(typeof code === "string" && { code }),
      ...(requestId !== undefined && { requestId }),
    },
  };
}
