export type { StreamAction, StreamCall, StreamHandler, StreamHandlers } from "@model-gateway/core/resumable";
export { type ResumableChatOptions, resumableChat, type UIMessageAnswer } from "./resumable-chat.js";
export type { UIMessageStream } from "./ui-message-stream.js";
