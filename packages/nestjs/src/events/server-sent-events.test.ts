import { Controller, Inject, Param, Sse } from "@nestjs/common";
import { defer, switchMap } from "rxjs";
import { describe, expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { readEvents, type ServerSentEvent } from "../../test/read-events.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  ChatService,
  chatEvents,
  ImagesService,
  imageEvents,
  ModelGatewayModule,
  VideosService,
  videoEvents,
} from "../index.js";

const QUESTION = "Explain at length how a river finds its way to the sea.";

@Controller()
class EventsController {
  constructor(
    @Inject(ChatService) private readonly chat: ChatService,
    @Inject(ImagesService) private readonly images: ImagesService,
    @Inject(VideosService) private readonly videos: VideosService,
  ) {}

  @Sse("chat/:model")
  answer(@Param("model") model: string) {
    const messages = [{ role: "user" as const, content: QUESTION }];
    return this.chat.stream$({ model, messages }).pipe(chatEvents());
  }

  @Sse("images/:model")
  picture(@Param("model") model: string) {
    return this.images.stream$({ model, prompt: "A lighthouse", partial_images: 1 }).pipe(imageEvents());
  }

  @Sse("new-video")
  submit() {
    return defer(() => this.videos.submit(VIDEO)).pipe(
      switchMap(({ key }) => this.videos.watch$(key)),
      videoEvents(),
    );
  }

  @Sse("videos/:key")
  watch(@Param("key") key: string) {
    return this.videos.watch$(key).pipe(videoEvents());
  }
}

async function bootEvents({ latency = 0, forceCloseConnections = true } = {}) {
  const { emulator, connection } = await useEmulator({ latency });
  const module = ModelGatewayModule.forRoot({ ...connection, videos: FAST_POLLS });
  const { app, url } = await bootApp([module], {
    controllers: [EventsController],
    forceCloseConnections,
  });
  return { app, url, emulator, videos: app.get(VideosService) };
}

async function readAll(response: Response): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

describe("server-sent events", () => {
  it("carry the states of a video until it is over", async () => {
    const { url, emulator, videos } = await bootEvents();
    const { key } = await videos.submit(VIDEO);
    const response = await fetch(`${url}/videos/${key}`);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    const events = await readAll(response);
    expect(events.at(-1)?.type).toBe("done");
    const last = JSON.parse(events.at(-2)?.data ?? "");
    expect(last).toMatchObject({
      key,
      status: "succeeded",
      videos: [{ url: expect.stringMatching(/^http/) }],
    });
    expect(Object.keys(last)).not.toContain("raw");
  });

  it("carry the chunks of a chat", async () => {
    const { url } = await bootEvents();
    const events = await readAll(await fetch(`${url}/chat/local-chat`));
    const text = events
      .filter(({ type }) => type === "message")
      .map(({ data }) => JSON.parse(data).choices[0]?.delta.content ?? "")
      .join("");
    expect(text.length).toBeGreaterThan(20);
    expect(events.at(-1)).toMatchObject({ type: "done", data: "" });
  });

  it("carry pictures while they are made, each once", async () => {
    const { url } = await bootEvents();
    const events = await readAll(await fetch(`${url}/images/local-image-b64`));
    expect(events.at(-1)).toMatchObject({ type: "done", data: "" });
    const [partial, completed] = events.map(({ data }) => JSON.parse(data || "{}"));
    expect(partial).toEqual({
      type: "partial",
      index: 0,
      partialIndex: 0,
      image: { mediaType: "image/png", base64: expect.any(String) },
    });
    expect(completed).toMatchObject({ type: "completed", image: { mediaType: "image/png" } });
    expect(Object.keys(completed)).not.toContain("raw");
  });

  it("stop a picture when the reader goes away", async () => {
    const { url, emulator } = await bootEvents({ latency: 200 });
    for await (const _first of readEvents(await fetch(`${url}/images/local-image-b64`))) break;
    const request = () => emulator.journal.list({ path: "/images/generations" })[0];
    await expect.poll(() => request()?.durationMs).toBeGreaterThan(0);
    expect(request()?.complete).toBe(false);
  });

  it("stop a chat when the reader goes away", async () => {
    const { url, emulator } = await bootEvents({ latency: 200 });
    for await (const _first of readEvents(await fetch(`${url}/chat/local-chat`))) break;
    const request = () => emulator.journal.list({ path: "/chat/completions" })[0];
    await expect.poll(() => request()?.durationMs).toBeGreaterThan(0);
    expect(request()?.complete).toBe(false);
  });

  it.each(["chat/local-chat", "images/local-image-b64", "new-video"])(
    "end with an error event that tells nothing of the inside: %s",
    async (path) => {
      const { url, emulator } = await bootEvents();
      emulator.faults.add({ kind: "status", status: 401 });
      const events = await readAll(await fetch(`${url}/${path}`));
      expect(events).toMatchObject([{ type: "error", data: "The model gateway did not serve the request." }]);
    },
  );

  it("do not hold up the close of an application", async () => {
    // With the default of Nest: `close()` waits for open connections.
    const { app, url, videos } = await bootEvents({ latency: 200, forceCloseConnections: false });
    const { key } = await videos.submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
    const watching = readAll(await fetch(`${url}/videos/${key}`));
    const chatting = readAll(await fetch(`${url}/chat/local-chat`));
    await app.close();
    // Not `done`: the client is to ask again, and another process will answer.
    expect((await watching).map(({ type }) => type)).not.toContain("done");
    expect((await chatting).at(-1)?.type).toBe("error");
  });

  it.each([true, false])(
    "end within two seconds with the application, forced to close or not: %s",
    async (forceCloseConnections) => {
      const { app, url, videos } = await bootEvents({ latency: 200, forceCloseConnections });
      const { key } = await videos.submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
      const watched = Array.from({ length: 50 }, () => fetch(`${url}/videos/${key}`));
      const chats = Array.from({ length: 10 }, () => fetch(`${url}/chat/local-chat`));
      const streams = (await Promise.all([...watched, ...chats])).map((response) =>
        // Cut off by force is an end, too.
        readAll(response).catch(() => []),
      );
      const twoSeconds = AbortSignal.timeout(2_000);
      await app.close();
      expect(twoSeconds.aborted).toBe(false);
      await Promise.all(streams);
    },
  );
});
