import type { CallbackManagerForLLMRun, Callbacks } from "@langchain/core/callbacks/manager";
import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelParams,
  type BindToolsInput,
  type LangSmithParams,
} from "@langchain/core/language_models/chat_models";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import type { AIMessageChunk, BaseMessage, BaseMessageLike, MessageContent } from "@langchain/core/messages";
import type { ChatGenerationChunk, ChatResult, LLMResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import {
  type ChatCompletionRequest,
  type ChatCompletionStream,
  type ChatOptions,
  ConfigurationError,
  createChat,
  createModels,
  InvalidRequestError,
} from "@model-gateway/core";
import { buildInvocationParams } from "./build-invocation-params.js";
import { CACHED_IMAGES, imagesForCacheKey } from "./cached-images.js";
import {
  CALL_KEYS,
  type ChatClient,
  type ChatModelGatewayCallOptions,
  type ChatModelGatewayFields,
  CONSTRUCTOR_ONLY,
  OWN_FIELD_NAMES,
  SERIALIZABLE_KEYS,
} from "./chat-model-options.js";
import { registerContentBlocks } from "./content-blocks.js";
import { convertCompletion } from "./convert-completion.js";
import { convertMessages } from "./convert-messages.js";
import { convertTools } from "./convert-tools.js";
import { toLLMOutput } from "./convert-usage.js";
import { countTokens } from "./count-tokens.js";
import { downgradeFormat, joinInstructions } from "./downgrade-format.js";
import { connectGateway } from "./gateway-connection.js";
import { listModelProfiles } from "./list-model-profiles.js";
import { toLangChainError } from "./map-error.js";
import { MODEL_PROVIDER } from "./model-provider.js";
import type { AnswerReading } from "./read-answer.js";
import { refuseMisnamedOptions } from "./refuse-misnamed-options.js";
import { StreamChunkBuilder } from "./stream-chunk-builder.js";
import { StreamEventBuilder } from "./stream-event-builder.js";
import {
  createStructuredOutput,
  type StructuredOutputSchema,
  type StructuredRecord,
} from "./structured-output.js";
import { VERSION } from "./version.js";

/**
 * Chat models of a model gateway.
 *
 * ## Setup
 *
 * ```bash
 * npm install @model-gateway/langchain @langchain/core
 * export MODEL_GATEWAY_API_KEY="sk-..."
 * export MODEL_GATEWAY_BASE_URL="<the gateway's address, ending in /v1>"
 * ```
 *
 * ## Constructor args
 *
 * `new ChatModelGateway("model-id", fields?)` or `new ChatModelGateway({ model: "model-id", ... })`; see
 * {@link ChatModelGatewayFields}. Only what you set is sent.
 *
 * ## Runtime args
 *
 * The second argument of `.invoke`, `.stream`, `.batch`, `.bindTools` and `.withConfig`; see
 * {@link ChatModelGatewayCallOptions}. Per-call `timeout`, `signal` and `maxRetries` reach the request itself.
 *
 * <details open>
 * <summary><strong>Instantiate</strong></summary>
 *
 * ```ts
 * import { ChatModelGateway } from "@model-gateway/langchain";
 *
 * const model = new ChatModelGateway("local-chat", { temperature: 0, maxTokens: 500 });
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Invoking</strong></summary>
 *
 * ```ts
 * const message = await model.invoke("Translate to French: I love programming.");
 * console.log(message.text);
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Streaming Chunks</strong></summary>
 *
 * ```ts
 * for await (const chunk of await model.stream("Count to ten.")) process.stdout.write(chunk.text);
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Aggregate Streamed Chunks</strong></summary>
 *
 * ```ts
 * import type { AIMessageChunk } from "@langchain/core/messages";
 * import { concat } from "@langchain/core/utils/stream";
 *
 * let full: AIMessageChunk | undefined;
 * for await (const chunk of await model.stream("Count to ten.")) full = full ? concat(full, chunk) : chunk;
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Bind tools</strong></summary>
 *
 * ```ts
 * import { tool } from "@langchain/core/tools";
 * import { z } from "zod";
 *
 * const getWeather = tool(async ({ city }) => `Sunny in ${city}`, {
 *   name: "get_weather",
 *   description: "The current weather in a city",
 *   schema: z.object({ city: z.string() }),
 * });
 * const message = await model.bindTools([getWeather]).invoke("What is the weather in Paris?");
 * console.log(message.tool_calls);
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Structured Output</strong></summary>
 *
 * ```ts
 * const Joke = z.object({ setup: z.string(), punchline: z.string() });
 * const joke = await model.withStructuredOutput(Joke).invoke("Tell me a joke about cats.");
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Usage Metadata</strong></summary>
 *
 * ```ts
 * const { usage_metadata } = await model.invoke("Hello");
 * // { input_tokens: 8, output_tokens: 9, total_tokens: 17, input_token_details: {}, output_token_details: {} }
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Response Metadata</strong></summary>
 *
 * ```ts
 * const { response_metadata } = await model.invoke("Hello");
 * // { model_provider: "model-gateway", model: "local-chat", model_name: "local-chat", id: "...", request_id: "...",
 * //   finish_reason: "stop", usage: { … as the route sent it }, … }
 * ```
 * </details>
 *
 * @throws ConfigurationError from the constructor, when the key or the address is missing
 */
export class ChatModelGateway extends BaseChatModel<ChatModelGatewayCallOptions, AIMessageChunk> {
  static override lc_name(): string {
    return "ChatModelGateway";
  }

  override lc_serializable = true;

  readonly model: string;
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly seed: number | undefined;
  readonly presencePenalty: number | undefined;
  readonly frequencyPenalty: number | undefined;
  readonly logitBias: Record<string, number> | undefined;
  readonly reasoningEffort: string | undefined;
  readonly n: number | undefined;
  readonly logprobs: boolean | undefined;
  readonly topLogprobs: number | undefined;
  readonly promptCacheKey: string | undefined;
  readonly serviceTier: string | undefined;
  readonly stop: string[] | undefined;
  readonly user: string | undefined;
  readonly streamUsage: boolean;
  readonly tokenLimitParam: "max_completion_tokens" | "max_tokens";
  readonly modelKwargs: Record<string, unknown> | undefined;
  readonly maxRetries: number | undefined;
  readonly timeout: number | undefined;
  readonly streaming: boolean;
  readonly reasoningRoundTrip: boolean;
  readonly thinkTags: boolean;
  readonly structuredOutputs: "jsonSchema" | "jsonObject" | "prompt";
  readonly forcedToolChoice: boolean;
  readonly fileParts: "openai" | undefined;
  readonly includeRawResponse: boolean;
  /** The client that sends every request. */
  readonly gateway: ChatClient;
  readonly #maxConcurrency: number | undefined;
  #profile: ModelProfile;
  /** Private, since headers may hold secrets and models are printed. */
  readonly #requestDefaults: ChatOptions;

  constructor(model: string, fields?: Omit<ChatModelGatewayFields, "model">);
  constructor(fields: ChatModelGatewayFields);
  constructor(
    modelOrFields: string | ChatModelGatewayFields,
    otherFields?: Omit<ChatModelGatewayFields, "model">,
  ) {
    const fields: ChatModelGatewayFields =
      typeof modelOrFields === "string" ? { ...otherFields, model: modelOrFields } : modelOrFields;
    const stop = fields.stop ?? fields.stopSequences;
    // The gateway client is the one retry authority: LangChain's loop would multiply its attempts.
    super({
      ...fields,
      stop,
      maxRetries: 0,
      onFailedAttempt: fields.onFailedAttempt ?? leaveToClient,
    } as BaseChatModelParams);
    this._addVersion("@model-gateway/langchain", VERSION);
    registerContentBlocks();
    refuseMisnamedOptions(fields, [...OWN_FIELD_NAMES, ...CONSTRUCTOR_ONLY]);
    this.gateway = connectGateway<ChatClient>(fields, OWN_FIELD_NAMES, (connection) => ({
      baseURL: connection.baseURL,
      chat: createChat(connection),
      models: createModels(connection),
    }));
    this.model = fields.model;
    this.temperature = fields.temperature;
    this.maxTokens = fields.maxTokens;
    this.topP = fields.topP;
    this.topK = fields.topK;
    this.seed = fields.seed;
    this.presencePenalty = fields.presencePenalty;
    this.frequencyPenalty = fields.frequencyPenalty;
    this.logitBias = fields.logitBias;
    this.reasoningEffort = fields.reasoningEffort;
    this.n = fields.n;
    this.logprobs = fields.logprobs;
    this.topLogprobs = fields.topLogprobs;
    this.promptCacheKey = fields.promptCacheKey;
    this.serviceTier = fields.serviceTier;
    this.stop = stop;
    this.user = fields.user;
    this.streamUsage = fields.streamUsage ?? true;
    this.tokenLimitParam = fields.tokenLimitParam ?? "max_completion_tokens";
    this.modelKwargs = fields.modelKwargs;
    this.maxRetries = fields.maxRetries;
    this.timeout = fields.timeout;
    this.streaming = fields.streaming ?? false;
    this.reasoningRoundTrip = fields.reasoningRoundTrip ?? true;
    this.structuredOutputs = fields.structuredOutputs ?? "jsonSchema";
    this.forcedToolChoice = fields.forcedToolChoice ?? true;
    this.fileParts = fields.fileParts;
    this.thinkTags = fields.thinkTags ?? false;
    this.includeRawResponse = fields.includeRawResponse ?? false;
    this.disableStreaming = fields.disableStreaming ?? false;
    this.#maxConcurrency = fields.maxConcurrency;
    this.#profile = fields.profile ?? {};
    const { maxRetries, timeout, deadline, connectTimeout, headers, route, requireFinishReason, budgetTag } =
      fields;
    this.#requestDefaults = {
      maxRetries,
      timeout,
      deadline,
      connectTimeout,
      headers,
      route,
      requireFinishReason,
      budgetTag,
    };
    // LangChain writes a placeholder where this property exists. It is never the key itself.
    if (fields.apiKey !== undefined) Object.defineProperty(this, "apiKey", { value: "hidden" });
  }

  override _llmType(): string {
    return MODEL_PROVIDER;
  }

  override get lc_secrets(): Record<string, string> {
    return { apiKey: "MODEL_GATEWAY_API_KEY" };
  }

  override get lc_aliases(): Record<string, string> {
    return { baseURL: "base_url" };
  }

  override get lc_serializable_keys(): string[] {
    return [...SERIALIZABLE_KEYS];
  }

  override get callKeys(): string[] {
    return [...super.callKeys, ...CALL_KEYS];
  }

  /** What the model can do: as given to the constructor, and as `loadProfile` found it. */
  override get profile(): ModelProfile {
    return this.#profile;
  }

  /**
   * Fills `profile` from the model list of the gateway, for agents and middleware that look there. What the
   * constructor was given stays; the list may tell nothing but the id, and then nothing is added.
   *
   * @throws ConfigurationError when the key does not reach this model, GatewayError when the list cannot be read
   */
  async loadProfile(options?: { signal?: AbortSignal }): Promise<ModelProfile> {
    try {
      const profiles = await listModelProfiles(this.gateway, { ...this.#requestDefaults, ...options });
      const listed = profiles.get(this.model);
      if (listed === undefined) throw notListed(this.model, [...profiles.keys()]);
      this.#profile = { ...listed, ...this.#profile };
      return this.#profile;
    } catch (error) {
      throw toLangChainError(error, options?.signal);
    }
  }

  /** Tells this model from others in cache keys: everything that shapes an answer, nothing secret. */
  override _identifyingParams(): Record<string, unknown> {
    return { base_url: this.gateway.baseURL, ...this.invocationParams() };
  }

  override _getSerializedCacheKeyParametersForCall(
    options: ChatModelGatewayCallOptions & { config?: Record<string, unknown>; [CACHED_IMAGES]?: string },
  ): string {
    const {
      signal: _signal,
      headers: _headers,
      route: _route,
      maxRetries: _maxRetries,
      requireFinishReason: _requireFinishReason,
      deadline: _deadline,
      connectTimeout: _connectTimeout,
      budgetTag: _budgetTag,
      ...shaping
    } = options;
    return super._getSerializedCacheKeyParametersForCall(shaping) + (options[CACHED_IMAGES] ?? "");
  }

  override async generate(
    prompts: BaseMessageLike[][],
    options?: string[] | Partial<ChatModelGatewayCallOptions>,
    callbacks?: Callbacks,
  ): Promise<LLMResult> {
    const images = this.cache === undefined ? undefined : imagesForCacheKey(prompts);
    if (images === undefined) return super.generate(prompts, options, callbacks);
    const callOptions = Array.isArray(options) ? { stop: options } : options;
    return super.generate(
      prompts,
      { ...callOptions, [CACHED_IMAGES]: images } as typeof callOptions,
      callbacks,
    );
  }

  protected override _getCallOptionsForTracing(
    options: this["ParsedCallOptions"],
  ): this["ParsedCallOptions"] {
    const { headers: _headers, ...shown } = options;
    return shown as this["ParsedCallOptions"];
  }

  /** The request body without its messages: only what was set. */
  override invocationParams(
    options?: Partial<ChatModelGatewayCallOptions>,
  ): Omit<ChatCompletionRequest, "messages"> {
    return buildInvocationParams(this, options);
  }

  override getLsParams(options: this["ParsedCallOptions"]): LangSmithParams {
    return {
      ls_provider: MODEL_PROVIDER,
      ls_model_name: options.model ?? this.model,
      ls_model_type: "chat",
      ls_temperature: options.temperature ?? this.temperature,
      ls_max_tokens: options.maxTokens ?? this.maxTokens,
      ls_stop: options.stop ?? this.stop,
    };
  }

  /** Estimates the tokens of a text, offline; the gateway serves models of many tokenizers. */
  override async getNumTokens(content: MessageContent): Promise<number> {
    return countTokens(content);
  }

  override _combineLLMOutput(...outputs: LLMResult["llmOutput"][]): LLMResult["llmOutput"] {
    const total = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
    for (const output of outputs) {
      total.promptTokens += output?.["tokenUsage"]?.promptTokens ?? 0;
      total.completionTokens += output?.["tokenUsage"]?.completionTokens ?? 0;
      total.totalTokens += output?.["tokenUsage"]?.totalTokens ?? 0;
    }
    return { tokenUsage: total };
  }

  override async _generate(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    if (this.streaming && !this.disableStreaming)
      return this.generateFromStream(messages, options, runManager);
    try {
      options.signal?.throwIfAborted();
      const body = this.requestBody(messages, options);
      const { data, requestId } = await this.limit(options.signal, () =>
        this.gateway.chat.completions
          .create({ ...body, stream: false }, this.requestOptions(options))
          .withResponse(),
      );
      return convertCompletion(data, this.reading(body.model), requestId);
    } catch (error) {
      throw toLangChainError(error, options.signal);
    }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const position = { prompt: (options as { promptIndex?: number }).promptIndex ?? 0, completion: 0 };
    const announce = (chunk: ChatGenerationChunk) =>
      runManager?.handleLLMNewToken(chunk.text, position, undefined, undefined, undefined, { chunk });
    try {
      const { stream, requestId, model } = await this.openStream(messages, options);
      const builder = new StreamChunkBuilder(this.reading(model));
      for await (const events of stream.batches()) {
        for (const event of events) {
          const chunk = builder.read(event);
          if (chunk === undefined) continue;
          yield chunk;
          if (runManager !== undefined) await announce(chunk);
        }
      }
      for (const chunk of builder.finish(await stream.finalCompletion(), requestId)) {
        yield chunk;
        await announce(chunk);
      }
    } catch (error) {
      throw toLangChainError(error, options.signal);
    }
  }

  override async *_streamChatModelEvents(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
  ): AsyncGenerator<ChatModelStreamEvent> {
    try {
      const { stream, requestId, model } = await this.openStream(messages, options);
      const builder = new StreamEventBuilder(this.reading(model));
      for await (const events of stream.batches()) {
        for (const event of events) yield* builder.read(event);
      }
      yield* builder.finish(await stream.finalCompletion(), requestId);
    } catch (error) {
      throw toLangChainError(error, options.signal);
    }
  }

  /**
   * Binds tools to the model: LangChain tools, runnables as tools, definitions in the wire format.
   *
   * @param kwargs further call options, such as `tool_choice`, `strict` or `parallel_tool_calls`
   */
  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<ChatModelGatewayCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ChatModelGatewayCallOptions> {
    return this.withConfig({ ...kwargs, tools: convertTools(tools, kwargs?.strict) });
  }

  /**
   * A runnable that answers with an object of the given schema instead of a message.
   *
   * `method` chooses how the model is made to keep to it: `"functionCalling"` (default) forces one tool call,
   * `"jsonSchema"` sets `response_format` to the schema, `"jsonMode"` to any JSON object and puts the schema in the
   * system message, `"prompt"` does only the latter and needs nothing of the server.
   *
   * The result is a whole object that fits the schema, JSON Schemas too, and a stream yields it once. Anything else (a
   * call that was cut off, a text in place of the call, another tool, an object that does not fit) is an error with
   * `lc_error_code` `OUTPUT_PARSING_FAILURE`, and a refusal is a `ModelRefusalError`; with `includeRaw` the result is
   * `{ raw, parsed }`, and `parsed` is null in those cases.
   *
   * @throws ConfigurationError for an unknown method, or a schema that cannot be written as JSON Schema
   */
  override withStructuredOutput<T extends StructuredRecord = StructuredRecord>(
    schema: StructuredOutputSchema<T>,
    config?: StructuredOutputMethodOptions<false>,
  ): Runnable<BaseLanguageModelInput, T>;
  override withStructuredOutput<T extends StructuredRecord = StructuredRecord>(
    schema: StructuredOutputSchema<T>,
    config?: StructuredOutputMethodOptions<true>,
  ): Runnable<BaseLanguageModelInput, { raw: BaseMessage; parsed: T }>;
  override withStructuredOutput<T extends StructuredRecord = StructuredRecord>(
    schema: StructuredOutputSchema<T>,
    config?: StructuredOutputMethodOptions<boolean>,
  ): Runnable<BaseLanguageModelInput, T> | Runnable<BaseLanguageModelInput, { raw: BaseMessage; parsed: T }>;
  override withStructuredOutput<T extends StructuredRecord = StructuredRecord>(
    schema: StructuredOutputSchema<T>,
    config?: StructuredOutputMethodOptions<boolean>,
  ) {
    return createStructuredOutput<T>(this, schema, config);
  }

  private requestBody(messages: BaseMessage[], options: this["ParsedCallOptions"]): ChatCompletionRequest {
    refuseMisnamedOptions(options, this.callKeys);
    const { body, instructions } = downgradeFormat(this.invocationParams(options), this.structuredOutputs);
    return {
      ...body,
      messages: convertMessages(messages, {
        reasoningRoundTrip: this.reasoningRoundTrip,
        fileParts: this.fileParts,
        formatInstructions: joinInstructions(options.formatInstructions, instructions),
      }),
    };
  }

  private requestOptions(options: this["ParsedCallOptions"]): ChatOptions {
    const defaults = this.#requestDefaults;
    return {
      signal: options.signal,
      timeout: defaults.timeout,
      deadline: options.deadline ?? defaults.deadline,
      connectTimeout: options.connectTimeout ?? defaults.connectTimeout,
      maxRetries: options.maxRetries ?? defaults.maxRetries,
      route: options.route ?? defaults.route,
      requireFinishReason: options.requireFinishReason ?? defaults.requireFinishReason,
      budgetTag: options.budgetTag ?? defaults.budgetTag,
      headers: { ...defaults.headers, ...options.headers },
    };
  }

  private reading(requestedModel: string): AnswerReading {
    return {
      requestedModel,
      thinkTags: this.thinkTags,
      includeRawResponse: this.includeRawResponse,
    };
  }

  private async openStream(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
  ): Promise<{ stream: ChatCompletionStream; requestId: string | undefined; model: string }> {
    options.signal?.throwIfAborted();
    const body = this.requestBody(messages, options);
    if ((body.n ?? 1) > 1) throw new InvalidRequestError([{ ...ONE_ANSWER, value: body.n }]);
    const usage =
      (options.streamUsage ?? this.streamUsage) ? { stream_options: { include_usage: true } } : {};
    const { data, requestId } = await this.limit(options.signal, () =>
      this.gateway.chat.completions
        .create({ ...usage, ...body, stream: true }, this.requestOptions(options))
        .withResponse(),
    );
    return { stream: data, requestId, model: body.model };
  }

  private async generateFromStream(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
      whole = whole === undefined ? chunk : whole.concat(chunk);
    }
    if (whole === undefined) return { generations: [] };
    return { generations: [whole], llmOutput: toLLMOutput((whole.message as AIMessageChunk).usage_metadata) };
  }

  /** Heeds `maxConcurrency`. Without it, requests skip LangChain's queue. */
  private limit<T>(signal: AbortSignal | undefined, send: () => PromiseLike<T>): PromiseLike<T> {
    if (this.#maxConcurrency === undefined) return send();
    return this.caller.callWithOptions({ signal, maxRetries: 0 }, async () => send());
  }
}

const ONE_ANSWER = {
  field: "n",
  message: "must be 1 in a stream, which LangChain reads as one message: use model.generate(), unstreamed",
};

function notListed(model: string, ids: readonly string[]): ConfigurationError {
  return new ConfigurationError(
    `Model ${model} is not in the model list of this key. The key reaches: ${ids.join(", ") || "no model"}.`,
  );
}

/** Stands in for LangChain's handler, which would rewrite the errors of rate limits. */
function leaveToClient(): void {}
