import type { APIPromise } from "../call/api-promise.js";
import { LONG_TIMEOUT_MS, type RequestOptions } from "../call/call.js";
import { openBytes } from "../call/open-bytes.js";
import type { Sender } from "../call/sender.js";
import { Checker } from "../checks/checker.js";
import type { Cost } from "../costs/cost.js";
import type { ByteBody } from "../streams/byte-body.js";

/** Body of `POST /audio/speech`. Further fields pass through. */
export interface SpeechRequest {
  model: string;
  /** Text to speak. */
  input: string;
  voice?: string;
  /** Default `mp3`. */
  format?: "mp3" | (string & {});
}

/** Speech on its way. Read `body` or call `bytes()`, not both; cancelling `body` closes the connection. */
export interface SpeechResult extends ByteBody {
  /** Media type as the gateway gives it, `application/octet-stream` when it gives none. */
  contentType: string;
  /** What the call cost, where the client has `prices` and they, or the gateway, say. */
  cost?: Cost;
}

/** `POST /audio/speech`. */
export class Speech {
  constructor(
    private readonly sender: Sender,
    private readonly specializedModels: ReadonlyArray<string | RegExp>,
  ) {}

  /**
   * Speaks a text. Paid: never repeated after an ambiguous failure, which carries `maybeProcessed: true`. Resolves
   * when the first bytes are there; `timeout` runs until the last, time in which nobody reads left out. Models
   * among the client's `specializedModels` are asked on the specialised addresses.
   *
   * @throws APIError also when the gateway reports an error with status 200, InvalidResponseError when the answer
   * is empty or no audio, ConfigurationError when a specialised model has no address
   */
  create(body: SpeechRequest, options?: RequestOptions): APIPromise<SpeechResult> {
    return openBytes(
      this.sender,
      {
        name: "audio.speech.create",
        method: "POST",
        path: "/audio/speech",
        cost: "billable",
        body,
        // Which fields are required is not described: only the gateway can tell.
        check: () => void new Checker(body),
        specialized: this.isSpecialized(body?.model),
        defaultTimeoutMs: LONG_TIMEOUT_MS,
      },
      options,
      (bytes, contentType = "application/octet-stream") => ({ contentType, ...bytes }),
    );
  }

  private isSpecialized(model: unknown): boolean {
    if (typeof model !== "string") return false;
    return this.specializedModels.some((pattern) =>
      // `search` starts at the beginning whatever the flags of the pattern.
      typeof pattern === "string" ? pattern === model : model.search(pattern) !== -1,
    );
  }
}

/** Audio calls. */
export class Audio {
  readonly speech: Speech;

  constructor(sender: Sender, specializedModels: ReadonlyArray<string | RegExp>) {
    this.speech = new Speech(sender, specializedModels);
  }
}
