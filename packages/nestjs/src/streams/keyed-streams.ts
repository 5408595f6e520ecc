import { APIUserAbortError } from "@model-gateway/core";
import {
  KeyedStreamError,
  ResumableStreams,
  type StreamSettings,
  type StreamSource,
  type StreamStore,
} from "@model-gateway/core/resumable";
import { Logger } from "@nestjs/common";
import { Observable } from "rxjs";
import { setEventId } from "./event-id.js";
import { eventReaders } from "./event-reader.js";
import { letResponsesEnd } from "./let-responses-end.js";

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

/** Core's streams with a key as Observables, which end with the application. */
export class KeyedStreams {
  private readonly streams: ResumableStreams;
  private readonly logger = new Logger("ModelGatewayStreams");
  private readers = 0;

  /** @param instance whose keys are others than those of the next */
  constructor(
    private readonly instance: string,
    store: StreamStore,
    settings: StreamSettings,
  ) {
    this.streams = new ResumableStreams({ store, settings, warn: (message) => this.logger.warn(message) });
  }

  /** A cold Observable: each subscription reads the one stream, which the first begins. */
  observe<T extends object>({ key, from, signal, revive, open }: KeyedRead<T>): Observable<T> {
    return new Observable((subscriber) => {
      const context = eventReaders.getStore();
      const gone = new AbortController();
      const abort = () => subscriber.error(left(signal?.reason));
      if (signal?.aborted) {
        abort();
        return;
      }
      signal?.addEventListener("abort", abort, { once: true });
      this.readers++;
      const forward = async () => {
        const request = { key: this.keyOf(key), from: from ?? context?.lastEventId, signal: gone.signal };
        const { isOver, events } = await this.streams.open({ ...request, source: { open } });
        if (context !== undefined && isOver) {
          context.over = true;
          gone.abort();
          return;
        }
        for await (const { id, json } of events) {
          const event = revive(JSON.parse(json));
          setEventId(event, id);
          subscriber.next(event);
        }
      };
      forward().then(
        () => subscriber.complete(),
        (error) => {
          if (context !== undefined && KeyedStreamError.isInstance(error) && error.reason === "unknown")
            context.over = context.lastEventId !== undefined;
          subscriber.error(error);
        },
      );
      return () => {
        this.readers--;
        signal?.removeEventListener("abort", abort);
        gone.abort();
      };
    });
  }

  /**
   * Ends a stream at once, for all its readers and wherever its call is made.
   *
   * @returns whether it was running
   */
  stop(key: string): Promise<boolean> {
    return this.streams.stop(this.keyOf(key));
  }

  /** Calls that are made here are cut, and readers told so; readers of others are let go. */
  async onModuleDestroy(): Promise<void> {
    const hadReaders = this.readers > 0;
    await this.streams.close();
    if (hadReaders) await letResponsesEnd();
  }

  private keyOf(key: string): string {
    return `${this.instance}:${key}`;
  }
}

function left(cause: unknown): APIUserAbortError {
  return new APIUserAbortError("The reader left. The stream goes on, and can be read again by its key.", {
    cause,
  });
}
