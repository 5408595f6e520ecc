import type {
  BaseChatModelCallOptions,
  BaseChatModelParams,
  BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import type { ResponseFormat, Route } from "@model-gateway/core";
import type { GatewayConnection } from "./gateway-connection.js";

/** Sampling settings; the constructor sets them for all calls, a call for itself. Only what is set is sent. */
export interface ChatModelGatewaySampling {
  /** 0 to 2. */
  temperature?: number;
  /** Caps the tokens of the answer, reasoning included. Sent as `tokenLimitParam` says. */
  maxTokens?: number;
  topP?: number;
  /** End-user identifier. */
  user?: string;
  /** Ask for token counts in streams (`stream_options.include_usage`). Default true. */
  streamUsage?: boolean;
  /** Further fields of the request body, such as `{ seed: 7, metadata: { … } }`. They win over everything else. */
  modelKwargs?: Record<string, unknown>;
}

/** Constructor arguments of `ChatModelGateway`: the model, the connection, and LangChain's own. */
export interface ChatModelGatewayFields
  extends BaseChatModelParams,
    ChatModelGatewaySampling,
    Omit<GatewayConnection, "maxRetries" | "timeout"> {
  /** A model id available to the key. */
  model: string;
  /** Texts at which the model stops. */
  stop?: string[];
  /** The same as `stop`, under the name that other integrations use. */
  stopSequences?: string[];
  /** Which body field carries `maxTokens`. Default `"max_completion_tokens"`. */
  tokenLimitParam?: "max_completion_tokens" | "max_tokens";
  /**
   * Attempts after the first, at most. Default 2. The gateway client alone repeats requests; LangChain's own
   * retry loop stays off, so attempts are never multiplied.
   */
  maxRetries?: number;
  /** Time per attempt until the answer is complete (for streams until it begins), in milliseconds. Default 600000. */
  timeout?: number;
  /** Read every answer as a stream, also in `invoke`: for networks that cut silent connections. Default false. */
  streaming?: boolean;
  /**
   * Send the model's reasoning back while it works through a tool loop, as reasoning models ask. Reasoning of
   * finished turns is never sent. Default true.
   */
  reasoningRoundTrip?: boolean;
  /**
   * Send audio, video and files (PDF) as clients of the chat format send them, to models that take such parts. By
   * default they are refused before anything is sent, since the API has text and image parts only. Text files are
   * always sent as text.
   */
  fileParts?: "openai";
  /**
   * Take what stands in `<think>` tags at the beginning of an answer for reasoning, for routes that leave the tags in
   * the text. Default false.
   */
  thinkTags?: boolean;
  /** Keep the whole answer of the gateway in `additional_kwargs.__raw_response`. Default false. */
  includeRawResponse?: boolean;
  /** What the model can do, for agents and middleware that look it up; `model.loadProfile()` asks the gateway. */
  profile?: ModelProfile;
}

/** Options of one call: `model.invoke(input, options)`, `bindTools(tools, options)`, `withConfig(options)`. */
export interface ChatModelGatewayCallOptions extends BaseChatModelCallOptions, ChatModelGatewaySampling {
  tools?: BindToolsInput[];
  /** Let the model call several tools at once. */
  parallel_tool_calls?: boolean;
  response_format?: ResponseFormat;
  /** Ask the model to keep to the tools' schemas exactly. */
  strict?: boolean;
  /** Added to the system message; `withStructuredOutput` with method `"prompt"` puts the schema here. */
  formatInstructions?: string;
  /** Added to the client's headers. */
  headers?: Record<string, string | undefined>;
  /** Overrides the client's `route`. */
  route?: Route;
}

/** What `toJSON` writes of the constructor's arguments: nothing that is secret or cannot be written. */
export const SERIALIZABLE_KEYS: ReadonlyArray<keyof ChatModelGatewayFields> = [
  "model",
  "baseURL",
  "endpoints",
  "route",
  "temperature",
  "maxTokens",
  "topP",
  "stop",
  "user",
  "streamUsage",
  "tokenLimitParam",
  "modelKwargs",
  "maxRetries",
  "timeout",
  "streaming",
  "reasoningRoundTrip",
  "fileParts",
  "thinkTags",
  "includeRawResponse",
  "profile",
  "disableStreaming",
  "outputVersion",
];

/** What LangChain passes on to a call, beside its own options. */
export const CALL_KEYS: ReadonlyArray<keyof ChatModelGatewayCallOptions> = [
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "strict",
  "temperature",
  "maxTokens",
  "topP",
  "user",
  "streamUsage",
  "modelKwargs",
  "maxRetries",
  "formatInstructions",
  "headers",
  "route",
];
