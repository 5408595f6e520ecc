export type { Chat, ChatCompletions, ChatOptions } from "./chat/chat.js";
export { ChatCompletionStream } from "./chat/chat-completion-stream.js";
export type {
  AssistantMessage,
  AudioPart,
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ChatMessage,
  ChatRole,
  ChunkChoice,
  CompletionChoice,
  CompletionDelta,
  CompletionMessage,
  ContentPart,
  FilePart,
  FunctionTool,
  ImagePart,
  ResponseFormat,
  SystemMessage,
  TextPart,
  ThinkingPart,
  ToolCall,
  ToolCallDelta,
  ToolChoice,
  ToolMessage,
  Usage,
  UserMessage,
  VideoPart,
} from "./chat/chat-types.js";
export { createChat } from "./chat/create-chat.js";
export { type CacheTokens, readCacheTokens } from "./chat/read-cache-tokens.js";
export { type ThinkTagPiece, ThinkTagReader } from "./chat/think-tag-reader.js";
export {
  parseToolArguments,
  readToolCalls,
  ToolCallReader,
  type ToolCallReading,
  type ToolCallUpdate,
  toToolCall,
} from "./chat/tool-call-reader.js";
export * from "./common.js";
