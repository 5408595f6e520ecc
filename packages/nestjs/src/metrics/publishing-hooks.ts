import type { GatewayHooks } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import type { Subject } from "rxjs";
import type { MetricsEvent } from "./metrics-event.js";

const logger = new Logger("ModelGateway");

type EventOf<T extends MetricsEvent["type"]> = Omit<Extract<MetricsEvent, { type: T }>, "type">;

/**
 * Hooks that publish what they are told, and then tell the application's own. While nobody subscribes no event is
 * made.
 */
export function publishingHooks(events: Subject<MetricsEvent>, own: GatewayHooks = {}): GatewayHooks {
  const publish = <T extends MetricsEvent["type"]>(type: T, event: EventOf<T>) => {
    // The compiler does not see that the two belong together.
    if (events.observed) events.next({ type, ...event } as MetricsEvent);
  };
  return {
    onRequest(event) {
      publish("request", event);
      own.onRequest?.(event);
    },
    onResponse(event) {
      publish("response", event);
      own.onResponse?.(event);
    },
    onRetry(event) {
      publish("retry", event);
      own.onRetry?.(event);
    },
    onFailover(event) {
      publish("failover", event);
      own.onFailover?.(event);
    },
    onFailure(event) {
      publish("failure", event);
      own.onFailure?.(event);
    },
    onStreamEnd(event) {
      publish("stream_end", event);
      own.onStreamEnd?.(event);
    },
    onPollFailed(event) {
      // When it begins: polls may go on failing for hours.
      if (event.failedPolls === 1) {
        logger.warn(
          `Video task ${event.task} cannot be read (${event.reason}). It goes on, and is polled on.`,
        );
      }
      publish("poll_failed", event);
      own.onPollFailed?.(event);
    },
  };
}
