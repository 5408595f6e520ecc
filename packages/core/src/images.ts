export { APIPromise, type GatewayResponse, type WithResponse } from "./call/api-promise.js";
export type { RequestOptions } from "./call/call.js";
export { Connection } from "./call/connection.js";
export type { APIKeySource } from "./checks/check-api-key.js";
export type { Route } from "./config/addresses.js";
export type { ModelGatewayOptions } from "./config/config.js";
export type { Download, Downloader, DownloadOptions, DownloadSource } from "./download/download.js";
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
export { createImages } from "./images/create-images.js";
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
export type { AddressKind } from "./transport/address-kind.js";
export type { FetchFunction } from "./transport/fetch-transport.js";
