import type { SpeechRequest } from "../audio/audio.js";
import type { ChatCompletionRequest } from "../chat/chat-types.js";
import type { EmbeddingRequest } from "../embeddings/embedding-types.js";
import type { ChatImageRequest, ImageEditRequest, ImageGenerateRequest } from "../images/image-types.js";
import type { ModerationRequest } from "../moderations/moderations.js";
import type { ImageToVideoRequest, OmniVideoRequest, VideoCreateRequest } from "../videos/video-types.js";

/** The body of each call that costs something, by the name of the call. */
export interface BillableCalls {
  "chat.completions.create": ChatCompletionRequest;
  "embeddings.create": EmbeddingRequest;
  "moderations.create": ModerationRequest;
  "images.generate": ImageGenerateRequest;
  "images.stream": ImageGenerateRequest;
  "images.edit": ImageEditRequest;
  "images.editStream": ImageEditRequest;
  "images.generateThroughChat": ChatImageRequest;
  "audio.speech.create": SpeechRequest;
  "videos.create": VideoCreateRequest;
  "videos.imageToVideo": ImageToVideoRequest;
  "videos.omniVideo": OmniVideoRequest;
}
