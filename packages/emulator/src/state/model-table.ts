/** What a model serves; it decides the endpoint. */
export type ModelCapability =
  | "chat"
  | "chat-image"
  | "embedding"
  | "reference-image"
  | "base64-image"
  | "speech"
  | "moderation"
  | "content-video"
  | "image2video"
  | "omni-video";

/** The token groups that the API description names. */
export const MODEL_GROUPS = ["default", "auto", "image_video"] as const;
export type ModelGroup = (typeof MODEL_GROUPS)[number];

/** The series that decide which options a model of the family `content` takes. */
export type VideoSeries = "2.0" | "1.5-pro";

interface ModelBase {
  id: string;
  groups: readonly ModelGroup[];
  /** Served on the two specialised base addresses only. */
  specializedOnly?: boolean;
}

export interface ChatModelEntry extends ModelBase {
  capability: "chat";
  /** A reasoning model thinks aloud in `reasoning_content` before it answers. */
  reasons: boolean;
}

export interface VideoModelEntry extends ModelBase {
  capability: "content-video";
  series: VideoSeries;
}

/** A model of which there is nothing to say but what it serves. */
export interface PlainModelEntry<C extends ModelCapability> extends ModelBase {
  capability: C;
}

export type ModelEntry =
  | ChatModelEntry
  | VideoModelEntry
  | PlainModelEntry<"chat-image">
  | PlainModelEntry<"embedding">
  | PlainModelEntry<"reference-image">
  | PlainModelEntry<"base64-image">
  | PlainModelEntry<"speech">
  | PlainModelEntry<"moderation">
  | PlainModelEntry<"image2video">
  | PlainModelEntry<"omni-video">;

const TEXT = ["default", "auto"] as const;
const MEDIA = ["default", "auto", "image_video"] as const;

/** Every model the emulator serves by itself, in the order of `GET /models`. */
export const modelTable: readonly ModelEntry[] = [
  { id: "local-chat", groups: TEXT, capability: "chat", reasons: false },
  { id: "local-reasoner", groups: TEXT, capability: "chat", reasons: true },
  { id: "local-embedding", groups: TEXT, capability: "embedding" },
  { id: "local-image", groups: MEDIA, capability: "reference-image" },
  { id: "local-image-b64", groups: MEDIA, capability: "base64-image" },
  { id: "local-chat-image", groups: MEDIA, capability: "chat-image" },
  { id: "local-speech", groups: TEXT, capability: "speech" },
  { id: "local-speech-specialized", groups: TEXT, capability: "speech", specializedOnly: true },
  { id: "local-moderation", groups: TEXT, capability: "moderation" },
  { id: "local-video-2.0", groups: MEDIA, capability: "content-video", series: "2.0" },
  { id: "local-video-1.5-pro", groups: MEDIA, capability: "content-video", series: "1.5-pro" },
  { id: "local-image2video", groups: MEDIA, capability: "image2video" },
  { id: "local-omni-video", groups: MEDIA, capability: "omni-video" },
];
