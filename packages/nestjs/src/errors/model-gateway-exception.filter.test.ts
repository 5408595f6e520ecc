import type { ServerResponse } from "node:http";
import { GatewayError, type ModelGateway } from "@model-gateway/core";
import { createBudget } from "@model-gateway/core/budget";
import { priceBook } from "@model-gateway/core/prices";
import { type ArgumentsHost, Controller, Get, Inject, Logger, Query, Res } from "@nestjs/common";
import { ExecutionContextHost } from "@nestjs/core/helpers/execution-context-host.js";
import { lastValueFrom, type Observable } from "rxjs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useEmulator } from "../../test/use-emulator.js";
import {
  ChatService,
  InjectModelGateway,
  ModelGatewayExceptionFilter,
  ModelGatewayModule,
  type ModelGatewayModuleOptions,
} from "../index.js";

@Controller()
class ChatController {
  constructor(
    @Inject(ChatService) private readonly chat: ChatService,
    @InjectModelGateway() private readonly gateway: ModelGateway,
  ) {}

  @Get("chat")
  async answer(@Query("model") model = "local-chat", @Query("temperature") temperature = "1") {
    const messages = [{ role: "user" as const, content: "Hello" }];
    const { choices } = await this.chat.create({ model, messages, temperature: Number(temperature) });
    return choices[0]?.message;
  }

  @Get("aborted")
  aborted() {
    const messages = [{ role: "user" as const, content: "Hello" }];
    return this.chat.create({ model: "local-chat", messages }, { signal: AbortSignal.abort() });
  }

  @Get("video")
  video() {
    return this.gateway.videos.wait({ v: 1, family: "content", id: "t1" }, { timeoutMs: 1 });
  }

  @Get("late")
  async late(@Res() response: ServerResponse) {
    response.write("what came before");
    await this.aborted();
  }

  @Get("other")
  other() {
    throw new TypeError("a bug of the application");
  }
}

async function bootChat(options: ModelGatewayModuleOptions = {}, filter = new ModelGatewayExceptionFilter()) {
  const { emulator, connection } = await useEmulator();
  const module = ModelGatewayModule.forRoot({ ...connection, maxRetries: 0, ...options });
  const { app, url } = await bootApp([module], {
    controllers: [ChatController],
    configure: (app) => app.useGlobalFilters(filter),
  });
  return { app, url, emulator, chat: app.get(ChatService) };
}

async function answerOf(url: string) {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe("over HTTP", () => {
  it("leaves answers alone", async () => {
    const { url } = await bootChat();
    expect((await answerOf(`${url}/chat`)).status).toBe(200);
  });

  it("says what is wrong with a request that was refused here", async () => {
    const { url } = await bootChat();
    const { status, body } = await answerOf(`${url}/chat?temperature=9`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      statusCode: 400,
      error: "Bad Request",
      message: expect.stringContaining("temperature"),
      problems: [{ field: "temperature" }],
    });
  });

  it.each([400, 422])("keeps a %i of the gateway a 400", async (status) => {
    const { url, emulator } = await bootChat();
    emulator.faults.add({ kind: "status", status });
    expect((await answerOf(`${url}/chat`)).status).toBe(400);
  });

  it("keeps a 404", async () => {
    const { url } = await bootChat();
    expect(await answerOf(`${url}/chat?model=no-such-model`)).toMatchObject({
      status: 404,
      body: { statusCode: 404, error: "Not Found" },
    });
  });

  it("keeps a 429, and when to come back", async () => {
    const { url, emulator } = await bootChat();
    emulator.faults.add({ kind: "status", status: 429 });
    const { status, headers } = await answerOf(`${url}/chat`);
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("1");
  });

  it("says when there is room in the budget again, or that there never is, and not how much it is", async () => {
    const prices = priceBook({ models: { "local-chat": { request: 0.02 } } });
    const budget = createBudget({ limit: 0.03, currency: "USD", window: "day" });
    const { url } = await bootChat({ prices, budget });
    expect((await answerOf(`${url}/chat`)).status).toBe(200);
    const { status, headers, body } = await answerOf(`${url}/chat`);
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        ...{ statusCode: 429, error: "Too Many Requests" },
        message: "What may be spent on such requests is used up. Try again later.",
      },
    });
    const seconds = Number(headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(0);
    expect(seconds).toBeLessThanOrEqual(86_400);
    const unpriced = await answerOf(`${url}/chat?model=local-reasoner`);
    expect(unpriced).toMatchObject({ status: 402, body: { statusCode: 402, error: "Payment Required" } });
    expect(unpriced.headers.get("retry-after")).toBeNull();
  });

  it.each([
    [401, 502],
    [403, 502],
    [500, 502],
    [502, 502],
    [503, 503],
    [504, 504],
  ])("answers a %i of the gateway with %i", async (from, to) => {
    const { url, emulator } = await bootChat();
    emulator.faults.add({ kind: "status", status: from });
    expect((await answerOf(`${url}/chat`)).status).toBe(to);
  });

  it("tells nothing of our own key", async () => {
    const { url } = await bootChat({ apiKey: "sk-wrong-key" });
    expect(await answerOf(`${url}/chat`)).toMatchObject({
      status: 502,
      body: {
        statusCode: 502,
        error: "Bad Gateway",
        message: "The model gateway did not serve the request.",
      },
    });
  });

  it("answers 502 for a page that is no answer", async () => {
    const { url, emulator } = await bootChat();
    emulator.faults.add({ kind: "html" });
    expect((await answerOf(`${url}/chat`)).status).toBe(502);
  });

  it("answers 503 when the gateway cannot be reached, without its address", async () => {
    const { url, emulator } = await bootChat();
    await emulator.close();
    const { status, body } = await answerOf(`${url}/chat`);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain("127.0.0.1");
  });

  it("answers 504 when the gateway takes too long", async () => {
    const { url, emulator } = await bootChat({ timeout: 20 });
    emulator.faults.add({ kind: "delay", delayMs: 60_000 });
    expect((await answerOf(`${url}/chat`)).status).toBe(504);
  });

  it.each([
    ["aborted", 503],
    ["video", 504],
  ])("answers for a call that was given up: %s", async (path, status) => {
    const { url, emulator } = await bootChat();
    emulator.faults.add({ kind: "delay", delayMs: 60_000 });
    expect((await answerOf(`${url}/${path}`)).status).toBe(status);
  });

  it("asks for whole seconds, and for none too few", async () => {
    const busy = async () => Response.json({}, { status: 429, headers: { "retry-after-ms": "1500" } });
    const { url } = await bootChat({ fetch: busy });
    expect((await answerOf(`${url}/chat`)).headers.get("retry-after")).toBe("2");
  });

  it("ends an answer that has begun, and sends no second one", async () => {
    const filter = new ModelGatewayExceptionFilter();
    const caught = vi.spyOn(filter, "catch");
    const { url } = await bootChat({}, filter);
    const response = await fetch(`${url}/late`);
    expect([response.status, await response.text()]).toEqual([200, "what came before"]);
    expect(caught).toHaveReturnedTimes(1);
  });

  it("logs what is wrong behind this server, and not what is wrong with a request", async () => {
    const logged = vi.spyOn(Logger.prototype, "error").mockReturnValue(undefined);
    onTestFinished(() => logged.mockRestore());
    const { url } = await bootChat({ apiKey: "sk-wrong-key" });
    await answerOf(`${url}/chat?temperature=9`);
    expect(logged).not.toHaveBeenCalled();
    await answerOf(`${url}/chat`);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining("401"), expect.any(String));
  });

  it("leaves the application's own errors to others", async () => {
    const { url } = await bootChat();
    expect((await answerOf(`${url}/other`)).status).toBe(500);
  });
});

describe("elsewhere", () => {
  const filter = new ModelGatewayExceptionFilter();

  async function failure(): Promise<GatewayError> {
    const { chat } = await bootChat({ apiKey: "sk-wrong-key" });
    const error = await chat
      .create({ model: "m", messages: [{ role: "user", content: "Hello" }] })
      .catch((reason: unknown) => reason);
    if (!GatewayError.isInstance(error)) throw new Error("The call should have failed.", { cause: error });
    return error;
  }
  function host(type: string, ...args: unknown[]): ArgumentsHost {
    const context = new ExecutionContextHost(args);
    context.setType(type);
    return context;
  }
  const PLAIN = { status: "error", statusCode: 502, message: "The model gateway did not serve the request." };

  it("gives a message handler a plain object to fail with", async () => {
    const result = filter.catch(await failure(), host("rpc")) as Observable<never>;
    await expect(lastValueFrom(result)).rejects.toMatchObject(PLAIN);
  });

  it("tells a Socket.IO client by the event of Nest's own filter", async () => {
    const emitted: unknown[] = [];
    filter.catch(await failure(), host("ws", { emit: (...args: unknown[]) => emitted.push(args) }));
    expect(emitted).toEqual([["exception", expect.objectContaining(PLAIN)]]);
  });

  it("tells a WebSocket client in text", async () => {
    const sent: string[] = [];
    filter.catch(await failure(), host("ws", { readyState: 1, send: (text: string) => sent.push(text) }));
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({ event: "exception", data: PLAIN });
  });

  it("throws an HTTP exception where something else answers", async () => {
    const error = await failure();
    expect(() => filter.catch(error, host("graphql"))).toThrow(
      expect.objectContaining({ message: PLAIN.message, cause: error }),
    );
  });
});
