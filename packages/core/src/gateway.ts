import type { Account } from "./account/account.js";
import { createAccount } from "./account/create-account.js";
import type { Audio } from "./audio/audio.js";
import { createAudio } from "./audio/create-audio.js";
import type { APIPromise } from "./call/api-promise.js";
import { Connection, onConnection } from "./call/connection.js";
import type { Sender } from "./call/sender.js";
import { withKey } from "./call/with-key.js";
import type { Chat } from "./chat/chat.js";
import { createChat } from "./chat/create-chat.js";
import type { APIKeySource } from "./checks/check-api-key.js";
import type { ModelGatewayOptions } from "./config/config.js";
import { createDownloader } from "./download/create-downloader.js";
import type { Download, Downloader, DownloadOptions, DownloadSource } from "./download/download.js";
import { createEmbeddings } from "./embeddings/create-embeddings.js";
import type { Embeddings } from "./embeddings/embeddings.js";
import { defineHidden } from "./errors/gateway-error.js";
import { createImages } from "./images/create-images.js";
import type { Images } from "./images/images.js";
import { createModels } from "./models/create-models.js";
import type { Models } from "./models/models.js";
import { createModerations } from "./moderations/create-moderations.js";
import type { Moderations } from "./moderations/moderations.js";
import { Costs } from "./prices/costs.js";
import { type GatewayRequest, sendGatewayRequest } from "./request/gateway-request.js";
import { createVideos } from "./videos/create-videos.js";
import type { Videos } from "./videos/videos.js";

/** What `console.log` shows on Node. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

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
  /** What calls cost, for clients with `prices`. */
  readonly costs: Costs;
  readonly embeddings: Embeddings;
  readonly images: Images;
  readonly models: Models;
  readonly moderations: Moderations;
  readonly videos: Videos;
  declare private readonly downloader: Downloader;
  declare private readonly sender: Sender;
  declare private readonly connection: Connection;

  constructor(options: ModelGatewayOptions = {}) {
    const connection = options instanceof Connection ? options : new Connection(options);
    this.baseURL = connection.baseURL;
    this.account = createAccount(connection);
    this.audio = createAudio(connection);
    this.chat = createChat(connection);
    this.embeddings = createEmbeddings(connection);
    this.images = createImages(connection);
    this.models = createModels(connection);
    this.moderations = createModerations(connection);
    this.videos = createVideos(connection);
    const downloader = createDownloader(connection);
    this.costs = onConnection(connection, ({ sender, config }) => {
      defineHidden(this, { connection, downloader, sender });
      return new Costs(config.prices);
    });
    // As a computed method it would keep this class, and all it holds, in every bundle of a part of this package.
    Object.defineProperty(this, INSPECT, {
      value: () => `ModelGateway { baseURL: ${JSON.stringify(this.baseURL)} }`,
    });
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

  /**
   * The same client with another key, such as a tenant's, or with a function that gives it for each request. It shares
   * everything else with this one: addresses, connections, limits and pauses, hooks, the rate of polls. Making one costs nothing.
   *
   * @throws ConfigurationError when the key cannot be one
   */
  withKey(apiKey: APIKeySource): ModelGateway {
    // The constructor's type does not tell of it: nobody else has a reason to.
    return new ModelGateway(withKey(this.connection, apiKey) as ModelGatewayOptions);
  }

  /** Whether a URL lies on one of this client's base addresses, where `download` sends the key along. */
  isOwnOrigin(url: string | URL): boolean {
    return this.connection.isOwnOrigin(url);
  }

  /** What `JSON.stringify` shows: the address, and nothing secret. */
  toJSON(): { baseURL: string } {
    return { baseURL: this.baseURL };
  }
}
