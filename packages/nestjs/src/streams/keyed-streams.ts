import { randomBytes } from "node:crypto";
import { APIUserAbortError } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { Observable } from "rxjs";
import { formatEventId, parseEventId, type StreamPosition, setEventId } from "./event-id.js";
import { type EventReader, eventReaders, NO_EVENT_ID } from "./event-reader.js";
import { KeyedStreamError } from "./keyed-stream-error.js";
import { letResponsesEnd } from "./let-responses-end.js";
import type { StreamEnd, StreamProblem } from "./stream-end.js";
import { StreamReading } from "./stream-reading.js";
import { StreamRun, type StreamSource } from "./stream-run.js";
import type { StreamSettings } from "./stream-settings.js";
import type { StreamStore } from "./stream-store.js";
import { StreamStoreFullError } from "./stream-store-full-error.js";

/** Which stream to read, and from where. */
export interface KeyedRead<T> extends StreamSource {
  key: string;
  /** Id of the last event that the reader has; undefined for one that has none and may pay. */
  from: string | undefined;
  /** Ends the reading, not the stream. */
  signal: AbortSignal | undefined;
  /** Makes an event of what was kept of it. */
  revive(json: unknown): T;
}

const NO_ROOM: StreamProblem = {
  name: StreamStoreFullError.name,
  kind: "connection",
  message: "The store of streams has no room for another one. Nothing was sent, and nothing paid.",
  retryable: true,
  maybeProcessed: false,
};

/** Streams that have a key: paid for once, whoever reads them, however often and wherever. */
export class KeyedStreams {
  private readonly runs = new Set<StreamRun>();
  /** How each reader is let go, and what it reads. */
  private readonly readers = new Map<() => void, string>();
  private readonly logger = new Logger("ModelGatewayStreams");
  private opened: Promise<void> | undefined;
  private closed = false;

  /** @param instance whose keys are others than those of the next */
  constructor(
    private readonly instance: string,
    private readonly store: StreamStore,
    private readonly settings: StreamSettings,
  ) {}

  /** A cold Observable: each subscription reads the one stream, which the first begins. */
  observe<T extends object>(read: KeyedRead<T>): Observable<T> {
    return new Observable((subscriber) => {
      const context = eventReaders.getStore();
      const key = this.keyOf(read.key);
      const reading = new StreamReading(this.store, key, this.settings);
      const leave = () => subscriber.error(new KeyedStreamError("closing"));
      const abort = () => subscriber.error(left(read.signal?.reason));
      this.readers.set(leave, key);
      read.signal?.addEventListener("abort", abort, { once: true });
      if (this.closed) leave();
      else if (read.signal?.aborted) abort();
      else {
        this.follow(read, reading, context, (event) => {
          subscriber.next(event);
          return !subscriber.closed;
        }).then(
          () => subscriber.complete(),
          (error) => {
            if (context !== undefined && error instanceof KeyedStreamError && error.reason === "unknown")
              context.over = context.lastEventId !== undefined;
            subscriber.error(error);
          },
        );
      }
      return () => {
        this.readers.delete(leave);
        read.signal?.removeEventListener("abort", abort);
        reading.stop();
      };
    });
  }

  /**
   * Ends a stream at once, for all its readers and wherever its call is made.
   *
   * @returns whether it was running
   */
  async stop(key: string): Promise<boolean> {
    if (this.closed) throw new KeyedStreamError("closing");
    await this.open();
    try {
      return await this.store.finish(
        this.keyOf(key),
        undefined,
        { outcome: "stopped" },
        this.settings.keepMs,
      );
    } catch (cause) {
      throw new KeyedStreamError("unavailable", { cause });
    }
  }

  /** Calls that are made here are cut, and readers told so; readers of others are let go. */
  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    for (const run of this.runs) run.end("cut");
    await Promise.all(Array.from(this.runs, ({ over }) => over));
    if (this.readers.size > 0) {
      // Those whose stream was cut learn that first.
      await letResponsesEnd();
      for (const leave of [...this.readers.keys()]) leave();
      await letResponsesEnd();
    }
    // One that could not be opened has nothing to close.
    const opened = await this.opened?.then(
      () => true,
      () => false,
    );
    if (opened) await this.store.close();
  }

  /** At the first use: a store that nobody uses costs nothing. */
  private async open(): Promise<void> {
    this.opened ??= this.store.open();
    try {
      await this.opened;
    } catch (cause) {
      this.opened = undefined;
      throw new KeyedStreamError("unavailable", { cause });
    }
  }

  private async follow<T extends object>(
    { key, from, revive, open }: KeyedRead<T>,
    reading: StreamReading,
    context: EventReader | undefined,
    emit: (event: T) => boolean,
  ): Promise<void> {
    const resumes = from ?? context?.lastEventId;
    const known = positionOf(resumes);
    await this.open();
    let page = await reading.read(known?.number ?? 0);
    if (resumes === undefined && (page === undefined || page.end?.outcome === "refused")) {
      if (!reading.open) return;
      await this.begin(this.keyOf(key), { open });
      page = await reading.read(0);
      if (page === undefined) throw new KeyedStreamError("lost");
    }
    if (page === undefined || (known !== undefined && known.run !== page.run))
      throw new KeyedStreamError("unknown");
    const { run } = page;
    let number = known?.number ?? 0;
    if (context !== undefined && page.end !== undefined && number > page.count) {
      context.over = true;
      return;
    }
    for (;;) {
      for (const json of page.events) {
        number++;
        const event = revive(JSON.parse(json));
        setEventId(event, { run, number });
        if (!emit(event)) return;
      }
      if (page.end !== undefined && number >= page.count) {
        finish(page.end, { run, number: page.count + 1 });
        return;
      }
      if (page.events.length === 0) await reading.change();
      if (!reading.open) return;
      page = await reading.read(number);
      if (page?.run !== run) throw new KeyedStreamError("lost");
    }
  }

  private keyOf(key: string): string {
    return `${this.instance}:${key}`;
  }

  private async begin(key: string, source: StreamSource): Promise<void> {
    const run = randomBytes(8).toString("hex");
    let begun: boolean;
    try {
      begun = await this.store.begin(key, run, this.settings.leaseMs);
    } catch (cause) {
      if (cause instanceof StreamStoreFullError)
        throw new KeyedStreamError("refused", { problem: NO_ROOM, cause });
      throw new KeyedStreamError("unavailable", { cause });
    }
    if (!begun) return;
    const made = new StreamRun(this.store, key, run, this.settings, source, {
      // However long this process stood still, those are there.
      hasReaders: () => [...this.readers.values()].includes(key),
      warn: (message) => this.logger.warn(message),
    });
    this.runs.add(made);
    if (this.closed) made.end("cut");
    void made.over.then(() => this.runs.delete(made));
  }
}

/** @throws KeyedStreamError for an id that is none of ours: its reader has something else */
function positionOf(id: string | undefined): StreamPosition | undefined {
  if (id === undefined || id === NO_EVENT_ID) return undefined;
  const position = parseEventId(id);
  if (position === undefined) throw new KeyedStreamError("unknown");
  return position;
}

function finish(end: StreamEnd, position: StreamPosition): void {
  if (end.outcome === "complete") return;
  throw new KeyedStreamError(end.outcome, {
    eventId: formatEventId(position),
    ...(end.problem !== undefined && { problem: end.problem }),
  });
}

function left(cause: unknown): APIUserAbortError {
  return new APIUserAbortError("The reader left. The stream goes on, and can be read again by its key.", {
    cause,
  });
}
