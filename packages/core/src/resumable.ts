/** Streams that survive their readers: `@model-gateway/core/resumable`. Holds nothing of the client. */
export { followingEventId, NO_EVENT_ID } from "./resumable/event-position.js";
export { type KeyedStreamBreak, KeyedStreamError } from "./resumable/keyed-stream-error.js";
export { MemoryStreamStore, type MemoryStreamStoreOptions } from "./resumable/memory-stream-store.js";
export {
  type OpenedStream,
  ResumableStreams,
  type ResumableStreamsOptions,
  type StreamEvent,
  type StreamRequest,
} from "./resumable/resumable-streams.js";
export type { StreamChange } from "./resumable/stream-changes.js";
export type { StreamBreak, StreamEnd, StreamProblem } from "./resumable/stream-end.js";
export { DEFAULT_STREAM_SETTINGS, type StreamSettings } from "./resumable/stream-settings.js";
export type { StreamSource } from "./resumable/stream-source.js";
export { type StreamLease, type StreamPage, StreamStore } from "./resumable/stream-store.js";
export { StreamStoreFullError } from "./resumable/stream-store-full-error.js";
export { SERVER_SENT_EVENTS, type StreamFormat } from "./web/stream-format.js";
export {
  createStreamHandlers,
  type StreamAction,
  type StreamCall,
  type StreamContent,
  type StreamHandler,
  type StreamHandlers,
  type StreamHandlersOptions,
} from "./web/stream-handlers.js";
