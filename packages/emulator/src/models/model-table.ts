/** What a model serves; it decides the endpoint. */
export type ModelCapability = "chat" | "embedding" | "content-video";

/** The token groups that the API description names. */
export const MODEL_GROUPS = ["default", "auto", "image_video"] as const;
export type ModelGroup = (typeof MODEL_GROUPS)[number];

/** The series that decide which options a model of the first video family takes. */
export type VideoSeries = "2.0" | "1.5-pro";

interface ModelBase {
  id: string;
  groups: readonly ModelGroup[];
}

export interface ChatModelEntry extends ModelBase {
  capability: "chat";
  /** A reasoning model thinks aloud in `reasoning_content` before it answers. */
  reasons: boolean;
}

export interface EmbeddingModelEntry extends ModelBase {
  capability: "embedding";
}

export interface VideoModelEntry extends ModelBase {
  capability: "content-video";
  series: VideoSeries;
}

export type ModelEntry = ChatModelEntry | EmbeddingModelEntry | VideoModelEntry;

const TEXT = ["default", "auto"] as const;
const MEDIA = ["default", "auto", "image_video"] as const;

/** Every model the emulator serves, in the order of `GET /models`. */
export const modelTable: readonly ModelEntry[] = [
  { id: "local-chat", groups: TEXT, capability: "chat", reasons: false },
  { id: "local-reasoner", groups: TEXT, capability: "chat", reasons: true },
  { id: "local-embedding", groups: TEXT, capability: "embedding" },
  { id: "local-video-2.0", groups: MEDIA, capability: "content-video", series: "2.0" },
  { id: "local-video-1.5-pro", groups: MEDIA, capability: "content-video", series: "1.5-pro" },
];
