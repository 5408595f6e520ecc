import type {
  APIPromise,
  ClassifyOptions,
  ModelGateway,
  ModerationRequest,
  ModerationResponse,
  ModerationVerdict,
  RequestOptions,
} from "@model-gateway/core";

/** Moderation (`POST /moderations`, or by a chat model). Errors are core's. */
export class ModerationsService {
  constructor(private readonly gateway: ModelGateway) {}

  /** Asks the endpoint, which is there only for keys that it has been enabled for. The answer as it came. */
  create(body: ModerationRequest, options?: RequestOptions): APIPromise<ModerationResponse> {
    return this.gateway.moderations.create(body, options);
  }

  /**
   * Judges a text: `allow`, `review` or `block`, with categories and scores. With the strategy `auto`, the default,
   * a chat model judges when the key has no moderation. An answer that is no verdict is an error, never `allow`.
   */
  classify(input: string, options: ClassifyOptions): Promise<ModerationVerdict> {
    return this.gateway.moderations.classify(input, options);
  }
}
