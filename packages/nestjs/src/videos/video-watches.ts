import {
  concat,
  defer,
  EMPTY,
  filter,
  merge,
  mergeMap,
  NEVER,
  Observable,
  repeat,
  Subject,
  takeUntil,
  takeWhile,
  tap,
  timeout,
} from "rxjs";
import { matchesFilter } from "./matches-filter.js";
import { requireVideo } from "./require-video.js";
import { VideoLostError } from "./video-lost-error.js";
import { isSettled, type VideoTaskRecord } from "./video-task-record.js";
import type { VideoTaskFilter, VideoTaskStore } from "./video-task-store.js";

/** What watches read of the store, once it is open. */
export interface VideoTaskReader {
  get(key: string): Promise<VideoTaskRecord | undefined>;
  list(filter: VideoTaskFilter): Promise<VideoTaskRecord[]>;
}

/** How long a change that another process made may go unnoticed when the news of it got lost. */
const LOOK_AGAIN_MS = 30_000;

/** Observables of how submissions stand: what the store holds, and what it tells of from then on. */
export class VideoWatches {
  /** Subscribers by key: a change reaches those of its task without asking all the others. */
  private readonly channels = new Map<string, Subject<VideoTaskRecord>>();
  private readonly closing = new Subject<void>();
  private closed = false;

  constructor(
    private readonly store: VideoTaskStore,
    private readonly reader: VideoTaskReader,
  ) {
    store.changes$
      .pipe(takeUntil(this.closing))
      .subscribe((record) => this.channels.get(record.key)?.next(record));
  }

  /** A submission, until nothing more is to come of it. */
  of(key: string): Observable<VideoTaskRecord> {
    return this.whileOpen(() => {
      let last: VideoTaskRecord | undefined;
      const lookAgain = async (cause?: Error) => {
        // A store that does not answer has lost nothing: it is asked again.
        const [record] = await this.reader.get(key).then(
          (found) => [found],
          () => [last],
        );
        if (record === undefined) throw new VideoLostError(key, last?.handle, cause);
        return record;
      };
      return merge(
        this.changesOf(key),
        this.lookAt(key, lookAgain),
        this.store.lost$.pipe(mergeMap((cause) => lookAgain(cause))),
      ).pipe(
        onlyNews(),
        tap((record) => {
          last = record;
        }),
        takeWhile((record) => !isSettled(record), true),
      );
    });
  }

  /** All submissions that conditions hold for, and each that they come to hold for. */
  matching(conditions: VideoTaskFilter): Observable<VideoTaskRecord> {
    return this.whileOpen(() =>
      merge(
        this.store.changes$.pipe(filter((record) => matchesFilter(record, conditions))),
        defer(() => this.reader.list(conditions)).pipe(mergeMap((records) => records)),
      ).pipe(onlyNews()),
    );
  }

  /** Completes them all, and each that is subscribed to from now on. */
  close(): void {
    this.closed = true;
    this.closing.next();
  }

  private changesOf(key: string): Observable<VideoTaskRecord> {
    return new Observable((subscriber) => {
      const channel = this.channels.get(key) ?? new Subject<VideoTaskRecord>();
      this.channels.set(key, channel);
      const subscription = channel.subscribe(subscriber);
      return () => {
        subscription.unsubscribe();
        if (!channel.observed && this.channels.get(key) === channel) this.channels.delete(key);
      };
    });
  }

  /** The record now; of a store that may miss a change, again from time to time. */
  private lookAt(key: string, lookAgain: () => Promise<VideoTaskRecord>): Observable<VideoTaskRecord> {
    const now = defer(async () => requireVideo(key, await this.reader.get(key)));
    if (!this.store.shared) return now;
    const again = NEVER.pipe(timeout({ first: LOOK_AGAIN_MS, with: () => defer(lookAgain) }), repeat());
    return concat(now, again);
  }

  /** Builds the Observable per subscription, and completes it with the application. */
  private whileOpen<T>(build: () => Observable<T>): Observable<T> {
    return defer(() => (this.closed ? EMPTY : build())).pipe(takeUntil(this.closing));
  }
}

/** Drops records that are not newer than what was seen of their key: a read can race with a change. */
function onlyNews() {
  const seen = new Map<string, number>();
  return filter(({ key, version }: VideoTaskRecord) => {
    if (version <= (seen.get(key) ?? 0)) return false;
    seen.set(key, version);
    return true;
  });
}
