export * from "./common.js";
export type { Download, Downloader, DownloadOptions, DownloadSource } from "./download/download.js";
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
