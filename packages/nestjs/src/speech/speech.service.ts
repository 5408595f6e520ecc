import type {
  APIPromise,
  ModelGateway,
  RequestOptions,
  SpeechRequest,
  SpeechResult,
} from "@model-gateway/core";
import { extensionOf } from "../files/extension-of.js";
import type { KeptFile } from "../files/file-store.js";
import { checkKeepResult, type KeepResultOptions, keepResult } from "../files/keep-result.js";

/** Speech that is kept. */
export interface KeptSpeech extends Pick<SpeechResult, "contentType" | "bytes"> {
  file: KeptFile;
}

/** Speech (`POST /audio/speech`; models among the option `specializedModels` on the specialised addresses). */
export class SpeechService {
  constructor(private readonly gateway: ModelGateway) {}

  /**
   * Speaks a text. Resolves when the first bytes are there: `body` is the rest on its way, `bytes()` collects it.
   * Paid: not repeated after an ambiguous failure. Errors are core's.
   *
   * With `keep`, resolves when all of it is durable in a store, and `file` says where, with its length and SHA-256; `signal` ends
   * the call, and not the keeping of what it has paid for.
   *
   * @throws ResultNotKeptError with the speech, when it could not be kept
   */
  create(body: SpeechRequest, options: RequestOptions & { keep: KeepResultOptions }): Promise<KeptSpeech>;
  create(body: SpeechRequest, options?: RequestOptions): APIPromise<SpeechResult>;
  create(
    body: SpeechRequest,
    { keep, ...options }: RequestOptions & { keep?: KeepResultOptions } = {},
  ): APIPromise<SpeechResult> | Promise<KeptSpeech> {
    return keep === undefined
      ? this.gateway.audio.speech.create(body, options)
      : this.createKept(body, options, keep);
  }

  private async createKept(
    body: SpeechRequest,
    options: RequestOptions,
    keep: KeepResultOptions,
  ): Promise<KeptSpeech> {
    checkKeepResult(keep);
    const { contentType, ...spoken } = await this.gateway.audio.speech.create(body, options);
    // Nobody sends it a second time: what a store breaks off with is here still.
    const content = await spoken.bytes();
    const bytes = async () => content;
    const source = async () => ({
      ...{ contentType, bytes },
      contentLength: content.length,
      body: new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(content);
          controller.close();
        },
      }),
    });
    const name = `0${extensionOf(contentType)}`;
    const [file] = await keepResult(keep, { contentType, bytes }, [{ name, source }] as const);
    return { contentType, bytes, file };
  }
}
