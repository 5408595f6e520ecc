export type { Account, BalanceOptions } from "./account/account.js";
export type { Balance, BalanceSource } from "./account/read-balance.js";
export type { Audio, Speech, SpeechRequest, SpeechResult } from "./audio/audio.js";
export { APIPromise, type GatewayResponse, type WithResponse } from "./call/api-promise.js";
export type { RequestOptions } from "./call/call.js";
export { Connection } from "./call/connection.js";
export type { CallCost } from "./call/retry-policy.js";
export type { Chat, ChatCompletions, ChatOptions } from "./chat/chat.js";
export { ChatCompletionStream } from "./chat/chat-completion-stream.js";
export type {
  AssistantMessage,
  AudioPart,
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ChatMessage,
  ChatRole,
  ChunkChoice,
  CompletionChoice,
  CompletionDelta,
  CompletionMessage,
  ContentPart,
  FilePart,
  FunctionTool,
  ImagePart,
  ResponseFormat,
  SystemMessage,
  TextPart,
  ThinkingPart,
  ToolCall,
  ToolCallDelta,
  ToolChoice,
  ToolMessage,
  Usage,
  UserMessage,
  VideoPart,
} from "./chat/chat-types.js";
export { type CacheTokens, readCacheTokens } from "./chat/read-cache-tokens.js";
export { type ThinkTagPiece, ThinkTagReader } from "./chat/think-tag-reader.js";
export {
  parseToolArguments,
  readToolCalls,
  ToolCallReader,
  type ToolCallReading,
  type ToolCallUpdate,
  toToolCall,
} from "./chat/tool-call-reader.js";
export type { APIKeySource } from "./checks/check-api-key.js";
export type { Route } from "./config/addresses.js";
export type { ModelGatewayOptions } from "./config/config.js";
export type { Download, Downloader, DownloadOptions, DownloadSource } from "./download/download.js";
export type {
  Embedding,
  EmbeddingRequest,
  EmbeddingResult,
  EmbeddingUsage,
} from "./embeddings/embedding-types.js";
export type { EmbeddingOptions, Embeddings } from "./embeddings/embeddings.js";
export {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "./errors/api-error.js";
export {
  APIConnectionError,
  APITimeoutError,
  APIUserAbortError,
  ConfigurationError,
  InvalidRequestError,
  InvalidResponseError,
  type RequestProblem,
  StreamInterruptedError,
  type StreamInterruption,
} from "./errors/errors.js";
export {
  type AttemptPhase,
  type AttemptRecord,
  GatewayError,
  type GatewayErrorKind,
} from "./errors/gateway-error.js";
export { ModelGateway } from "./gateway.js";
export type {
  CallEvent,
  FailoverEvent,
  GatewayHooks,
  GatewayLogger,
  LogLevel,
  PollFailedEvent,
  ResponseEvent,
  RetryEvent,
  StreamEndEvent,
} from "./hooks/observer.js";
export { findMessageImages, type ImageBearingMessage } from "./images/find-chat-images.js";
export { GatewayImage } from "./images/gateway-image.js";
export { ImageStream } from "./images/image-stream.js";
export type {
  Base64ImageRequest,
  ChatImageInput,
  ChatImageRequest,
  ChatImageResult,
  ImageEditRequest,
  ImageError,
  ImageGenerateRequest,
  ImageInput,
  ImageResult,
  ImageShape,
  ImageStreamEvent,
  ReferenceImageRequest,
} from "./images/image-types.js";
export type { Images } from "./images/images.js";
export { mayBeImage } from "./images/may-be-image.js";
export type { Model, Models } from "./models/models.js";
export type {
  ModerationAction,
  ModerationCategory,
  ModerationVerdict,
} from "./moderations/moderation-verdict.js";
export type {
  ClassifyOptions,
  ModerationRequest,
  ModerationResponse,
  ModerationResult,
  ModerationStrategy,
  Moderations,
} from "./moderations/moderations.js";
export type { GatewayRequest } from "./request/gateway-request.js";
export type { ByteBody } from "./streams/byte-body.js";
export type { VideoFamily, VideoTaskHandle } from "./tasks/video-task-handle.js";
export type { AddressKind } from "./transport/address-kind.js";
export type { FetchFunction } from "./transport/fetch-transport.js";
export { VERSION } from "./version.js";
export type { PollPace } from "./videos/poll-scheduler.js";
export type { PollBackoff, PollOptions, VideoPoll } from "./videos/poll-video-task.js";
export type { ReadCallbackOptions, VideoCallback } from "./videos/read-video-callback.js";
export { VideoTaskFailedError, VideoTaskTimeoutError } from "./videos/video-errors.js";
export { type VideoOutcome, type VideoStatus, videoOutcome } from "./videos/video-status.js";
export type {
  AudioReferenceItem,
  DraftTaskItem,
  ImageToVideoRequest,
  OmniVideoRequest,
  VideoContentItem,
  VideoCreateRequest,
  VideoFile,
  VideoImageItem,
  VideoReferenceItem,
  VideoRequests,
  VideoSubmission,
  VideoTask,
  VideoTextItem,
} from "./videos/video-types.js";
export type { Videos } from "./videos/videos.js";
export type { PollTrouble, VideoWatch, WatchOptions } from "./videos/watch-video-task.js";
