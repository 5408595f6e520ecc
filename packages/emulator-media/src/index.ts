export { closeMedia } from "./close-media.js";
export { renderVideo } from "./video/render-video.js";
export type { RenderedVideo } from "./video/rendered-video.js";
export type { VideoRequest } from "./video/video-request.js";
