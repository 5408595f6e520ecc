import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from "@ai-sdk/provider-utils";
import { type ChatOptions, createChat } from "@model-gateway/core/chat";
import { type AnswerReading, ChatAnswerParts } from "./chat-answer-parts.js";
import { chatPartStream } from "./chat-part-stream.js";
import { collectContent } from "./collect-content.js";
import { fetchFileParts } from "./fetch-file-parts.js";
import { toSDKError } from "./map-error.js";
import type {
  ModelGatewayLanguageModelChatOptions,
  ModelGatewayLanguageModelSettings,
} from "./model-gateway-chat-language-model-options.js";
import { type ModelConfig, toRequestOptions } from "./model-gateway-config.js";
import { perConnection } from "./per-connection.js";
import { type PreparedChatRequest, prepareChatRequest } from "./prepare-chat-request.js";
import { resultClient } from "./result-client.js";
import { restoreConfig, type StoredModel, storeModel } from "./stored-model.js";

/** As much of the client as these models use: a bundle of them alone holds no more. */
const gatewayOf = /* @__PURE__ */ perConnection((connection) => ({
  ...resultClient(connection),
  chat: createChat(connection),
}));

/** Chat models of the gateway (`POST /chat/completions`) as an AI SDK language model. */
export class ModelGatewayChatLanguageModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  /** Image URLs go to the gateway as they are; without this the SDK would download and inline each one. */
  readonly supportedUrls: Record<string, RegExp[]> = { "image/*": [/^https?:\/\//i] };

  constructor(
    readonly modelId: string,
    private readonly settings: ModelGatewayLanguageModelSettings,
    private readonly config: ModelConfig,
  ) {}

  /** Writes the model down between the steps of a workflow: with the name of the key's variable, never with the key. */
  static [WORKFLOW_SERIALIZE](model: ModelGatewayChatLanguageModel): StoredModel {
    return storeModel(model.modelId, model.settings, model.config);
  }

  static [WORKFLOW_DESERIALIZE](stored: StoredModel): ModelGatewayChatLanguageModel {
    return new ModelGatewayChatLanguageModel(stored.modelId, stored.settings, restoreConfig(stored));
  }

  get provider(): string {
    return this.config.provider;
  }

  async doGenerate(call: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const prepared = await prepareChatRequest(this.modelId, this.settings, call);
    const { body, options, warnings } = prepared;
    return this.send(async (gateway) => {
      const { data, response, requestId } = await gateway.chat.completions
        .create({ ...body, stream: false }, toChatOptions(call, options))
        .withResponse();
      const parts: LanguageModelV4StreamPart[] = [];
      const answer = new ChatAnswerParts((part) => parts.push(part), readingOf(prepared, requestId));
      answer.addCompletion(data);
      const files = await fetchFileParts(gateway, answer.imageAddresses(), data, call.abortSignal);
      answer.finish(files, data);
      const failure = parts.find((part) => part.type === "error");
      if (failure !== undefined) throw failure.error;
      const { type: _finish, ...finish } = parts.at(-1) as Extract<
        LanguageModelV4StreamPart,
        { type: "finish" }
      >;
      return {
        content: collectContent(parts),
        ...finish,
        request: { body },
        response: { ...answer.head, headers: Object.fromEntries(response.headers), body: data },
        warnings,
      };
    });
  }

  async doStream(call: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const prepared = await prepareChatRequest(this.modelId, this.settings, call);
    const { options, warnings } = prepared;
    // Usage of a stream comes only when it is asked for.
    const body = { stream_options: { include_usage: true }, ...prepared.body, stream: true } as const;
    return this.send(async (gateway) => {
      const { data, response, requestId } = await gateway.chat.completions
        .create(body, toChatOptions(call, options))
        .withResponse();
      return {
        stream: chatPartStream({
          chunks: data,
          gateway,
          reading: readingOf(prepared, requestId),
          warnings,
          includeRawChunks: call.includeRawChunks ?? false,
          abortSignal: call.abortSignal,
        }),
        request: { body },
        response: { headers: Object.fromEntries(response.headers) },
      };
    });
  }

  private async send<T>(call: (gateway: ReturnType<typeof gatewayOf>) => Promise<T>): Promise<T> {
    let baseURL = "";
    try {
      const gateway = gatewayOf(this.config.connect());
      baseURL = gateway.baseURL;
      return await call(gateway);
    } catch (error) {
      throw toSDKError(error, baseURL);
    }
  }
}

function toChatOptions(
  call: LanguageModelV4CallOptions,
  { requireFinishReason }: ModelGatewayLanguageModelChatOptions,
): ChatOptions {
  return { ...toRequestOptions(call), ...(requireFinishReason === undefined ? {} : { requireFinishReason }) };
}

function readingOf(
  { options: { thinkTags = false }, asksForJSON }: PreparedChatRequest,
  requestId: string | undefined,
): AnswerReading {
  return { requestId, thinkTags, mayBeFenced: asksForJSON };
}
