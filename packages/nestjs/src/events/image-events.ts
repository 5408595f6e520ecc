import type { ImageStreamEvent } from "@model-gateway/core";
import type { MessageEvent } from "@nestjs/common";
import type { OperatorFunction } from "rxjs";
import { type EventsOptions, toEvents } from "./to-events.js";

/**
 * Turns a stream of images into what a handler under `@Sse()` returns: one event per event of core, without the
 * gateway's raw one (which holds the picture a second time), then one of type `done`. Errors become HTTP
 * exceptions, whose message is safe to send. A reader that comes back gets the rest of a stream with a key; without one, it is
 * answered with 204, which ends an `EventSource`, and nothing is paid again.
 *
 * @example
 * \@Sse("picture")
 * picture(\@Query("prompt") prompt: string) {
 *   return this.images.stream$({ model: "local-image-b64", prompt, partial_images: 2 }).pipe(imageEvents());
 * }
 */
export function imageEvents(options?: EventsOptions): OperatorFunction<ImageStreamEvent, MessageEvent> {
  return toEvents(({ raw: _raw, ...data }) => data, options);
}
