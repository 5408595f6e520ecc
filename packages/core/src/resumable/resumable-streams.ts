import { onAbort } from "../call/abort-signal.js";
import { type EventPosition, formatEventId, NO_EVENT_ID, parseEventId } from "./event-position.js";
import { KeyedStreamError } from "./keyed-stream-error.js";
import { pause } from "./pause.js";
import { askedBy, createRunId } from "./run-id.js";
import type { StreamEnd, StreamProblem } from "./stream-end.js";
import { StreamReading } from "./stream-reading.js";
import { StreamRun } from "./stream-run.js";
import type { StreamSettings } from "./stream-settings.js";
import type { StreamSource } from "./stream-source.js";
import type { StreamPage, StreamStore } from "./stream-store.js";
import { StreamStoreFullError } from "./stream-store-full-error.js";

/** What streams with a key are kept in, and how. */
export interface ResumableStreamsOptions {
  /** Opened at the first use, and closed with the streams. */
  store: StreamStore;
  settings: StreamSettings;
  /** Is told, for the log, of what no reader can be told. */
  warn(message: string): void;
}

/** Which stream to read, and from where. */
export interface StreamRequest {
  key: string;
  /** Id of the last event that the reader has. One that has an id never begins a call. */
  from?: string | undefined;
  /** Ends the reading, without an error, and not the stream. */
  signal?: AbortSignal | undefined;
  /** Makes the paid call where there is no stream yet. Without one, nothing is paid. */
  source?: StreamSource;
}

/** One event of a stream, as it is kept. */
export interface StreamEvent {
  /** What `from` takes. */
  id: string;
  json: string;
}

/** A stream that one reader has opened. */
export interface OpenedStream {
  /** Whether the reader has everything, the end included. */
  isOver: boolean;
  /**
   * To be read to the end or left, else it counts as read for as long as the signal does not abort. It returns the id of the
   * stream's end, which is that of a reader that has everything; undefined when the reader left.
   *
   * @throws KeyedStreamError when the stream did not come to a proper end
   */
  events: AsyncGenerator<StreamEvent, string | undefined>;
}

const NO_ROOM: StreamProblem = {
  name: "StreamStoreFullError",
  kind: "connection",
  message: "The store of streams has no room for another one. Nothing was sent, and nothing paid.",
  retryable: true,
  maybeProcessed: false,
};
/** For a reader that has gone. */
const NOTHING: StreamPage = { run: "", events: [], count: 0 };
/** How long readers may take to learn that the process closes. */
const CLOSE_WITHIN_MS = 1_000;

/** Streams that have a key: paid for once, whoever reads them, however often and wherever. */
export class ResumableStreams {
  private readonly runs = new Set<StreamRun>();
  private readonly readings = new Set<StreamReading>();
  private readonly store: StreamStore;
  private readonly settings: StreamSettings;
  private readonly warn: (message: string) => void;
  private opened: Promise<void> | undefined;
  private closed = false;

  constructor({ store, settings, warn }: ResumableStreamsOptions) {
    this.store = store;
    this.settings = settings;
    this.warn = warn;
  }

  /**
   * Finds a stream, or begins it.
   *
   * @throws KeyedStreamError where there is nothing to read, or no store that can be asked
   */
  async open({ key, from, signal, source }: StreamRequest): Promise<OpenedStream> {
    if (this.closed) throw new KeyedStreamError("closing");
    const reading = new StreamReading(this.store, key, this.settings);
    this.readings.add(reading);
    const forget = onAbort(signal, () => reading.stop());
    if (signal?.aborted) reading.stop();
    void reading.stopped.then(() => {
      forget();
      this.readings.delete(reading);
    });
    try {
      const known = positionOf(from);
      await this.openStore();
      let page = await reading.read(known?.number ?? 0);
      let begun: string | undefined;
      while (from === undefined && source !== undefined && begun === undefined && isFree(page, source)) {
        if (!reading.open) return { isOver: false, events: this.follow(NOTHING, 0, reading) };
        begun = await this.begin(key, source, page?.run);
        page = await reading.read(0);
        // Nobody is given the answer to another question.
        const isOther = begun !== undefined && source.asked !== undefined && page !== undefined;
        if (page === undefined || (isOther && askedBy(page.run) !== source.asked))
          throw new KeyedStreamError("lost");
      }
      if (page === undefined || (known !== undefined && known.run !== page.run))
        throw new KeyedStreamError("unknown");
      if (from === undefined && source?.asked !== undefined && askedBy(page.run) !== source.asked)
        throw new KeyedStreamError("busy");
      const number = known?.number ?? 0;
      const isOver = page.end !== undefined && number > page.count;
      return { isOver, events: this.follow(page, number, reading) };
    } catch (error) {
      reading.stop();
      throw error;
    }
  }

  /**
   * Ends a stream at once, for all its readers and wherever its call is made.
   *
   * @returns whether it was running
   * @throws KeyedStreamError when the store cannot be asked
   */
  async stop(key: string): Promise<boolean> {
    if (this.closed) throw new KeyedStreamError("closing");
    await this.openStore();
    try {
      return await this.store.finish(key, undefined, { outcome: "stopped" }, this.settings.keepMs);
    } catch (cause) {
      throw new KeyedStreamError("unavailable", { cause });
    }
  }

  /** Calls that are made here are cut, and readers told so; readers of others are let go. Never rejects. */
  async close(): Promise<void> {
    this.closed = true;
    for (const run of this.runs) run.end("cut");
    await Promise.all(Array.from(this.runs, ({ over }) => over));
    const readings = [...this.readings];
    for (const reading of readings) reading.leave();
    // A reader that takes nothing learns nothing.
    if (readings.length > 0)
      await Promise.race([Promise.all(readings.map(({ stopped }) => stopped)), pause(CLOSE_WITHIN_MS)]);
    // A store that could not be opened has nothing to close.
    await this.opened?.then(
      () => this.store.close(),
      () => {},
    );
  }

  /** At the first use: a store that nobody uses costs nothing. */
  private async openStore(): Promise<void> {
    this.opened ??= this.store.open();
    try {
      await this.opened;
    } catch (cause) {
      this.opened = undefined;
      throw new KeyedStreamError("unavailable", { cause });
    }
  }

  private async *follow(first: StreamPage, from: number, reading: StreamReading): OpenedStream["events"] {
    try {
      if (!reading.open) return undefined;
      let { run } = first;
      let number = from;
      for (let page = first; ; ) {
        for (const json of page.events) {
          number++;
          yield { id: formatEventId({ run, number }), json };
          if (!reading.open) return undefined;
        }
        if (page.end !== undefined && number >= page.count) {
          const eventId = formatEventId({ run, number: page.count + 1 });
          finish(page.end, eventId);
          return eventId;
        }
        if (page.events.length === 0) await reading.change();
        if (!reading.open) return undefined;
        const next = await reading.read(number);
        if (next === undefined) throw new KeyedStreamError("lost");
        if (next.run !== run) {
          // What was refused made way for the next, and who has nothing of it yet lost nothing.
          if (number > 0 || askedBy(next.run) !== askedBy(run)) throw new KeyedStreamError("lost");
          run = next.run;
        }
        page = next;
      }
    } catch (error) {
      // Nobody is there to be told.
      if (reading.open) throw error;
      return undefined;
    } finally {
      reading.stop();
    }
  }

  /** @returns the call; undefined when somebody else has begun one in the meantime */
  private async begin(
    key: string,
    source: StreamSource,
    replaces: string | undefined,
  ): Promise<string | undefined> {
    const run = createRunId(source.asked);
    const { leaseMs } = this.settings;
    const askedAt = performance.now();
    let begun: boolean;
    let held = true;
    try {
      begun = await this.store.begin(key, run, leaseMs, replaces);
      // With an answer that comes that late it may have been stopped, or taken for cut: nothing is paid for it then.
      if (begun && performance.now() - askedAt > leaseMs)
        held = (await this.store.renew(key, run, leaseMs)).held;
    } catch (cause) {
      if (StreamStoreFullError.isInstance(cause))
        throw new KeyedStreamError("refused", { problem: NO_ROOM, cause });
      throw new KeyedStreamError("unavailable", { cause });
    }
    if (!begun) return undefined;
    if (!held) return run;
    const made = new StreamRun(this.store, key, run, this.settings, source, {
      // However long this process stood still, those are there.
      hasReaders: () => [...this.readings].some((reading) => reading.key === key),
      warn: this.warn,
    });
    this.runs.add(made);
    if (this.closed) made.end("cut");
    source.begun?.(made.over);
    void made.over.then(() => this.runs.delete(made));
    return run;
  }
}

/** Whether a call may begin under the key of what there is. */
function isFree(page: StreamPage | undefined, { asked, anew = false }: StreamSource): boolean {
  if (page === undefined || page.end?.outcome === "refused") return true;
  if (page.end === undefined || asked === undefined) return false;
  return anew || page.end.outcome !== "complete" || askedBy(page.run) !== asked;
}

/** @throws KeyedStreamError for an id that is none of ours: its reader has something else */
function positionOf(id: string | undefined): EventPosition | undefined {
  if (id === undefined || id === NO_EVENT_ID) return undefined;
  const position = parseEventId(id);
  if (position === undefined) throw new KeyedStreamError("unknown");
  return position;
}

function finish(end: StreamEnd, eventId: string): void {
  if (end.outcome === "complete") return;
  throw new KeyedStreamError(end.outcome, {
    eventId,
    ...(end.problem !== undefined && { problem: end.problem }),
  });
}
