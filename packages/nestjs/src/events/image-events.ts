import type { ImageStreamEvent } from "@model-gateway/core";
import type { MessageEvent } from "@nestjs/common";
import { concat, map, type OperatorFunction, of } from "rxjs";
import { DONE_EVENT } from "./done-event.js";
import { publicErrors } from "./public-errors.js";

/**
 * Turns a stream of images into what a handler under `@Sse()` returns: one event per event of core, without the
 * gateway's raw one (which holds the picture a second time), then one of type `done`. Errors become HTTP
 * exceptions, whose message is safe to send.
 *
 * @example
 * \@Sse("picture")
 * picture(\@Query("prompt") prompt: string) {
 *   return this.images.stream$({ model: "local-image-b64", prompt, partial_images: 2 }).pipe(imageEvents());
 * }
 */
export function imageEvents(): OperatorFunction<ImageStreamEvent, MessageEvent> {
  return (events) => concat(events.pipe(map(publicEvent)), of(DONE_EVENT)).pipe(publicErrors());
}

function publicEvent({ raw: _raw, ...data }: ImageStreamEvent): MessageEvent {
  return { data };
}
