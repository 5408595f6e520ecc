import type {
  SharedV4Warning,
  SpeechModelV4CallOptions,
  SpeechModelV4Result,
  Experimental_SpeechModelV4StreamOptions as SpeechModelV4StreamOptions,
  Experimental_SpeechModelV4StreamPart as SpeechModelV4StreamPart,
  Experimental_SpeechModelV4StreamResult as SpeechModelV4StreamResult,
  Experimental_StreamingSpeechModelV4 as StreamingSpeechModelV4,
} from "@ai-sdk/provider";
import { parseProviderOptions, WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from "@ai-sdk/provider-utils";
import type { SpeechRequest, SpeechResult } from "@model-gateway/core";
import { createAudio } from "@model-gateway/core/audio";
import { callMetadata } from "./call-metadata.js";
import { toSDKError, toSDKStreamError } from "./map-error.js";
import { type ModelConfig, PROVIDER_KEY, toRequestOptions } from "./model-gateway-config.js";
import {
  type ModelGatewaySpeechModelOptions,
  speechModelOptionsSchema,
} from "./model-gateway-speech-model-options.js";
import { PaidCalls } from "./paid-calls.js";
import { perConnection } from "./per-connection.js";
import { restoreConfig, type StoredModel, storeModel } from "./stored-model.js";

type SpeechCall = Pick<
  SpeechModelV4CallOptions,
  "voice" | "instructions" | "speed" | "language" | "providerOptions" | "abortSignal" | "headers"
>;

/** What both results tell about the call. */
type Envelope = Required<Pick<SpeechModelV4Result, "request" | "response">> & {
  requestId: string | undefined;
};

/** Formats of the wire by media type: the streaming contract names formats by it. */
const FORMATS: Record<string, string> = {
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "opus",
  "audio/opus": "opus",
  "audio/flac": "flac",
  "audio/aac": "aac",
  "audio/pcm": "pcm",
};

/** As much of the client as these models use: a bundle of them alone holds no more. */
const gatewayOf = /* @__PURE__ */ perConnection((connection) => ({
  baseURL: connection.baseURL,
  audio: createAudio(connection),
}));

/** Speech models of the gateway (`POST /audio/speech`) as an AI SDK speech model. */
export class ModelGatewaySpeechModel implements StreamingSpeechModelV4 {
  readonly specificationVersion = "v4";

  private readonly paid: PaidCalls;

  constructor(
    readonly modelId: string,
    private readonly config: ModelConfig,
  ) {
    this.paid = new PaidCalls(config.connection.retryBillable ?? false);
  }

  /** Writes the model down between the steps of a workflow: with the name of the key's variable, never with the key. */
  static [WORKFLOW_SERIALIZE](model: ModelGatewaySpeechModel): StoredModel {
    return storeModel(model.modelId, {}, model.config);
  }

  static [WORKFLOW_DESERIALIZE](stored: StoredModel): ModelGatewaySpeechModel {
    return new ModelGatewaySpeechModel(stored.modelId, restoreConfig(stored));
  }

  get provider(): string {
    return this.config.provider;
  }

  async doGenerate(options: SpeechModelV4CallOptions): Promise<SpeechModelV4Result> {
    const { body, warnings } = await this.prepare(options.text, options.outputFormat, options);
    return this.paid.once(options, () =>
      this.send(body, options, async (speech, { requestId, ...envelope }) => ({
        audio: await speech.bytes(),
        warnings,
        ...callMetadata({ requestId, cost: speech.cost }),
        ...envelope,
      })),
    );
  }

  /** The API takes a whole text: it is read to its end first, then the audio is passed on as it comes. */
  async doStream(options: SpeechModelV4StreamOptions): Promise<SpeechModelV4StreamResult> {
    let text = "";
    let voice = options.voice;
    const reader = options.text.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += next.value.text;
      voice ??= next.value.voice;
    }
    const mediaType = options.outputFormat?.type;
    const format = mediaType === undefined ? undefined : (FORMATS[mediaType] ?? mediaType.split("/").at(-1));
    const { body, warnings } = await this.prepare(text, format, { ...options, voice });
    return this.send(body, options, async (speech, { requestId: _requestId, ...envelope }, baseURL) => ({
      stream: this.toParts(speech.body, speech.contentType, warnings, text.length, baseURL),
      ...envelope,
    }));
  }

  /** One paid call; `toResult` reads the audio inside it, so that a break while reading becomes the SDK's error too. */
  private async send<Result>(
    body: SpeechRequest,
    options: Pick<SpeechCall, "abortSignal" | "headers" | "providerOptions">,
    toResult: (speech: SpeechResult, envelope: Envelope, baseURL: string) => Promise<Result>,
  ): Promise<Result> {
    let baseURL = "";
    try {
      const gateway = gatewayOf(this.config.connect());
      baseURL = gateway.baseURL;
      const { data, response, requestId } = await gateway.audio.speech
        .create(body, toRequestOptions(options))
        .withResponse();
      const envelope: Envelope = {
        requestId,
        request: { body: JSON.stringify(body) },
        // The SDK tells the format by these.
        response: {
          timestamp: new Date(),
          modelId: this.modelId,
          headers: Object.fromEntries(response.headers),
        },
      };
      return await toResult(data, envelope, baseURL);
    } catch (error) {
      throw toSDKError(error, baseURL);
    }
  }

  private toParts(
    audio: ReadableStream<Uint8Array>,
    contentType: string,
    warnings: SharedV4Warning[],
    inputCharacters: number,
    baseURL: string,
  ): ReadableStream<SpeechModelV4StreamPart> {
    const reader = audio.getReader();
    const type = (contentType.split(";")[0] ?? contentType) as `audio/${string}`;
    return new ReadableStream<SpeechModelV4StreamPart>({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            controller.enqueue({ type: "audio", audio: value, audioFormat: { type } });
            return;
          }
          controller.enqueue({ type: "finish", usage: { inputCharacters } });
        } catch (error) {
          controller.enqueue({ type: "error", error: toSDKStreamError(error, baseURL) });
        }
        controller.close();
      },
      async cancel(reason) {
        await reader.cancel(reason);
      },
    });
  }

  private async prepare(
    input: string,
    format: string | undefined,
    { voice, instructions, speed, language, providerOptions }: SpeechCall,
  ): Promise<{ body: SpeechRequest; warnings: SharedV4Warning[] }> {
    const options: ModelGatewaySpeechModelOptions =
      (await parseProviderOptions({
        provider: PROVIDER_KEY,
        providerOptions,
        schema: speechModelOptionsSchema,
      })) ?? {};
    const warnings = Object.entries({ instructions, speed, language })
      .filter(([, value]) => value !== undefined)
      .map(
        ([feature]): SharedV4Warning => ({
          type: "unsupported",
          feature,
          details: `Models that know it take it in providerOptions.${PROVIDER_KEY}.extraBody.`,
        }),
      );
    const body: SpeechRequest = {
      model: this.modelId,
      input,
      ...(voice === undefined ? {} : { voice }),
      ...(format === undefined ? {} : { format }),
      ...options.extraBody,
    };
    return { body, warnings };
  }
}
