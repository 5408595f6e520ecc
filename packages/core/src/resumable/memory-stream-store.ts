import { ConfigurationError } from "../errors/errors.js";
import { byteLength } from "./byte-length.js";
import { pause } from "./pause.js";
import { type StreamChange, StreamChanges } from "./stream-changes.js";
import type { StreamEnd } from "./stream-end.js";
import { type StreamLease, type StreamPage, StreamStore } from "./stream-store.js";
import { StreamStoreFullError } from "./stream-store-full-error.js";

/** Settings of a `MemoryStreamStore`. */
export interface MemoryStreamStoreOptions {
  /**
   * Bytes of events, over all streams. Finished ones give way, the oldest first: who reads such a one is told that its events
   * are lost. Where running ones alone need more, new ones are refused before anything is paid. Default 256 MiB.
   */
  maxBytes?: number;
}

interface KeptStream {
  run: string;
  events: string[];
  bytes: number;
  readAt: number;
  end?: StreamEnd;
  /** Aborts when it is forgotten. */
  forgotten: AbortController;
}

const DEFAULT_MAX_BYTES = 256 * 2 ** 20;
/** What there is of a stream beside its events, about. */
const STREAM_BYTES = 1_024;

/** Keeps streams in this process: they end with it, and other processes know nothing of them. */
export class MemoryStreamStore extends StreamStore {
  readonly shared = false;
  /** Those that have ended stand in the order in which they did. */
  private readonly streams = new Map<string, KeptStream>();
  private readonly changes = new StreamChanges();
  private readonly maxBytes: number;
  private bytes = 0;

  /** @throws ConfigurationError for a limit that is no number above 0 */
  constructor({ maxBytes = DEFAULT_MAX_BYTES }: MemoryStreamStoreOptions = {}) {
    super();
    if (!(maxBytes > 0))
      throw new ConfigurationError(
        `Option maxBytes of MemoryStreamStore must be a number above 0, and not ${maxBytes}.`,
      );
    this.maxBytes = maxBytes;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    for (const { forgotten } of this.streams.values()) forgotten.abort();
    this.streams.clear();
    this.bytes = 0;
  }

  async begin(key: string, run: string, _leaseMs: number, replaces?: string): Promise<boolean> {
    const taken = this.streams.get(key);
    if (taken !== undefined && !makesWay(taken, replaces)) return taken.run === run;
    this.makeRoom(STREAM_BYTES);
    if (taken !== undefined) this.forget(key, taken);
    this.streams.set(key, {
      ...{ run, events: [], bytes: STREAM_BYTES },
      ...{ readAt: performance.now(), forgotten: new AbortController() },
    });
    this.bytes += STREAM_BYTES;
    this.changes.tell(key, { ended: false });
    return true;
  }

  async append(key: string, run: string, number: number, event: string): Promise<boolean> {
    const stream = this.running(key, run);
    if (stream === undefined) return false;
    if (number <= stream.events.length) return true;
    const bytes = byteLength(event);
    this.makeRoom(bytes);
    stream.events.push(event);
    stream.bytes += bytes;
    this.bytes += bytes;
    this.changes.tell(key, { ended: false });
    return true;
  }

  async renew(key: string, run: string): Promise<StreamLease> {
    const stream = this.running(key, run);
    if (stream === undefined) return { held: false, unreadMs: 0 };
    return { held: true, unreadMs: performance.now() - stream.readAt };
  }

  async finish(key: string, run: string | undefined, end: StreamEnd, keepMs: number): Promise<boolean> {
    const stream = this.running(key, run);
    if (stream === undefined) return false;
    stream.end = end;
    // To the end of the order.
    this.streams.delete(key);
    this.streams.set(key, stream);
    const { signal } = stream.forgotten;
    void pause(keepMs, { signal, ref: false }).then(() => this.forget(key, stream));
    this.changes.tell(key, { ended: true });
    return true;
  }

  async read(key: string, after: number): Promise<StreamPage | undefined> {
    const stream = this.streams.get(key);
    if (stream === undefined) return undefined;
    const { run, events, end } = stream;
    stream.readAt = performance.now();
    return { run, events: events.slice(after), count: events.length, ...(end !== undefined && { end }) };
  }

  watch(key: string, changed: (change: StreamChange) => void): () => void {
    return this.changes.watch(key, changed);
  }

  private running(key: string, run: string | undefined): KeptStream | undefined {
    const stream = this.streams.get(key);
    if (stream?.end !== undefined || (run !== undefined && stream?.run !== run)) return undefined;
    return stream;
  }

  private forget(key: string, stream: KeptStream): void {
    if (this.streams.get(key) !== stream) return;
    stream.forgotten.abort();
    this.streams.delete(key);
    this.bytes -= stream.bytes;
  }

  /** The key of a stream that gives way stays: whoever comes for it is told, and pays for no second one. */
  private makeRoom(bytes: number): void {
    for (const stream of this.streams.values()) {
      if (this.bytes + bytes <= this.maxBytes) return;
      if (stream.end === undefined || stream.events.length === 0) continue;
      this.bytes -= stream.bytes - STREAM_BYTES;
      stream.bytes = STREAM_BYTES;
      stream.events = [];
      stream.end = { outcome: "lost" };
    }
    if (this.bytes + bytes > this.maxBytes)
      throw new StreamStoreFullError(`Streams need more than the ${this.maxBytes} bytes of maxBytes.`);
  }
}

function makesWay({ run, end }: KeptStream, replaces: string | undefined): boolean {
  return end !== undefined && (end.outcome === "refused" || run === replaces);
}
