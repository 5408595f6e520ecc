import { once } from "node:events";
import { Inject, UseFilters } from "@nestjs/common";
import { WsAdapter } from "@nestjs/platform-ws";
import { MessageBody, SubscribeMessage, WebSocketGateway } from "@nestjs/websockets";
import { map } from "rxjs";
import { WebSocket } from "undici";
import { expect, it, onTestFinished } from "vitest";
import {
  ChatService,
  ModelGatewayExceptionFilter,
  ModelGatewayModule,
  VideosService,
  videoProgress,
} from "../src/index.js";
import { bootApp } from "./boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "./use-emulator.js";

interface Message {
  event: string;
  data: Record<string, unknown>;
}

const messages = [
  { role: "user" as const, content: "Explain at length how a river finds its way to the sea." },
];

@WebSocketGateway()
@UseFilters(ModelGatewayExceptionFilter)
class Socket {
  constructor(
    @Inject(ChatService) private readonly chat: ChatService,
    @Inject(VideosService) private readonly videos: VideosService,
  ) {}

  @SubscribeMessage("answer")
  async answer(@MessageBody() model: string) {
    return { event: "answer", data: await this.chat.create({ model, messages }) };
  }

  @SubscribeMessage("chunks")
  chunks(@MessageBody() model: string) {
    return this.chat.stream$({ model, messages }).pipe(map((data) => ({ event: "chunk", data })));
  }

  @SubscribeMessage("watch")
  watch(@MessageBody() key: string) {
    return this.videos.watch$(key).pipe(map((record) => ({ event: "video", data: videoProgress(record) })));
  }
}

async function connect({ latency = 0 } = {}) {
  const { emulator, connection } = await useEmulator({ latency });
  const { app, url } = await bootApp(
    [ModelGatewayModule.forRoot({ ...connection, maxRetries: 0, videos: FAST_POLLS })],
    { providers: [Socket], configure: (app) => app.useWebSocketAdapter(new WsAdapter(app)) },
  );
  const socket = new WebSocket(url.replace("http", "ws"));
  const received: Message[] = [];
  socket.addEventListener("message", ({ data }) => received.push(JSON.parse(String(data))));
  await once(socket, "open");
  onTestFinished(() => socket.close());
  return {
    emulator,
    videos: app.get(VideosService),
    received,
    send: (event: string, data: string) => socket.send(JSON.stringify({ event, data })),
    leave: () => socket.close(),
  };
}

it("carries the states of a video until it is over", async () => {
  const { emulator, videos, received, send } = await connect();
  const { key } = await videos.submit(VIDEO);
  send("watch", key);
  await expect.poll(() => received[0]).toMatchObject({ event: "video", data: { key } });
  await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
  await expect
    .poll(() => received.at(-1)?.data)
    .toMatchObject({
      key,
      status: "succeeded",
      videos: [{ url: expect.stringMatching(/^http/) }],
    });
});

it("tells of a failed call by an exception event that gives nothing away", async () => {
  const { emulator, received, send } = await connect();
  send("answer", "no-such-model");
  await expect.poll(() => received).toHaveLength(1);
  expect(received[0]).toEqual({
    event: "exception",
    data: {
      status: "error",
      statusCode: 404,
      error: "Not Found",
      message: "The model or the task does not exist.",
    },
  });
  emulator.faults.add({ kind: "status", status: 401 });
  send("answer", "local-chat");
  await expect
    .poll(() => received[1])
    .toMatchObject({
      event: "exception",
      data: { statusCode: 502, message: "The model gateway did not serve the request." },
    });
});

it("tells of a stream that fails in the same way, and goes on with the connection", async () => {
  const { received, send } = await connect();
  send("chunks", "no-such-model");
  await expect.poll(() => received[0]).toMatchObject({ event: "exception", data: { statusCode: 404 } });
  send("answer", "local-chat");
  await expect
    .poll(() => received[1])
    .toMatchObject({ event: "answer", data: { object: "chat.completion" } });
});

it("stops a chat when the client goes away", async () => {
  const { emulator, received, send, leave } = await connect({ latency: 200 });
  send("chunks", "local-chat");
  await expect.poll(() => received[0]?.event).toBe("chunk");
  leave();
  const request = () => emulator.journal.list({ path: "/chat/completions" })[0];
  await expect.poll(() => request()?.durationMs).toBeGreaterThan(0);
  expect(request()?.complete).toBe(false);
});
