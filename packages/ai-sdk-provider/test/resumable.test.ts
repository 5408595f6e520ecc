import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { RedisStreamStore } from "@model-gateway/core/redis";
import { MemoryStreamStore, type StreamStore } from "@model-gateway/core/resumable";
import { createEmulator } from "@model-gateway/emulator";
import { CHAT_STREAMS, ENDINGS, PACES, startScenarioServer } from "@model-gateway/scenario-server";
import {
  compileProgram,
  hasRedisServer,
  type Program,
  RedisServer,
  type RouteServer,
  serveRoutes,
  startChild,
} from "@model-gateway/test-servers";
import {
  convertToModelMessages,
  createUIMessageStream,
  DefaultChatTransport,
  generateId,
  streamText,
  toUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createModelGateway } from "../src/index.js";
import { type ResumableChatOptions, resumableChat } from "../src/resumable.js";
import type { ChatServerArgument } from "./children/chat-server.js";
import { TestChat, textOf } from "./test-chat.js";

const QUESTION = "Explain at length how a river finds its way to the sea.";

/** How an answer ended, as the server saw it. */
interface Ended {
  isAborted: boolean;
  text: string;
}

async function useEmulator(latency = 0) {
  const emulator = await createEmulator({ seed: 1, latency }).listen({ port: 0 });
  onTestFinished(() => emulator.close());
  const requests = () => emulator.journal.list({ path: "/chat/completions" });
  const connection = { apiKey: "sk-emulator", baseURL: emulator.url };
  return { emulator, connection, requests, modelGateway: createModelGateway(connection) };
}

/** Handlers of a chat on a server of their own, which answers by the emulator. */
async function serveChat(
  modelGateway: ReturnType<typeof createModelGateway>,
  options: Partial<ResumableChatOptions> = {},
) {
  const ended: Ended[] = [];
  const chat = resumableChat({
    store: new MemoryStreamStore(),
    owner: (request) => request.headers.get("x-user") ?? undefined,
    async answer(request, { signal }) {
      const { messages } = (await request.json()) as { messages: UIMessage[] };
      const { stream } = streamText({
        model: modelGateway("local-chat"),
        messages: await convertToModelMessages(messages),
        maxRetries: 0,
        abortSignal: signal,
        onError: () => {},
      });
      return toUIMessageStream({
        stream,
        originalMessages: messages,
        generateMessageId: generateId,
        onEnd: ({ isAborted, responseMessage }) => {
          ended.push({ isAborted, text: textOf(responseMessage) });
        },
      });
    },
    ...options,
  });
  const server = await serveRoutes((path) =>
    /^\/api\/chat(\/[^/]+\/stream)?$/.test(path) ? chat : undefined,
  );
  onTestFinished(async () => {
    await server.close();
    await chat.close();
  });
  return { chat, server, ended };
}

function chatOf(
  { origin }: RouteServer,
  { id = generateId(), user = "ann", messages = [] as UIMessage[] } = {},
) {
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${origin}/api/chat`,
    headers: { "x-user": user },
  });
  return new TestChat({ id, messages, transport });
}

/** Sends a question as `useChat` does, and gives what the server answers. */
function post({ origin }: RouteServer, id: string, text = QUESTION, user = "ann"): Promise<Response> {
  const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text }] }];
  const body = JSON.stringify({ id, messages, trigger: "submit-message" });
  return fetch(`${origin}/api/chat`, { method: "POST", body, headers: { "x-user": user } });
}

function get({ origin }: RouteServer, id: string, lastEventId?: string, user = "ann"): Promise<Response> {
  const headers = { "x-user": user, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
  return fetch(`${origin}/api/chat/${encodeURIComponent(id)}/stream`, { headers });
}

async function stop({ origin }: RouteServer, id: string, user = "ann"): Promise<unknown> {
  const address = `${origin}/api/chat/${encodeURIComponent(id)}/stream`;
  return (await fetch(address, { method: "DELETE", headers: { "x-user": user } })).json();
}

/** Events of an answer as they stand in it; leaves after so many. */
async function read(response: Response, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const events: string[] = [];
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (events.length < count) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return events;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    events.push(...blocks);
  }
  await reader?.cancel();
  return events.slice(0, count);
}

const idOf = (event: string | undefined) => /^id: (.*)$/m.exec(event ?? "")?.[1] ?? "";
const dataOf = (event: string) => /^data: ([^\n]*)/m.exec(event)?.[1] ?? "";
const chunksOf = (events: readonly string[]) =>
  events.flatMap((event) =>
    dataOf(event) === "[DONE]" ? [] : [JSON.parse(dataOf(event)) as UIMessageChunk],
  );
const wordsOf = (events: readonly string[]) =>
  chunksOf(events)
    .map((chunk) => (chunk.type === "text-delta" ? chunk.delta : ""))
    .join("");
const isWhole = (events: readonly string[]) => dataOf(events.at(-1) ?? "") === "[DONE]";

describe("a chat whose answers survive their readers", () => {
  it("answers useChat's chat, turn after turn, and is paid once for each", async () => {
    const { modelGateway, requests, emulator } = await useEmulator();
    const { server, ended } = await serveChat(modelGateway);
    const chat = chatOf(server);
    await chat.sendMessage({ text: QUESTION });
    expect(chat.status).toBe("ready");
    expect(chat.text.length).toBeGreaterThan(40);
    expect(ended).toEqual([{ isAborted: false, text: chat.text }]);
    await chat.sendMessage({ text: "What is 6 times 7?" });
    expect(chat.text).toContain("42");
    // Requests for another answer are the same to the byte.
    await chat.regenerate();
    const regenerated = chat.lastMessage?.id;
    await chat.regenerate();
    expect(chat.lastMessage?.id).not.toBe(regenerated);
    expect(chat.text).toContain("42");
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(requests()).toHaveLength(4);
    expect(emulator.ledger.list()).toHaveLength(4);
  });

  it("is the same for a page that comes late, with messages that were kept or without", async () => {
    const { modelGateway, requests } = await useEmulator();
    const { server } = await serveChat(modelGateway);
    const first = chatOf(server);
    await first.sendMessage({ text: QUESTION });
    const reloaded = chatOf(server, { id: first.id });
    await reloaded.resumeStream();
    expect(reloaded.messages).toEqual(first.messages.slice(1));
    const kept = chatOf(server, { id: first.id, messages: first.messages });
    await kept.resumeStream();
    expect(kept.messages).toEqual(first.messages);
    const stranger = chatOf(server, { id: first.id, user: "bob" });
    await stranger.resumeStream();
    expect([stranger.status, stranger.messages]).toEqual(["ready", []]);
    expect(requests()).toHaveLength(1);
  });

  it("goes on when the connection breaks, and the same chat reads it again", async () => {
    const { modelGateway, requests, emulator } = await useEmulator(150);
    const { server, ended } = await serveChat(modelGateway);
    const chat = chatOf(server);
    const sent = chat.sendMessage({ text: QUESTION });
    await expect.poll(() => chat.text).not.toBe("");
    server.cut();
    await sent;
    expect(chat.status).toBe("error");
    const half = chat.text;
    await chat.resumeStream();
    expect(chat.status).toBe("ready");
    expect(chat.text.startsWith(half)).toBe(true);
    await expect.poll(() => ended).toEqual([{ isAborted: false, text: chat.text }]);
    expect(chat.messages).toHaveLength(2);
    expect(requests()).toHaveLength(1);
    expect(emulator.ledger.list()).toHaveLength(1);
  });

  it("never pays again for what runs, and says so to another question", async () => {
    const { modelGateway, requests } = await useEmulator(300);
    const { server } = await serveChat(modelGateway);
    const [one, two] = await Promise.all([post(server, "c"), post(server, "c")]);
    const other = await post(server, "c", "Something else");
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ reason: "busy", maybeProcessed: false });
    const [first, second] = await Promise.all([read(one), read(two)]);
    expect(second).toEqual(first);
    expect(await read(await post(server, "c"))).toEqual(first);
    expect(requests()).toHaveLength(1);
    expect(isWhole(await read(await post(server, "c", "Something else")))).toBe(true);
    expect(requests()).toHaveLength(2);
  });

  it("ends the call when nobody reads for the grace time, and the application learns what there was", async () => {
    const { modelGateway, requests, emulator } = await useEmulator();
    emulator.faults.add({ kind: "slow-stream", delayMs: 60_000, times: 1 });
    const { server, ended } = await serveChat(modelGateway, { graceMs: 100 });
    await read(await post(server, "c"), 1);
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(requests()[0]?.complete).toBe(false);
    await expect.poll(() => ended).toEqual([{ isAborted: true, text: expect.any(String) }]);
    const late = await read(await get(server, "c"));
    expect(chunksOf(late).at(-1)).toMatchObject({
      type: "error",
      errorText: expect.stringContaining("Nobody read"),
    });
    expect(isWhole(late)).toBe(false);
  });

  it("is stopped for good, which a chat shows as stopped, and asked for anew", async () => {
    const { modelGateway, requests } = await useEmulator(200);
    const { server, ended } = await serveChat(modelGateway);
    const chat = chatOf(server);
    const sent = chat.sendMessage({ text: QUESTION });
    await expect.poll(() => chat.text).not.toBe("");
    expect(await stop(server, chat.id)).toEqual({ stopped: true });
    await sent;
    expect(chat.status).toBe("ready");
    await expect.poll(() => ended).toHaveLength(1);
    expect(ended[0]?.isAborted).toBe(true);
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(requests()[0]?.complete).toBe(false);
    const again = chatOf(server, { id: chat.id });
    await again.resumeStream();
    expect([again.status, again.text]).toEqual(["ready", chat.text]);
    await chat.regenerate();
    expect(chat.text.length).toBeGreaterThan(40);
    expect(requests()).toHaveLength(2);
  });

  it("tells of an answer that failed, in the application's words, and lets it be asked for again", async () => {
    const { modelGateway, requests, emulator } = await useEmulator();
    emulator.faults.add({ kind: "status", status: 500, times: 1 });
    const { server, ended } = await serveChat(modelGateway);
    const chat = chatOf(server);
    await chat.sendMessage({ text: QUESTION });
    expect([chat.status, chat.error?.message]).toEqual(["error", "An error occurred."]);
    await expect.poll(() => ended).toHaveLength(1);
    const page = chatOf(server, { id: chat.id });
    await page.resumeStream();
    expect([page.status, page.error?.message]).toEqual(["error", "An error occurred."]);
    await chat.regenerate();
    expect(chat.status).toBe("ready");
    expect(requests()).toHaveLength(2);
  });

  it("is refused by the application before anything is paid", async () => {
    const { modelGateway, requests } = await useEmulator();
    const { server } = await serveChat(modelGateway, {
      answer: () => new Response("Not today.", { status: 422 }),
    });
    const chat = chatOf(server);
    await chat.sendMessage({ text: QUESTION });
    expect([chat.status, chat.error?.message]).toEqual(["error", expect.stringContaining("Not today.")]);
    const page = chatOf(server, { id: chat.id });
    await page.resumeStream();
    expect(page.status).toBe("ready");
    expect(requests()).toHaveLength(0);
  });

  it("takes results of streamText and streams of one's own", async () => {
    const { modelGateway } = await useEmulator();
    const result = await serveChat(modelGateway, {
      answer: (_request, { signal }) =>
        streamText({ model: modelGateway("local-chat"), prompt: "What is 6 times 7?", abortSignal: signal }),
    });
    expect(wordsOf(await read(await post(result.server, "c")))).toContain("42");
    const own = await serveChat(modelGateway, {
      answer: (_request, { key }) =>
        createUIMessageStream({
          execute({ writer }) {
            writer.write({ type: "data-status", data: { key } });
            writer.merge(
              streamText({ model: modelGateway("local-chat"), prompt: "6 times 7?" }).toUIMessageStream(),
            );
          },
        }),
    });
    const chunks = chunksOf(await read(await post(own.server, "a/b ü")));
    expect(chunks[0]).toEqual({ type: "data-status", data: { key: "a/b ü" } });
    expect(chunks.at(-1)?.type).toBe("finish");
    expect(chunksOf(await read(await get(own.server, "a/b ü")))).toEqual(chunks);
  });

  it("finds the chat wherever a request may name it", async () => {
    const { modelGateway, requests } = await useEmulator();
    const { chat, server } = await serveChat(modelGateway);
    const whole = await read(await post(server, "c"));
    const asked = (path: string, init: RequestInit = {}) =>
      new Request(`http://localhost${path}`, { headers: { "x-user": "ann" }, ...init });
    for (const path of ["/any?key=c", "/deep/api/chat/c/stream", "/api/chat/c/stream/", "/x/stream?key=c"])
      expect(await read(await chat.GET(asked(path)))).toEqual(whole);
    expect(await read(await chat.GET(asked(`/?key=c&from=${idOf(whole[2])}`)))).toEqual(whole.slice(3));
    for (const path of ["/api/chat", "/stream", "/api/chat/%E0%A4%A/stream", "/any?key="])
      expect((await chat.GET(asked(path))).status).toBe(400);
    for (const body of ["", "{", "[]", "null", '{"id":7}', '{"id":""}'])
      expect((await chat.POST(asked("/api/chat", { method: "POST", body }))).status).toBe(400);
    expect(requests()).toHaveLength(1);
  });

  it("is cut with its server, and never told to be whole", async () => {
    const { modelGateway, requests } = await useEmulator(500);
    const { chat, server, ended } = await serveChat(modelGateway);
    const started = read(await post(server, "c"));
    await expect.poll(() => requests()).toHaveLength(1);
    await chat.close();
    const events = await started;
    expect(isWhole(events)).toBe(false);
    expect(chunksOf(events).at(-1)).toMatchObject({
      type: "error",
      errorText: expect.stringContaining("was cut"),
    });
    await expect.poll(() => ended).toMatchObject([{ isAborted: true }]);
  });
});

describe.skipIf(!hasRedisServer)("two replicas on one Redis", () => {
  let redis: RedisServer;
  let program: Program;
  beforeAll(async () => {
    redis = await RedisServer.start();
    const folder = fileURLToPath(new URL("..", import.meta.url));
    program = await compileProgram(folder, "chat-server", ["ai", "@ai-sdk/*", "ioredis", "zod"]);
  });
  afterAll(async () => {
    await program.remove();
    await redis.stop();
  });

  async function boot({
    latency = 0,
    ...options
  }: Partial<ResumableChatOptions> & { latency?: number } = {}) {
    const { modelGateway, ...used } = await useEmulator(latency);
    const prefix = randomUUID();
    const store = (): StreamStore => new RedisStreamStore({ connection: redis.url, prefix });
    const one = await serveChat(modelGateway, { ...options, store: store() });
    const other = await serveChat(modelGateway, { ...options, store: store() });
    return { ...used, prefix, one: one.server, other: other.server, ended: one.ended };
  }

  it("a reader cut at every event gets exactly the rest from the other one, and one call is paid", async () => {
    const { one, other, requests, emulator } = await boot();
    const whole = await read(await post(one, "whole"));
    expect(isWhole(whole)).toBe(true);
    expect(wordsOf(whole).length).toBeGreaterThan(40);
    // How many deltas there are depends on what arrives together.
    let cuts = 0;
    for (let isOver = false; !isOver; ) {
      const cut = ++cuts;
      const id = `cut-${cut}`;
      const had = await read(await post(one, id), cut);
      const resumed = await get(other, id, idOf(had.at(-1)));
      isOver = isWhole(had);
      expect(resumed.status).toBe(isOver ? 204 : 200);
      const rest = isOver ? [] : await read(resumed);
      expect(wordsOf([...had, ...rest])).toBe(wordsOf(whole));
      expect(isWhole([...had, ...rest])).toBe(true);
      const numbers = [...had, ...rest].map((event) => idOf(event).split("-")[1]);
      expect(numbers).toEqual(numbers.map((_, index) => String(index + 1)));
      const replayed = await read(await get(other, id));
      expect(replayed).toEqual([...had, ...rest]);
      expect(requests()).toHaveLength(1 + cut);
      expect(emulator.ledger.list()).toHaveLength(1 + cut);
    }
    expect(cuts).toBeGreaterThan(5);
  });

  it("begin one call for the same question to both, and stop it from either", async () => {
    const { one, other, requests, ended } = await boot({ latency: 300 });
    const answers = await Promise.all([post(one, "c"), post(other, "c"), post(one, "c"), post(other, "c")]);
    expect((await post(other, "c", "Something else")).status).toBe(409);
    const readers = answers.map((answer) => read(answer));
    expect(await stop(other, "c", "bob")).toEqual({ stopped: false });
    expect(await stop(other, "c")).toEqual({ stopped: true });
    const [first = [], ...others] = await Promise.all(readers);
    for (const each of others) expect(each).toEqual(first);
    expect(chunksOf(first).at(-1)?.type).toBe("abort");
    expect(requests()).toHaveLength(1);
    await expect.poll(() => requests()[0]?.durationMs).toBeGreaterThan(0);
    expect(requests()[0]?.complete).toBe(false);
    // Whichever made the call.
    expect(ended.every(({ isAborted }) => isAborted)).toBe(true);
    expect(await stop(one, "c")).toEqual({ stopped: false });
  });

  it("tell readers that an answer is cut, when its process was killed", async () => {
    const leaseMs = 1_000;
    const { one, other, requests, connection, prefix } = await boot({ latency: 60_000, leaseMs });
    const argument: ChatServerArgument = { ...connection, redis: redis.url, prefix, leaseMs };
    const owner = startChild(program.file, argument);
    const origin = String(await owner.next());
    const begun = post({ origin } as RouteServer, "c").catch(() => undefined);
    await expect.poll(() => requests()).toHaveLength(1);
    const readers = [one, other].map(async (server) => read(await get(server, "c")));
    await begun;
    owner.process.kill("SIGKILL");
    await owner.exit;
    for (const events of await Promise.all(readers)) {
      expect(isWhole(events)).toBe(false);
      expect(chunksOf(events)[0]?.type).toBe("start");
      expect(chunksOf(events).at(-1)).toMatchObject({
        type: "error",
        errorText: expect.stringMatching(/was cut.*paid for/),
      });
    }
    expect(isWhole(await read(await get(one, "c")))).toBe(false);
    expect(requests()).toHaveLength(1);
  });

  it("pay for nothing that cannot be written down", async () => {
    const { modelGateway, requests } = await useEmulator();
    const away = await RedisServer.start();
    const store = new RedisStreamStore({ connection: away.url });
    const { server } = await serveChat(modelGateway, { store, leaseMs: 300 });
    await away.stop();
    const response = await post(server, "c");
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ reason: "unavailable", maybeProcessed: false });
    expect((await get(server, "c")).status).toBe(503);
    expect(requests()).toHaveLength(0);
  });
});

describe("answers of hostile servers", () => {
  const cases = CHAT_STREAMS.map((stream) => [stream.name, stream] as const);

  it.each(cases)(
    "%s: the same at every pace, with every ending, early and late",
    async (_name, { events }) => {
      const upstream = await startScenarioServer();
      onTestFinished(() => upstream.close());
      const { modelGateway } = await useEmulator();
      const { server } = await serveChat(modelGateway, {
        async answer(request, { signal }) {
          const { messages } = (await request.json()) as { messages: UIMessage[] };
          const gateway = createModelGateway({
            apiKey: "sk-test",
            baseURL: `${upstream.origin}/${textOf(messages[0] as UIMessage)}/v1`,
          });
          return streamText({
            model: gateway("m"),
            prompt: "x",
            maxRetries: 0,
            abortSignal: signal,
            onError: () => {},
          });
        },
      });
      for (const ending of ENDINGS) {
        const outcomes = await Promise.all(
          PACES.map(async (pace) => {
            upstream.replay({ events, ending, pace, seed: 5, path: `/${pace}/v1/chat/completions` });
            const id = `${pace} ${ending}`;
            const early = await read(await post(server, id, pace));
            expect(await read(await get(server, id))).toEqual(early);
            return { words: wordsOf(early), last: chunksOf(early).at(-1)?.type, isWhole: isWhole(early) };
          }),
        );
        for (const outcome of outcomes) {
          expect(outcome).toEqual(outcomes[0]);
          expect(outcome.last).toBe(outcome.isWhole ? "finish" : "error");
        }
        if (ending !== "proper" && ending !== "no-marker") expect(outcomes[0]?.isWhole).toBe(false);
      }
      expect(upstream.requests).toHaveLength(ENDINGS.length * PACES.length);
    },
  );
});
