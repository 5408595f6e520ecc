import { NestFactory } from "@nestjs/core";
import { ChatService, ModelGatewayModule } from "../../src/index.js";
import { RedisStreamStore } from "../../src/redis.js";

/** What the program is given. */
export interface StreamOwnerArgument {
  apiKey: string;
  baseURL: string;
  redis: string;
  prefix: string;
  leaseMs: number;
}

// Begins a stream with a key, says when its first event is there, and goes on until it is killed.
const { redis, prefix, leaseMs, ...connection } = JSON.parse(process.argv[2] ?? "") as StreamOwnerArgument;
const store = new RedisStreamStore({ connection: redis, prefix });
const module = ModelGatewayModule.forRoot({ ...connection, streams: { store, leaseMs } });
const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
const messages = [{ role: "user" as const, content: "Tell me everything." }];
app
  .get(ChatService)
  .stream$({ model: "local-chat", messages }, { key: "k" })
  .subscribe(() => process.send?.("event"));
