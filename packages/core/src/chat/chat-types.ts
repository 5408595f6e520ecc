import type { Cost } from "../costs/cost.js";

/** Roles of the API description (ChatMessage). */
export type ChatRole = "system" | "user" | "assistant" | "tool";

export interface TextPart {
  type: "text";
  text: string;
  /** Fields of a model's own, such as `cache_control`, pass through. */
  [field: string]: unknown;
}

export interface ImagePart {
  type: "image_url";
  image_url: {
    /** Public URL, or `data:image/…;base64,…`. */
    url: string;
    /** Not in the API description; understood by some models. */
    detail?: "auto" | "low" | "high";
  };
  [field: string]: unknown;
}

/** Audio as clients of the chat format send it. Not in the API description; understood by some models. */
export interface AudioPart {
  type: "input_audio";
  /** `data` in Base64. */
  input_audio: { data: string; format: string };
  [field: string]: unknown;
}

/** A file, such as a PDF, as clients of the chat format send it. Not in the API description. */
export interface FilePart {
  type: "file";
  /** `file_data` is a data URL. */
  file: { file_data?: string; file_id?: string; filename?: string };
  [field: string]: unknown;
}

/** A video as clients of the chat format send it. Not in the API description; understood by some models. */
export interface VideoPart {
  type: "video_url";
  video_url: { url: string };
  [field: string]: unknown;
}

/** Reasoning as some routes send it: among the parts of the content. */
export interface ThinkingPart {
  type: "thinking";
  thinking: string | TextPart[];
  [field: string]: unknown;
}

export type ContentPart = TextPart | ImagePart | AudioPart | FilePart | VideoPart;

/** A call of a function tool, as the model made it. */
export interface ToolCall {
  id: string;
  type: "function";
  /** `arguments` is JSON text written by the model: check it before use. */
  function: { name: string; arguments: string; [field: string]: unknown };
  /** Fields of a model's own, such as `extra_content` with a thought signature, go back as they came. */
  [field: string]: unknown;
}

export interface SystemMessage {
  role: "system";
  content: string | TextPart[];
  name?: string;
  [field: string]: unknown;
}

export interface UserMessage {
  role: "user";
  content: string | ContentPart[];
  name?: string;
  [field: string]: unknown;
}

export interface AssistantMessage {
  role: "assistant";
  /** May be null or absent when the message only calls tools. */
  content?: string | Array<ContentPart | ThinkingPart> | null;
  tool_calls?: ToolCall[];
  /** Reasoning of an earlier turn, for models that want it back inside a tool loop. */
  reasoning_content?: string;
  name?: string;
  /** Fields of a model's own, such as `reasoning_details`, go back as they came. */
  [field: string]: unknown;
}

export interface ToolMessage {
  role: "tool";
  content: string | TextPart[];
  tool_call_id: string;
  [field: string]: unknown;
}

export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A function the model may call. `parameters` is a JSON Schema. */
export interface FunctionTool {
  type: "function";
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean };
}

export type ToolChoice = "auto" | "none" | "required" | { type: "function"; function: { name: string } };

export type ResponseFormat =
  | { type: "text" }
  | { type: "json_object" }
  | {
      type: "json_schema";
      json_schema: { name: string; description?: string; schema?: Record<string, unknown>; strict?: boolean };
    };

/**
 * Body of `POST /chat/completions`. The first group is in the API description; the second is common in the
 * chat-completion wire format and reaches models that understand it. Further fields pass through.
 */
export interface ChatCompletionRequest {
  /** A model id available to the key; see `models.list()`. */
  model: string;
  messages: ChatMessage[];
  /** 0 to 2. Default 1. */
  temperature?: number;
  /** At least 1. Caps the output length. */
  max_tokens?: number;
  /** Caps the output tokens; preferred over `max_tokens`. */
  max_completion_tokens?: number;
  stream?: boolean;
  /** Key-value pairs. The image-chat model reads `size` and `quality` from it. */
  metadata?: Record<string, unknown>;
  /** End-user identifier. */
  user?: string;

  tools?: FunctionTool[];
  tool_choice?: ToolChoice;
  parallel_tool_calls?: boolean;
  response_format?: ResponseFormat;
  stop?: string | string[];
  top_p?: number;
  seed?: number;
  /** Number of choices. */
  n?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  reasoning_effort?: string;
  stream_options?: { include_usage?: boolean };
}

/** Token counts (API description, Usage); the details are sent by some routes. */
export interface Usage {
  prompt_tokens?: number;
  completion_tokens?: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; [field: string]: unknown } | null;
  completion_tokens_details?: { reasoning_tokens?: number; [field: string]: unknown } | null;
  [field: string]: unknown;
}

/** A message the model wrote. Fields beyond the description are kept as the route sent them. */
export interface CompletionMessage {
  role: "assistant";
  content: string | Array<ContentPart | ThinkingPart> | null;
  tool_calls?: ToolCall[];
  reasoning_content?: string | null;
  reasoning?: string | null;
  /** Why the model will not answer, in its own words. */
  refusal?: string | null;
  [field: string]: unknown;
}

export interface CompletionChoice {
  index: number;
  message: CompletionMessage;
  /** Why the output ended, such as `stop`, `length`, `tool_calls`, `content_filter`. */
  finish_reason: string | null;
  [field: string]: unknown;
}

/** Answer of `POST /chat/completions`, kept as the gateway sent it. */
export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  /** Seconds since the epoch. */
  created: number;
  model: string;
  choices: CompletionChoice[];
  usage?: Usage | null;
  /** What the call cost, where the client has `prices` and they, or the gateway, say. */
  cost?: Cost;
  [field: string]: unknown;
}

/** A fragment of a tool call. Routes leave out `index`, `id` or `name` in later fragments, some in the first. */
export interface ToolCallDelta {
  index?: number;
  id?: string | null;
  type?: string;
  function?: { name?: string | null; arguments?: string | null; [field: string]: unknown };
  [field: string]: unknown;
}

export interface CompletionDelta {
  role?: string;
  content?: string | null;
  tool_calls?: ToolCallDelta[] | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  refusal?: string | null;
  [field: string]: unknown;
}

export interface ChunkChoice {
  index: number;
  delta: CompletionDelta;
  finish_reason?: string | null;
  [field: string]: unknown;
}

/** One event of a streamed answer (API description, Events). `choices` is empty in a chunk that only brings usage. */
export interface ChatCompletionChunk {
  id: string;
  object: "chat.completion.chunk";
  created: number;
  model: string;
  choices: ChunkChoice[];
  usage?: Usage | null;
  [field: string]: unknown;
}
