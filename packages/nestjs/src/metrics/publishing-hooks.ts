import type { GatewayHooks } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import type { Subject } from "rxjs";
import type { MetricsEvent } from "./metrics-event.js";

const logger = new Logger("ModelGateway");

type HookEvent = Exclude<MetricsEvent["type"], "cost" | "video_stalled" | "video_resumed" | "video_delivery">;
type EventOf<T extends HookEvent> = Omit<Extract<MetricsEvent, { type: T }>, "type">;

/**
 * Hooks that publish what they are told, and then tell the application's own. While nobody subscribes no event is
 * made.
 *
 * @param inHand ids of the tasks that the module polls: it tells itself, and of many at once, when they cannot be read
 */
export function publishingHooks(
  events: Subject<MetricsEvent>,
  inHand: ReadonlySet<string>,
  own: GatewayHooks = {},
): GatewayHooks {
  const publish = <T extends HookEvent>(type: T, event: EventOf<T>) => {
    // The compiler does not see that the two belong together.
    if (events.observed) events.next({ type, ...event } as unknown as MetricsEvent);
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
      // A watch of the application's own. When it begins: polls may go on failing for hours.
      if (event.failedPolls === 1 && !inHand.has(event.task)) {
        logger.warn(
          `Video task ${event.task} cannot be read (${event.reason}). It goes on, and is polled on.`,
        );
      }
      publish("poll_failed", event);
      own.onPollFailed?.(event);
    },
  };
}
