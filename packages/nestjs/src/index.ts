export type { VideoSubmission } from "@model-gateway/core";
export {
  type KeyedStreamBreak,
  KeyedStreamError,
  MemoryStreamStore,
  type MemoryStreamStoreOptions,
  type StreamBreak,
  type StreamChange,
  type StreamEnd,
  type StreamLease,
  type StreamPage,
  type StreamProblem,
  type StreamSettings,
  StreamStore,
  StreamStoreFullError,
} from "@model-gateway/core/resumable";
export type { CallbackOptions } from "./callbacks/callback-urls.js";
export { ChatService } from "./chat/chat.service.js";
export { EmbeddingsService } from "./embeddings/embeddings.service.js";
export { ModelGatewayExceptionFilter } from "./errors/model-gateway-exception.filter.js";
export { toHttpException } from "./errors/to-http-exception.js";
export { chatEvents } from "./events/chat-events.js";
export { imageEvents } from "./events/image-events.js";
export type { EventsOptions } from "./events/to-events.js";
export { videoEvents } from "./events/video-events.js";
export { fileKey } from "./files/file-key.js";
export { type FileSource, FileStore, type KeepOptions, type KeptFile } from "./files/file-store.js";
export { FolderFileStore, type FolderFileStoreOptions } from "./files/folder-file-store.js";
export type { KeepResultOptions } from "./files/keep-result.js";
export { ResultNotKeptError } from "./files/result-not-kept-error.js";
export { ImagesService, type KeptImageFile, type KeptImages } from "./images/images.service.js";
export { MetricsService } from "./metrics/metrics.service.js";
export type { CostEvent, MetricsEvent } from "./metrics/metrics-event.js";
export { ModelsService } from "./models/models.service.js";
export { ModerationsService } from "./moderations/moderations.service.js";
export { InjectModelGateway } from "./module/inject-model-gateway.js";
export { ModelGatewayModule } from "./module/model-gateway.module.js";
export type {
  KeepVideosOptions,
  ModelGatewayInstanceOptions,
  ModelGatewayModuleAsyncOptions,
  ModelGatewayModuleExtras,
  ModelGatewayModuleOptions,
  ModelGatewayOptionsFactory,
  StreamsOptions,
  VideoHandlersOptions,
  VideosOptions,
} from "./module/model-gateway-module-options.js";
export { getModelGatewayToken } from "./module/model-gateway-token.js";
export { type KeptSpeech, SpeechService } from "./speech/speech.service.js";
export { eventIdOf } from "./streams/event-id.js";
export type { KeyedStreamOptions } from "./streams/keyed-stream-options.js";
export {
  JournalVideoTaskStore,
  type JournalVideoTaskStoreOptions,
} from "./videos/journal/journal-video-task-store.js";
export { JournalWriteError } from "./videos/journal/journal-write-error.js";
export { MemoryVideoTaskStore, type MemoryVideoTaskStoreOptions } from "./videos/memory-video-task-store.js";
export { OnVideo, type OnVideoOptions } from "./videos/on-video.js";
export type { APIKeyFor } from "./videos/tenant-gateways.js";
export type { VideoCompletion } from "./videos/video-completions.js";
export { VideoConflictError } from "./videos/video-conflict-error.js";
export {
  type VideoDelivery,
  type VideoDeliveryAttempt,
  type VideoHandlerStatus,
  withDueDeliveries,
} from "./videos/video-delivery.js";
export { VideoException } from "./videos/video-exception.js";
export { VideoKeyTakenError } from "./videos/video-key-taken-error.js";
export { VideoLostError } from "./videos/video-lost-error.js";
export { VideoNotFoundError } from "./videos/video-not-found-error.js";
export { VideoNotKeptError } from "./videos/video-not-kept-error.js";
export { type VideoProgress, videoProgress } from "./videos/video-progress.js";
export type { VideoFinding } from "./videos/video-reconciler.js";
export type {
  JSONValue,
  KeptResult,
  KeptVideoFile,
  VideoMetadata,
  VideoTaskIntent,
  VideoTaskKeeping,
  VideoTaskProblem,
  VideoTaskRecord,
  VideoTaskRecordStatus,
  VideoTaskStall,
  VideoTaskWait,
} from "./videos/video-task-record.js";
export type { VideoTaskRetention } from "./videos/video-task-retention.js";
export {
  type PolledOnce,
  type VideoTaskDelivering,
  type VideoTaskFilter,
  type VideoTaskLimits,
  type VideoTaskLine,
  type VideoTaskPolling,
  type VideoTaskQuery,
  VideoTaskStore,
  type WaitingVideo,
} from "./videos/video-task-store.js";
export { VideoTaskStoreError } from "./videos/video-task-store-error.js";
export { type SubmitOptions, VideosService } from "./videos/videos.service.js";
export { VideosClosedError } from "./videos/videos-closed-error.js";
