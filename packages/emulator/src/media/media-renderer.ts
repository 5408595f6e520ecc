/** What the video renderer is asked for. */
export interface RenderVideoRequest {
  width: number;
  height: number;
  durationSeconds: number;
  prompt: string;
  seed: number;
  audio: boolean;
  /** Encoded pictures that the video begins and ends with. */
  firstFrame?: Uint8Array;
  lastFrame?: Uint8Array;
}

/** What it answers: an MP4, and its last picture as PNG. */
export interface RenderedVideo {
  bytes: Uint8Array;
  mediaType: "video/mp4";
  durationSeconds: number;
  lastFrame?: Uint8Array;
}

export type ImageFormat = "png" | "jpeg" | "webp";

/** What the image renderer is asked for. */
export interface RenderImageRequest {
  width: number;
  height: number;
  prompt: string;
  seed: number;
  format: ImageFormat;
  background?: "transparent" | "opaque";
  /** 1 to 100, for the formats that lose detail. */
  quality?: number;
  /** Lines in small type below the prompt. */
  details?: string[];
  /** Encoded pictures that the image is made from. */
  inputs?: Uint8Array[];
}

export interface RenderedImage {
  bytes: Uint8Array;
  mediaType: string;
  /** Set on what stands in for a picture where the media package is missing. */
  fallback?: true;
  width: number;
  height: number;
}

/** What can be seen in a picture at a glance. */
export interface ImageDescription {
  mediaType: string;
  width: number;
  height: number;
  /** The main colours, the most frequent first. */
  colours: string[];
  /** Such as `dark`. */
  brightness: string;
  /** The mean light, 0 to 100; older versions of the package do not tell it. */
  luma?: number;
  hasAlpha: boolean;
}

export type SpeechFormat = "mp3" | "wav" | "opus" | "flac" | "aac" | "pcm";

/** What the voice is asked for. */
export interface RenderSpeechRequest {
  text: string;
  voice: string;
  format: SpeechFormat;
  /** 0.25 to 4; 1 is the voice's own. */
  speed?: number;
  seed?: number;
}

export interface RenderedSpeech {
  bytes: Uint8Array;
  mediaType: string;
  /** Set on what stands in for a voice where the media package is missing. */
  fallback?: true;
}

/** The part of `@model-gateway/emulator-media` that the emulator uses. */
export interface MediaRenderer {
  renderVideo(request: RenderVideoRequest): Promise<RenderedVideo>;
  renderImage(request: RenderImageRequest): Promise<RenderedImage>;
  describeImage(bytes: Uint8Array): Promise<ImageDescription>;
  renderSpeech(request: RenderSpeechRequest): Promise<RenderedSpeech>;
  closeMedia(): Promise<void>;
}
