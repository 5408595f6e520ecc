// What programs inside an edge runtime find as `core`.
export { createModelGateway } from "@model-gateway/ai-sdk-provider";
export { experimental_startVideo as startVideo, generateImage, generateSpeech, streamText } from "ai";
