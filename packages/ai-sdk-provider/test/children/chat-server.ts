import { RedisStreamStore } from "@model-gateway/core/redis";
import { serveRoutes } from "@model-gateway/test-servers/serve-routes";
import { streamText } from "ai";
import { createModelGateway } from "../../src/index.js";
import { resumableChat } from "../../src/resumable.js";

/** What the program is given. */
export interface ChatServerArgument {
  apiKey: string;
  baseURL: string;
  redis: string;
  prefix: string;
  leaseMs: number;
}

// Serves a chat, says where, and goes on until it is killed.
const { redis, prefix, leaseMs, ...connection } = JSON.parse(process.argv[2] ?? "") as ChatServerArgument;
const model = createModelGateway(connection)("local-chat");
const chat = resumableChat({
  store: new RedisStreamStore({ connection: redis, prefix }),
  leaseMs,
  owner: () => "ann",
  answer: (_request, { signal }) => streamText({ model, prompt: "Tell me everything.", abortSignal: signal }),
});
const { origin } = await serveRoutes(() => chat);
process.send?.(origin);
