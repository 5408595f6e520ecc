import type { MessageEvent } from "@nestjs/common";
import { concatMap, type OperatorFunction } from "rxjs";
import { videoProgress } from "../videos/video-progress.js";
import { isSettled, type VideoTaskRecord } from "../videos/video-task-record.js";
import { DONE_EVENT } from "./done-event.js";
import { publicErrors } from "./public-errors.js";

/**
 * Turns the watch of a video into what a handler under `@Sse()` returns: one event per change, with what
 * `videoProgress` shows of it, and one of type `done` when nothing more is to come. When the application closes
 * there is none: the client connects again, and another process answers.
 *
 * @example
 * \@Sse("videos/:key")
 * watch(\@Param("key") key: string) {
 *   return this.videos.watch$(key).pipe(videoEvents());
 * }
 */
export function videoEvents(): OperatorFunction<VideoTaskRecord, MessageEvent> {
  return (records) =>
    records.pipe(
      concatMap((record): MessageEvent[] => {
        const event = { data: videoProgress(record) };
        return isSettled(record) ? [event, DONE_EVENT] : [event];
      }),
      publicErrors(),
    );
}
