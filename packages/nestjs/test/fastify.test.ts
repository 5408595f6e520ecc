import { Controller, Get, Inject, Module, Sse } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { Registry } from "prom-client";
import { expect, it, onTestFinished } from "vitest";
import { ChatService, chatEvents, ModelGatewayExceptionFilter, ModelGatewayModule } from "../src/index.js";
import { MetricsModule } from "../src/prometheus.js";
import { readEvents } from "./read-events.js";
import { useEmulator } from "./use-emulator.js";

const BODY = { model: "local-chat", messages: [{ role: "user" as const, content: "Hello" }] };

@Controller()
class ChatController {
  constructor(@Inject(ChatService) private readonly chat: ChatService) {}

  @Get("answer")
  answer() {
    return this.chat.create(BODY);
  }

  @Sse("chunks")
  chunks() {
    return this.chat.stream$(BODY).pipe(chatEvents());
  }
}

it("works on Fastify: errors with their headers, and streams", async () => {
  const { emulator, connection } = await useEmulator();
  @Module({
    imports: [ModelGatewayModule.forRoot({ ...connection, maxRetries: 0 })],
    controllers: [ChatController],
  })
  class AppModule {}
  const app = await NestFactory.create(AppModule, new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  onTestFinished(() => app.close());
  app.useGlobalFilters(new ModelGatewayExceptionFilter());
  await app.listen(0, "127.0.0.1");
  const url = await app.getUrl();

  const types: string[] = [];
  for await (const { type } of readEvents(await fetch(`${url}/chunks`))) types.push(type);
  expect(types.at(-1)).toBe("done");

  emulator.faults.add({ kind: "status", status: 429 });
  const refused = await fetch(`${url}/answer`);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.json()).toMatchObject({ statusCode: 429, error: "Too Many Requests" });
});

it("serves metrics on Fastify", async () => {
  const { connection } = await useEmulator();
  const register = new Registry();
  @Module({ imports: [ModelGatewayModule.forRoot(connection), MetricsModule.forRoot({ register })] })
  class AppModule {}
  const app = await NestFactory.create(AppModule, new FastifyAdapter(), {
    logger: false,
    abortOnError: false,
  });
  onTestFinished(() => app.close());
  await app.listen(0, "127.0.0.1");
  const response = await fetch(`${await app.getUrl()}/metrics`);
  expect(response.headers.get("content-type")).toBe(register.contentType);
  expect(await response.text()).toContain("# TYPE model_gateway_attempts_total counter");
});
