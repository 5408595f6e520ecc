export { closeMedia } from "./close-media.js";
export { describeImage } from "./image/describe-image.js";
export type { ImageDescription } from "./image/image-description.js";
export type { ImageFormat, ImageRequest } from "./image/image-request.js";
export { renderImage } from "./image/render-image.js";
export type { RenderedImage } from "./image/rendered-image.js";
export { renderVideo } from "./video/render-video.js";
export type { RenderedVideo } from "./video/rendered-video.js";
export type { VideoRequest } from "./video/video-request.js";
