/** What the video renderer is asked for. */
export interface RenderVideoRequest {
  width: number;
  height: number;
  durationSeconds: number;
  prompt: string;
  seed: number;
  audio: boolean;
}

/** What it answers: an MP4, and its last picture as PNG. */
export interface RenderedVideo {
  bytes: Uint8Array;
  mediaType: "video/mp4";
  durationSeconds: number;
  lastFrame?: Uint8Array;
}

/** The part of `@model-gateway/emulator-media` that the emulator uses. */
export interface MediaRenderer {
  renderVideo(request: RenderVideoRequest): Promise<RenderedVideo>;
  closeMedia(): Promise<void>;
}
