import { Observable, Subject } from "rxjs";
import type { VideoDeliverer } from "./video-deliverer.js";
import { VIDEO_HANDLER_STATUSES, type VideoDeliveryAttempt } from "./video-delivery.js";
import type { VideoHandler } from "./video-handler.js";
import type { VideoTaskRecord } from "./video-task-record.js";

/** A submission that came to its end, or is of unknown outcome, and has to be acknowledged. */
export interface VideoCompletion {
  record: VideoTaskRecord;
  delivery: VideoDeliveryAttempt;
  /** It has been dealt with: it does not come again. */
  ack(): void;
  /** It could not be dealt with: it comes again, as after a handler that threw. */
  nack(reason?: unknown): void;
}

/** What the records know subscribers by. */
const NAME = "completed$";

/** Completions as an Observable: for the records, all its subscribers together are one handler. */
export class VideoCompletions {
  readonly completed$: Observable<VideoCompletion>;
  private readonly completions = new Subject<VideoCompletion>();
  private readonly open = new Set<(reason: unknown) => void>();
  private readonly handler: VideoHandler = {
    name: NAME,
    statuses: new Set(VIDEO_HANDLER_STATUSES),
    handle: (record, delivery) => this.tell(record, delivery),
  };

  constructor(deliverer: VideoDeliverer) {
    this.completed$ = new Observable((subscriber) => {
      const subscription = this.completions.subscribe(subscriber);
      deliverer.add(this.handler);
      return () => {
        subscription.unsubscribe();
        if (this.completions.observed) return;
        deliverer.remove(this.handler);
        for (const fail of this.open) fail(new Error("Nobody listens to completed$ any more."));
      };
    });
  }

  close(): void {
    this.completions.complete();
  }

  private async tell(record: VideoTaskRecord, delivery: VideoDeliveryAttempt): Promise<void> {
    let fail: (reason: unknown) => void = () => undefined;
    const acknowledged = new Promise<void>((resolve, reject) => {
      fail = reject;
      const nack = (reason: unknown = new Error("It was not acknowledged.")) => reject(reason);
      this.open.add(fail);
      this.completions.next({ record, delivery, ack: resolve, nack });
    });
    await acknowledged.finally(() => this.open.delete(fail));
  }
}
