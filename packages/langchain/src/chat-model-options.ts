import type {
  BaseChatModelCallOptions,
  BaseChatModelParams,
  BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import type { ModelGateway, ResponseFormat, Route } from "@model-gateway/core";
import type { GatewayConnection } from "./gateway-connection.js";

/** As much of the client as chat models use. */
export type ChatClient = Pick<ModelGateway, "baseURL" | "chat" | "models">;

/** Sampling settings; the constructor sets them for all calls, a call for itself. Only what is set is sent. */
export interface ChatModelGatewaySampling {
  /** 0 to 2. */
  temperature?: number;
  /** Caps the tokens of the answer, reasoning included. Sent as `tokenLimitParam` says. */
  maxTokens?: number;
  topP?: number;
  /** Sample from this many of the likeliest tokens; some models know it. */
  topK?: number;
  /** The same number gives the same answer, as far as the model can. */
  seed?: number;
  /** -2 to 2: how much to avoid tokens that occurred. */
  presencePenalty?: number;
  /** -2 to 2: how much to avoid tokens by how often they occurred. */
  frequencyPenalty?: number;
  /** Added to the likelihood of tokens, by token id: -100 to 100. */
  logitBias?: Record<string, number>;
  /** How long a reasoning model may think: `"low"`, `"medium"`, `"high"`, or a word of the model's own. */
  reasoningEffort?: string;
  /** Number of answers; `model.generate()` gives all of them, `invoke` the first. Not in streams. */
  n?: number;
  /** Have the log-probabilities of the tokens in `response_metadata.logprobs`. */
  logprobs?: boolean;
  /** Likeliest tokens to name at each position; needs `logprobs`. */
  topLogprobs?: number;
  /** Groups requests that share a beginning, for servers that cache it. */
  promptCacheKey?: string;
  /** Such as `"flex"` or `"priority"`, where the route has tiers. */
  serviceTier?: string;
  /** End-user identifier. */
  user?: string;
  /** Ask for token counts in streams (`stream_options.include_usage`). Default true. */
  streamUsage?: boolean;
  /** Further fields of the request body, such as `{ metadata: { … } }`. They win over everything else. */
  modelKwargs?: Record<string, unknown>;
}

/** Constructor arguments of `ChatModelGateway`: the model, the connection, and LangChain's own. */
export interface ChatModelGatewayFields
  extends BaseChatModelParams,
    ChatModelGatewaySampling,
    Omit<GatewayConnection<ChatClient>, "maxRetries" | "timeout"> {
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
   * What the route can do where an answer has to fit a JSON Schema (`response_format`, which agents bind too):
   * `"jsonSchema"` (default) sends the schema, `"jsonObject"` asks for any JSON object and puts the schema into the
   * system message, `"prompt"` does only the latter.
   */
  structuredOutputs?: "jsonSchema" | "jsonObject" | "prompt";
  /**
   * Whether the model can be made to call a tool. Thinking models refuse it with an error that names `tool_choice`;
   * with `false` they are sent `"auto"`, and `withStructuredOutput` asks for the call in the system message. Default
   * true.
   */
  forcedToolChoice?: boolean;
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
  /** Who the calls are for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
  /** What the model can do, for agents and middleware that look it up; `model.loadProfile()` asks the gateway. */
  profile?: ModelProfile;
}

/** Options of one call: `model.invoke(input, options)`, `bindTools(tools, options)`, `withConfig(options)`. */
export interface ChatModelGatewayCallOptions extends BaseChatModelCallOptions, ChatModelGatewaySampling {
  /** Another model for this call. */
  model?: string;
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
  /** Overrides the client's `requireFinishReason`. */
  requireFinishReason?: boolean;
  /** Overrides the client's `deadline`, in milliseconds. */
  deadline?: number;
  /** Overrides the client's `connectTimeout`, in milliseconds. */
  connectTimeout?: number;
  /** Overrides the model's `budgetTag`. */
  budgetTag?: string;
}

/** Where sampling settings go in the request body. */
export const WIRE_NAMES = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  logitBias: "logit_bias",
  reasoningEffort: "reasoning_effort",
  n: "n",
  logprobs: "logprobs",
  topLogprobs: "top_logprobs",
  promptCacheKey: "prompt_cache_key",
  serviceTier: "service_tier",
  user: "user",
} as const satisfies Partial<Record<keyof ChatModelGatewaySampling, string>>;

/** Fields that the gateway client knows nothing of, and whether `toJSON` writes them: nothing that cannot be written. */
const OWN_FIELDS = {
  model: true,
  temperature: true,
  maxTokens: true,
  topP: true,
  topK: true,
  seed: true,
  presencePenalty: true,
  frequencyPenalty: true,
  logitBias: true,
  reasoningEffort: true,
  n: true,
  logprobs: true,
  topLogprobs: true,
  promptCacheKey: true,
  serviceTier: true,
  user: true,
  stop: true,
  stopSequences: false,
  streamUsage: true,
  tokenLimitParam: true,
  modelKwargs: true,
  streaming: true,
  reasoningRoundTrip: true,
  structuredOutputs: true,
  forcedToolChoice: true,
  fileParts: true,
  thinkTags: true,
  includeRawResponse: true,
  budgetTag: false,
  profile: true,
  disableStreaming: true,
  outputVersion: true,
  cache: false,
  callbacks: false,
  callbackManager: false,
  tags: false,
  metadata: false,
  verbose: false,
  onFailedAttempt: false,
} as const satisfies Record<Exclude<keyof ChatModelGatewayFields, keyof GatewayConnection>, boolean>;

export const OWN_FIELD_NAMES: readonly string[] = Object.keys(OWN_FIELDS);

/** What a call cannot change. */
export const CONSTRUCTOR_ONLY: readonly string[] = [
  "apiKey",
  "baseURL",
  "gateway",
  "tokenLimitParam",
  "streaming",
  "reasoningRoundTrip",
  "structuredOutputs",
  "forcedToolChoice",
  "fileParts",
  "thinkTags",
  "includeRawResponse",
];

/** What `toJSON` writes of the constructor's arguments; of the connection, nothing that is secret. */
export const SERIALIZABLE_KEYS: readonly string[] = [
  ...Object.entries(OWN_FIELDS).flatMap(([name, written]) => (written ? [name] : [])),
  "baseURL",
  "endpoints",
  "route",
  "maxRetries",
  "timeout",
  "deadline",
  "connectTimeout",
  "streamIdleTimeout",
  "retryBudget",
  "requireFinishReason",
];

/** What LangChain passes on to a call, beside its own options. */
export const CALL_KEYS: ReadonlyArray<keyof ChatModelGatewayCallOptions> = [
  ...(Object.keys(WIRE_NAMES) as Array<keyof typeof WIRE_NAMES>),
  "model",
  "maxTokens",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "strict",
  "streamUsage",
  "modelKwargs",
  "maxRetries",
  "formatInstructions",
  "headers",
  "route",
  "requireFinishReason",
  "deadline",
  "connectTimeout",
  "budgetTag",
];
