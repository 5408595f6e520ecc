export { APIPromise, type GatewayResponse, type WithResponse } from "./call/api-promise.js";
export type { RequestOptions } from "./call/call.js";
export { Connection } from "./call/connection.js";
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
export type { APIKeySource } from "./checks/check-api-key.js";
export type { Route } from "./config/addresses.js";
export type { ModelGatewayOptions } from "./config/config.js";
export type {
  CallEvent,
  FailoverEvent,
  GatewayHooks,
  GatewayLogger,
  LogLevel,
  PollFailedEvent,
  ResponseEvent,
  RetryEvent,
  StreamEndEvent,
} from "./hooks/observer.js";
export type { AddressKind } from "./transport/address-kind.js";
export type { FetchFunction } from "./transport/fetch-transport.js";
