export * from "./common.js";
export { createDownloader } from "./download/create-downloader.js";
export type {
  Download,
  Downloader,
  DownloadOptions,
  DownloadResume,
  DownloadSource,
} from "./download/download.js";
export type { ByteBody } from "./streams/byte-body.js";
