import type {
  APIPromise,
  ModelGateway,
  RequestOptions,
  SpeechRequest,
  SpeechResult,
} from "@model-gateway/core";

/** Speech (`POST /audio/speech`; models among the option `specializedModels` on the specialised addresses). */
export class SpeechService {
  constructor(private readonly gateway: ModelGateway) {}

  /**
   * Speaks a text. Resolves when the first bytes are there: `body` is the rest on its way, `bytes()` collects it.
   * Paid: not repeated after an ambiguous failure. Errors are core's.
   */
  create(body: SpeechRequest, options?: RequestOptions): APIPromise<SpeechResult> {
    return this.gateway.audio.speech.create(body, options);
  }
}
