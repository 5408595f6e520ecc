import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { generateId } from "@ai-sdk/provider-utils";
import { type CompletionMessage, findMessageImages } from "@model-gateway/core";
import { chatPartStream } from "./chat-part-stream.js";
import { convertUsage } from "./convert-usage.js";
import { fetchFileParts } from "./fetch-file-parts.js";
import { toSDKError } from "./map-error.js";
import { isCutOff, mapFinishReason } from "./map-finish-reason.js";
import { type ModelConfig, PROVIDER_KEY, toRequestOptions } from "./model-gateway-config.js";
import { prepareChatRequest } from "./prepare-chat-request.js";

/** Chat models of the gateway (`POST /chat/completions`) as an AI SDK language model. */
export class ModelGatewayChatLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  /** Image URLs go to the gateway as they are; without this the SDK would download and inline each one. */
  readonly supportedUrls: Record<string, RegExp[]> = { "image/*": [/^https?:\/\//i] };

  constructor(
    readonly modelId: string,
    private readonly config: ModelConfig,
  ) {}

  get provider(): string {
    return this.config.provider;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { body, warnings } = await prepareChatRequest(this.modelId, options);
    const { data, response, requestId } = await this.send((gateway) =>
      gateway.chat.completions.create({ ...body, stream: false }, toRequestOptions(options)).withResponse(),
    );
    const [choice] = data.choices;
    const files = await this.send((gateway) =>
      fetchFileParts(
        gateway,
        choice === undefined ? [] : findMessageImages(choice.message),
        data,
        options.abortSignal,
      ),
    );
    const content = choice === undefined ? [] : convertContent(choice.message, choice.finish_reason, files);
    const hasToolCalls = content.some(({ type }) => type === "tool-call");
    return {
      content,
      finishReason: mapFinishReason(choice?.finish_reason, hasToolCalls),
      usage: convertUsage(data.usage),
      ...(requestId === undefined ? {} : { providerMetadata: { [PROVIDER_KEY]: { requestId } } }),
      request: { body },
      response: {
        id: data.id || undefined,
        modelId: data.model || undefined,
        timestamp: data.created ? new Date(data.created * 1000) : undefined,
        headers: Object.fromEntries(response.headers),
        body: data,
      },
      warnings,
    };
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const prepared = await prepareChatRequest(this.modelId, options);
    // Usage of a stream comes only when it is asked for.
    const body = { stream_options: { include_usage: true }, ...prepared.body, stream: true } as const;
    const { data, response, requestId } = await this.send((gateway) =>
      gateway.chat.completions.create(body, toRequestOptions(options)).withResponse(),
    );
    return {
      stream: chatPartStream({
        chunks: data,
        gateway: this.config.gateway(),
        requestId,
        warnings: prepared.warnings,
        includeRawChunks: options.includeRawChunks ?? false,
        abortSignal: options.abortSignal,
      }),
      request: { body },
      response: { headers: Object.fromEntries(response.headers) },
    };
  }

  private async send<T>(call: (gateway: ReturnType<ModelConfig["gateway"]>) => Promise<T>): Promise<T> {
    let baseURL = "";
    try {
      const gateway = this.config.gateway();
      baseURL = gateway.baseURL;
      return await call(gateway);
    } catch (error) {
      throw toSDKError(error, baseURL);
    }
  }
}

function convertContent(
  message: CompletionMessage,
  finishReason: string | null,
  files: readonly LanguageModelV4File[],
): LanguageModelV4Content[] {
  const content: LanguageModelV4Content[] = [];
  const reasoning = message.reasoning_content ?? message.reasoning;
  if (reasoning) content.push({ type: "reasoning", text: reasoning });
  const text =
    typeof message.content === "string"
      ? message.content
      : (message.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text !== "") content.push({ type: "text", text });
  content.push(...files);
  for (const call of message.tool_calls ?? []) {
    if (isCutOff(call.function.arguments, finishReason)) continue;
    content.push({
      type: "tool-call",
      toolCallId: call.id || generateId(),
      toolName: call.function.name,
      input: call.function.arguments,
    });
  }
  return content;
}
