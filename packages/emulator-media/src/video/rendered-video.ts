/** A finished video. */
export interface RenderedVideo {
  /** The MP4 file: H.264 Baseline, 4:2:0, 24 frames per second, with AAC-LC when audio was asked for. */
  bytes: Uint8Array;
  mediaType: "video/mp4";
  /** Exact length of the video track in seconds, a multiple of 1/24. */
  durationSeconds: number;
  /** The last frame as a PNG of the same size. */
  lastFrame: Uint8Array;
}
