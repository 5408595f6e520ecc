import { randomUUID } from "node:crypto";
import { Controller, Inject, Query, Sse } from "@nestjs/common";
import { lastValueFrom, type Observable, toArray } from "rxjs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  ChatService,
  chatEvents,
  ImagesService,
  imageEvents,
  ModelGatewayModule,
  type StreamsOptions,
} from "../../src/index.js";
import { RedisStreamStore } from "../../src/redis.js";
import { bootApp } from "../boot-app.js";
import { compileChild, startChild } from "../child.js";
import type { StreamOwnerArgument } from "../children/stream-owner.js";
import { readEvents, type ServerSentEvent } from "../read-events.js";
import { useEmulator } from "../use-emulator.js";
import { hasRedisServer, RedisServer } from "../use-redis.js";

const CHAT = { model: "local-chat", messages: [{ role: "user" as const, content: "Tell me everything." }] };
const PICTURE = { model: "local-image-b64", prompt: "A lighthouse", partial_images: 2 };

@Controller()
class AnswersController {
  constructor(
    @Inject(ChatService) private readonly chat: ChatService,
    @Inject(ImagesService) private readonly images: ImagesService,
  ) {}

  @Sse("chat")
  answer(@Query("key") key: string) {
    return this.chat.stream$(CHAT, { key }).pipe(chatEvents());
  }

  @Sse("images")
  picture(@Query("key") key: string) {
    return this.images.stream$(PICTURE, { key }).pipe(imageEvents());
  }
}

function all<T>(events$: Observable<T>): Promise<T[]> {
  return lastValueFrom(events$.pipe(toArray()), { defaultValue: [] });
}

async function read(url: string, lastEventId?: string, count = Number.POSITIVE_INFINITY) {
  const headers = { accept: "text/event-stream", ...(lastEventId && { "last-event-id": lastEventId }) };
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(await fetch(url, { headers }))) {
    events.push(event);
    if (events.length >= count) break;
  }
  return events;
}

describe.skipIf(!hasRedisServer)("two replicas on one Redis", () => {
  let server: RedisServer;
  let program: Awaited<ReturnType<typeof compileChild>>;
  beforeAll(async () => {
    server = await RedisServer.start();
    program = await compileChild("stream-owner");
  });
  afterAll(async () => {
    await server.stop();
    await program.remove();
  });

  async function boot({ latency = 0, redis = server, ...streams }: StreamsOptions & BootOptions = {}) {
    const { emulator, connection } = await useEmulator({ latency });
    const prefix = randomUUID();
    const replica = async () => {
      const store = new RedisStreamStore({ connection: redis.url, prefix });
      const module = ModelGatewayModule.forRoot({
        ...connection,
        maxRetries: 0,
        streams: { ...streams, store },
      });
      const { app, url } = await bootApp([module], { controllers: [AnswersController] });
      return { app, url, chat: app.get(ChatService) };
    };
    const requests = () => emulator.journal.list().filter(({ method }) => method === "POST");
    return { emulator, connection, prefix, one: await replica(), other: await replica(), requests };
  }

  it.each(["chat", "images"])(
    "%s: a reader cut at any event gets exactly the rest from the other one, and one call is paid",
    async (path) => {
      const { emulator, one, other, requests } = await boot();
      const whole = await read(`${one.url}/${path}?key=whole`);
      expect(whole.at(-1)?.type).toBe("done");
      const textOf = (events: ServerSentEvent[]) =>
        events.map(({ data }) => {
          const json = JSON.parse(data || "{}");
          return json.image?.base64 ?? json.choices?.[0]?.delta.content ?? "";
        });
      const paidForWhole = emulator.ledger.list().length;
      for (let cut = 1; cut < whole.length; cut++) {
        const key = `cut-${cut}`;
        const had = await read(`${one.url}/${path}?key=${key}`, undefined, cut);
        const rest = await read(`${other.url}/${path}?key=${key}`, had.at(-1)?.id);
        expect(textOf([...had, ...rest])).toEqual(textOf(whole));
        expect(rest.at(-1)?.type).toBe("done");
        expect([...had, ...rest].map(({ id }) => id?.split("-")[1])).toEqual(
          whole.map((_event, index) => String(index + 1)),
        );
        expect(requests()).toHaveLength(1 + cut);
        expect(emulator.ledger.list()).toHaveLength((1 + cut) * paidForWhole);
      }
      expect(paidForWhole).toBe(1);
    },
  );

  it("tell a browser that has everything, or too late, to stay away, though the head of the answer is sent", async () => {
    const { one, other, requests } = await boot();
    const whole = await read(`${one.url}/chat?key=k`);
    for (const [key, id] of [
      ["k", whole.at(-1)?.id],
      ["unknown", whole.at(-1)?.id],
      ["unknown", "0"],
    ] as const) {
      const response = await fetch(`${other.url}/chat?key=${key}`, {
        headers: { accept: "text/event-stream", "last-event-id": id ?? "" },
      });
      const text = response.status === 204 ? "" : await response.text();
      if (response.status !== 204) expect(text).toMatch(/^event: done$[\s\S]*^retry: 2147483647$/m);
      expect(text).not.toContain("choices");
    }
    expect(requests()).toHaveLength(1);
  });

  it("begin one call for readers that come to both at once", async () => {
    const { one, other, requests } = await boot();
    const streams = [one, other, one, other].map(({ chat }) => all(chat.stream$(CHAT, { key: "k" })));
    const [first, ...others] = await Promise.all(streams);
    expect(first?.length).toBeGreaterThan(5);
    for (const each of others) expect(each).toEqual(first);
    expect(requests()).toHaveLength(1);
  });

  it("stop a stream wherever it is made, also while nothing comes", async () => {
    const { emulator, one, other, requests } = await boot();
    emulator.faults.add({ kind: "delay", delayMs: 600_000 });
    const reasons = [one, other].map(({ chat }) =>
      all(chat.stream$(CHAT, { key: "k" })).catch((error) => error.reason),
    );
    await expect.poll(() => requests()).toHaveLength(1);
    expect(await other.chat.stop("k")).toBe(true);
    expect(await Promise.all(reasons)).toEqual(["stopped", "stopped"]);
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(await one.chat.stop("k")).toBe(false);
  });

  it("keep a stream that is read at the other one alone, and abort it when nobody reads it", async () => {
    const { emulator, one, other, requests } = await boot({ graceMs: 3_000 });
    emulator.faults.add({ kind: "delay", delayMs: 6_000, times: 1 });
    const first = one.chat.stream$(CHAT, { key: "k" }).subscribe();
    await expect.poll(() => requests()).toHaveLength(1);
    const read = all(other.chat.stream$(CHAT, { key: "k" }));
    first.unsubscribe();
    expect((await read).length).toBeGreaterThan(5);
    emulator.faults.add({ kind: "delay", delayMs: 600_000, times: 1 });
    const second = one.chat.stream$(CHAT, { key: "l" }).subscribe();
    await expect.poll(() => requests()).toHaveLength(2);
    second.unsubscribe();
    await expect.poll(() => requests()[1]?.durationMs).toBeGreaterThan(0);
    await expect(all(other.chat.stream$(CHAT, { key: "l" }))).rejects.toMatchObject({ reason: "abandoned" });
  });

  it("tell readers that a stream is cut, when its process was killed", async () => {
    const leaseMs = 1_000;
    const { connection, prefix, one, other, requests } = await boot({ latency: 60_000, leaseMs });
    const argument: StreamOwnerArgument = { ...connection, redis: server.url, prefix, leaseMs };
    const owner = startChild(program.file, argument);
    await expect.poll(() => requests()).toHaveLength(1);
    const readers = [one, other].map(({ chat }) =>
      all(chat.stream$(CHAT, { key: "k" })).catch((error) => ({ ...error })),
    );
    owner.process.kill("SIGKILL");
    await owner.exit;
    const [first, second] = await Promise.all(readers);
    expect(first).toMatchObject({ reason: "cut", kind: "stream_interrupted", maybeProcessed: true });
    expect(second).toEqual(first);
    await expect(all(other.chat.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({ reason: "cut" });
    expect(requests()).toHaveLength(1);
  });

  it("go on over an outage of Redis that is shorter than the lease", async () => {
    const redis = await RedisServer.start();
    onTestFinished(() => redis.stop());
    const { one, other, requests } = await boot({ latency: 400, leaseMs: 60_000, redis });
    const streams = [one, other].map(({ chat }) => all(chat.stream$(CHAT, { key: "k" })));
    await expect.poll(() => requests()).toHaveLength(1);
    await redis.kill();
    await redis.startAgain();
    const [first, second] = await Promise.all(streams);
    expect(first?.at(-1)?.choices[0]?.finish_reason).toBe("stop");
    expect(second).toEqual(first);
    expect(requests()).toHaveLength(1);
  });

  it("pay for nothing that cannot be written down", async () => {
    const redis = await RedisServer.start();
    const { one, requests } = await boot({ leaseMs: 300, redis });
    await redis.stop();
    await expect(all(one.chat.stream$(CHAT, { key: "k" }))).rejects.toMatchObject({
      ...{ reason: "unavailable", kind: "connection", maybeProcessed: false },
    });
    await expect(one.chat.stop("k")).rejects.toMatchObject({ reason: "unavailable" });
    expect(requests()).toHaveLength(0);
  });

  it("let readers of a closing one go on at the other", async () => {
    const { one, other, requests } = await boot({ latency: 300 });
    const whole = all(one.chat.stream$(CHAT, { key: "k" }));
    await expect.poll(() => requests()).toHaveLength(1);
    const had: ServerSentEvent[] = [];
    const headers = { accept: "text/event-stream" };
    const response = await fetch(`${other.url}/chat?key=k`, { headers });
    try {
      for await (const event of readEvents(response)) {
        had.push(event);
        if (had.length === 1) void other.app.close();
      }
    } catch (error) {
      // Cut off by force is an end, too.
      expect(error).toBeInstanceOf(TypeError);
    }
    const last = had.at(-1);
    const rest = await read(`${one.url}/chat?key=k`, last?.id);
    const sent = [...had, ...rest]
      .filter(({ type }) => type === "message")
      .map(({ data }) => JSON.parse(data));
    expect(sent).toEqual(JSON.parse(JSON.stringify(await whole)));
    expect(requests()).toHaveLength(1);
  });
});

interface BootOptions {
  latency?: number;
  redis?: RedisServer;
}
