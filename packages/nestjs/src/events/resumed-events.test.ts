import { Controller, HttpCode, Inject, Param, Post, Query, Sse } from "@nestjs/common";
import { describe, expect, it } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { readEvents, type ServerSentEvent } from "../../test/read-events.js";
import { useEmulator } from "../../test/use-emulator.js";
import { ChatService, chatEvents, ImagesService, imageEvents, ModelGatewayModule } from "../index.js";

const QUESTION = "Explain at length how a river finds its way to the sea.";

/** Nothing in here knows that readers come back. */
@Controller()
class AnswersController {
  constructor(
    @Inject(ChatService) private readonly chat: ChatService,
    @Inject(ImagesService) private readonly images: ImagesService,
  ) {}

  @Sse("chat")
  answer(@Query("key") key?: string) {
    const messages = [{ role: "user" as const, content: QUESTION }];
    return this.chat.stream$({ model: "local-chat", messages }, { key }).pipe(chatEvents());
  }

  @Sse("later")
  async later(@Query("key") key?: string) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return this.answer(key);
  }

  @Sse("images")
  picture(@Query("key") key?: string) {
    const body = { model: "local-image-b64", prompt: "A lighthouse", partial_images: 2 };
    return this.images.stream$(body, { key }).pipe(imageEvents());
  }

  @Post("stop/:key")
  @HttpCode(200)
  async stop(@Param("key") key: string) {
    return { stopped: await this.chat.stop(key) };
  }
}

async function boot({ latency = 0, prefix = "" } = {}) {
  const { emulator, connection } = await useEmulator({ latency });
  const modules = ["default", "eu"].map((name) =>
    ModelGatewayModule.forRoot({ ...connection, name, maxRetries: 0 }),
  );
  const { app, url } = await bootApp(modules, {
    controllers: [AnswersController],
    configure: (created) => {
      if (prefix !== "") created.setGlobalPrefix(prefix);
    },
  });
  const requests = () => emulator.journal.list().filter(({ method }) => method === "POST").length;
  return { app, url: `${url}${prefix && `/${prefix}`}`, emulator, requests };
}

/** As an `EventSource` asks. */
function ask(url: string, lastEventId?: string): Promise<Response> {
  const headers = { accept: "text/event-stream", ...(lastEventId && { "last-event-id": lastEventId }) };
  return fetch(url, { headers });
}

async function read(response: Response, count = Number.POSITIVE_INFINITY): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
    if (events.length >= count) break;
  }
  return events;
}

describe.each(["chat", "later", "images"])("%s: a reader that comes back", (path) => {
  it("gets exactly the rest, wherever it was cut, and nothing is paid again", async () => {
    const { url, requests } = await boot();
    const whole = await read(await ask(`${url}/${path}?key=whole`));
    expect(whole.at(-1)?.type).toBe("done");
    const told = (events: ServerSentEvent[]) =>
      events.map(({ type, data }) => ({ type, data: textOf(data) }));
    for (let cut = 1; cut < whole.length; cut++) {
      const address = `${url}/${path}?key=cut-${cut}`;
      const had = await read(await ask(address), cut);
      const rest = await read(await ask(address, had.at(-1)?.id));
      expect(told([...had, ...rest])).toEqual(told(whole));
      const ids = [...had, ...rest].map(({ id }) => id?.split("-")[1]);
      expect(ids).toEqual(whole.map((_event, index) => String(index + 1)));
    }
    expect(requests()).toBe(whole.length);
  });

  it("and has everything is told to stay away", async () => {
    const { url, requests } = await boot();
    const address = `${url}/${path}?key=k`;
    const whole = await read(await ask(address));
    expect((await ask(address, whole.at(-1)?.id)).status).toBe(204);
    const last = await read(await ask(address, whole.at(-2)?.id));
    expect(last).toEqual([whole.at(-1)]);
    expect((await read(await ask(address))).length).toBe(whole.length);
    expect(requests()).toBe(1);
  });

  it.each(["0", "7", "00ff-1", "nonsense"])("with id %s, and no stream, never begins one", async (id) => {
    const { url, requests } = await boot();
    const response = await ask(`${url}/${path}?key=k`, id);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    expect(requests()).toBe(0);
  });

  it("without a key is answered with 204, and nothing is paid again", async () => {
    const { url, requests } = await boot();
    const whole = await read(await ask(`${url}/${path}`));
    expect(whole.at(-1)?.type).toBe("done");
    expect(requests()).toBe(1);
    for (const { id } of whole) expect((await ask(`${url}/${path}`, id)).status).toBe(204);
    expect(requests()).toBe(1);
  });

  it("without a key, before anything came, has an id to come back with", async () => {
    const { url, emulator, requests } = await boot();
    emulator.faults.add({ kind: "delay", delayMs: 600_000 });
    const response = await ask(`${url}/${path}`);
    const decoder = new TextDecoder();
    let text = "";
    for await (const part of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(part, { stream: true });
      if (text.includes("id:")) break;
    }
    const id = /^id: (.*)$/m.exec(text)?.[1];
    expect(text.trim()).toBe("id: 0");
    expect((await ask(`${url}/${path}`, id)).status).toBe(204);
    expect(requests()).toBe(1);
  });
});

function textOf(data: string): string {
  const json = JSON.parse(data || "{}");
  return json.image?.base64 ?? json.choices?.[0]?.delta.content ?? "";
}

describe("streams of events", () => {
  it("are known to come back below a global prefix", async () => {
    const { url, requests } = await boot({ prefix: "api/v1" });
    const whole = await read(await ask(`${url}/chat`));
    expect(whole.at(-1)?.type).toBe("done");
    expect((await ask(`${url}/chat`, whole[0]?.id)).status).toBe(204);
    expect(requests()).toBe(1);
  });

  it("that broke say so to whoever comes back, in the same place, and then are over", async () => {
    const { url, emulator, requests } = await boot();
    emulator.faults.add({ kind: "cut-stream" });
    const address = `${url}/chat?key=k`;
    const first = await read(await ask(address));
    expect(first.at(-1)).toEqual({
      type: "error",
      data: "The model gateway did not serve the request.",
      id: expect.stringMatching(/-\d+$/),
    });
    expect(await read(await ask(address))).toEqual(first);
    expect((await ask(address, first.at(-1)?.id)).status).toBe(204);
    // One who has all but the end gets the end, as a status since nothing else was sent.
    expect((await ask(address, first.at(-2)?.id)).status).toBe(502);
    expect(requests()).toBe(1);
  });

  it("that were stopped end with an event that says so", async () => {
    const { url, requests } = await boot({ latency: 500 });
    const response = await ask(`${url}/chat?key=k`);
    const events = readEvents(response);
    await events.next();
    const stop = await fetch(`${url}/stop/k`, { method: "POST" });
    expect(await stop.json()).toEqual({ stopped: true });
    let last: ServerSentEvent | undefined;
    for await (const event of events) last = event;
    expect(last).toMatchObject({ type: "stopped", data: "" });
    expect((await ask(`${url}/chat?key=k`, last?.id)).status).toBe(204);
    expect(requests()).toBe(1);
  });
});
