import { Chat } from "./chat/chat.js";
import { type ModelGatewayOptions, resolveConfig } from "./config/config.js";
import { Embeddings } from "./embeddings/embeddings.js";
import { Models } from "./models/models.js";
import { createSender } from "./transport/sender.js";
import { PollScheduler } from "./videos/poll-scheduler.js";
import { Videos } from "./videos/videos.js";

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
  readonly chat: Chat;
  readonly embeddings: Embeddings;
  readonly models: Models;
  readonly videos: Videos;

  constructor(options: ModelGatewayOptions = {}) {
    const config = resolveConfig(options);
    // The key lives in this closure only: printing the client cannot show it.
    const sender = createSender(config);
    this.baseURL = (config.addresses.general ?? config.addresses.cdn)?.baseURL ?? "";
    this.chat = new Chat(sender);
    this.embeddings = new Embeddings(sender);
    this.models = new Models(sender);
    this.videos = new Videos(sender, new PollScheduler(config.maxPollsPerSecond));
  }

  /** What `JSON.stringify` shows: the address, and nothing secret. */
  toJSON(): { baseURL: string } {
    return { baseURL: this.baseURL };
  }
}
