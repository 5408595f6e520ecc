export type { GatewayTool } from "./tools/gateway-tool.js";
export type { ImageArtifact, ImageArtifactItem } from "./tools/image-artifact.js";
export {
  type ImageEditInput,
  type ImageEditRoute,
  type ImageEditToolFields,
  imageEditTool,
} from "./tools/image-edit-tool.js";
export {
  type ImageGenerationInput,
  type ImageGenerationRoute,
  type ImageGenerationToolFields,
  imageGenerationTool,
} from "./tools/image-generation-tool.js";
export { ModelGatewayToolError, type ToolErrorArtifact } from "./tools/model-gateway-tool-error.js";
export {
  ModelGatewayToolkit,
  type ModelGatewayToolkitFields,
  type ToolkitModel,
} from "./tools/model-gateway-toolkit.js";
export {
  type SpeechArtifact,
  type SpeechInput,
  type SpeechToolFields,
  speechTool,
} from "./tools/speech-tool.js";
export {
  type VideoArtifact,
  type VideoInput,
  type VideoProgress,
  type VideoRoute,
  type VideoToolFields,
  videoTool,
} from "./tools/video-tool.js";
