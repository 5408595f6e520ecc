import { Account } from "./account/account.js";
import { Audio } from "./audio/audio.js";
import type { APIPromise } from "./call/api-promise.js";
import { createSender, type Sender } from "./call/sender.js";
import { Chat } from "./chat/chat.js";
import type { Addresses } from "./config/addresses.js";
import { type ModelGatewayOptions, resolveConfig } from "./config/config.js";
import {
  createDownloader,
  type Download,
  type Downloader,
  type DownloadOptions,
  type DownloadSource,
} from "./download/download.js";
import { Embeddings } from "./embeddings/embeddings.js";
import { defineHidden } from "./errors/gateway-error.js";
import { Images } from "./images/images.js";
import { Models } from "./models/models.js";
import { Moderations } from "./moderations/moderations.js";
import { type GatewayRequest, sendGatewayRequest } from "./request/gateway-request.js";
import { isBrowserRuntime } from "./transport/fetch-transport.js";
import { selectTransport } from "./transport/select-transport.js";
import { PollScheduler } from "./videos/poll-scheduler.js";
import { Videos } from "./videos/videos.js";

const BROWSER_WARNING =
  "Model Gateway: this is a browser, which sends a request again by itself when a kept connection breaks. A paid image, " +
  "speech or video may be billed twice without anybody noticing: make paid calls on a server.";

/**
 * Client of a model gateway.
 *
 * @example
 * const gateway = new ModelGateway(); // key and address from MODEL_GATEWAY_API_KEY and MODEL_GATEWAY_BASE_URL
 * const completion = await gateway.chat.completions.create({
 *   model: "local-chat",
 *   messages: [{ role: "user", content: "Hello" }],
 * });
 *
 * @throws ConfigurationError when the key or the address is missing or unusable
 */
export class ModelGateway {
  /** General base address, without a trailing slash. */
  readonly baseURL: string;
  readonly account: Account;
  readonly audio: Audio;
  readonly chat: Chat;
  readonly embeddings: Embeddings;
  readonly images: Images;
  readonly models: Models;
  readonly moderations: Moderations;
  readonly videos: Videos;
  declare private readonly downloader: Downloader;
  declare private readonly sender: Sender;
  declare private readonly ownOrigins: ReadonlySet<string>;

  constructor(options: ModelGatewayOptions = {}) {
    const config = resolveConfig(options);
    const { requireFinishReason, differentialParsing } = config;
    // The key lives in this closure only: printing the client cannot show it.
    const transport = selectTransport(config.fetch);
    const sender = createSender(config, transport);
    if (isBrowserRuntime()) sender.warn(BROWSER_WARNING);
    this.baseURL = (config.addresses.general ?? config.addresses.cdn)?.baseURL ?? "";
    this.account = new Account(sender);
    this.audio = new Audio(sender, config.specializedModels);
    this.chat = new Chat(sender, { requireFinishReason, differentialParsing });
    this.embeddings = new Embeddings(sender);
    this.models = new Models(sender);
    this.moderations = new Moderations(sender);
    this.videos = new Videos(sender, new PollScheduler(config.maxPollsPerSecond), sender.onPollFailed);
    const ownOrigins = originsOf(config.addresses);
    const downloader = createDownloader(config, transport, ownOrigins);
    this.images = new Images(sender, downloader);
    defineHidden(this, { sender, ownOrigins, downloader });
  }

  /**
   * Downloads a result. The API key is sent to the gateway's own addresses only; redirects are checked one by
   * one; addresses inside private networks are refused unless they are the gateway's own.
   *
   * @throws InvalidRequestError when the URL may not be fetched, APIError when the server refuses it,
   * InvalidResponseError when the file is larger than `maxBytes`
   */
  download(source: DownloadSource, options?: DownloadOptions): Promise<Download> {
    return this.downloader(source, options);
  }

  /**
   * Sends a request to a path that this client has no call for, under the same policy: key, retries, errors,
   * redaction. `T` is what the caller expects of the answer; nothing checks it. An empty answer is undefined.
   *
   * @throws InvalidRequestError when the path would leave the base address; nothing is sent
   */
  request<T = unknown>(request: GatewayRequest): APIPromise<T> {
    return sendGatewayRequest<T>(this.sender, request);
  }

  /** Whether a URL lies on one of this client's base addresses, where `download` sends the key along. */
  isOwnOrigin(url: string | URL): boolean {
    const { origin } = new URL(url, this.baseURL);
    return this.ownOrigins.has(origin);
  }

  /** What `console.log` shows on Node. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `ModelGateway { baseURL: ${JSON.stringify(this.baseURL)} }`;
  }

  /** What `JSON.stringify` shows: the address, and nothing secret. */
  toJSON(): { baseURL: string } {
    return { baseURL: this.baseURL };
  }
}

function originsOf(addresses: Addresses): ReadonlySet<string> {
  return new Set(Object.values(addresses).map(({ origin }) => origin));
}
