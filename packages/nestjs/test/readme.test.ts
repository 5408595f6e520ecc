import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator, type Emulator, WELL_KNOWN_KEY } from "@model-gateway/emulator";
import { freePort } from "@model-gateway/test-servers";
import { Controller, Post, type Type, UseGuards } from "@nestjs/common";
import { ClientProxyFactory, Transport } from "@nestjs/microservices";
import { lastValueFrom, toArray } from "rxjs";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ChatService, type VideoProgress, VideosService } from "../src/index.js";
import type { StoreContractCase } from "../src/testing.js";
import { bootApp } from "./boot-app.js";
import { readEvents, type ServerSentEvent } from "./read-events.js";
import { useS3Server } from "./s3-server.js";
import { usePostgres } from "./use-postgres.js";
import { hasRedisServer, RedisServer } from "./use-redis.js";

const PACKAGE = new URL("../", import.meta.url);
const GUIDES = (await readdir(new URL("docs/", PACKAGE))).map((name) => `docs/${name}`);
/** Inside the package, so that the examples find what they import; ignored by git. */
const FOLDER = new URL(".readme/", import.meta.url);

const texts = await Promise.all(
  ["README.md", ...GUIDES].map((name) => readFile(new URL(name, PACKAGE), "utf8")),
);
const examples = [...texts.join("\n").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);

/** Runs the first example that contains `mark`, and gives its exports. */
async function load(mark: string): Promise<Record<string, Type>> {
  const index = examples.findIndex((code) => code.includes(mark));
  expect(index, `the example with ${mark}`).toBeGreaterThanOrEqual(0);
  const file = new URL(`example-${index}.ts`, FOLDER);
  await writeFile(file, examples[index] ?? "");
  return import(file.pathname);
}

async function classIn(name: string): Promise<Type> {
  const found = (await load(`class ${name}`))[name];
  if (found === undefined) throw new Error(`The example exports no ${name}.`);
  return found;
}

describe("the examples of README and guides run", () => {
  let emulator: Emulator;
  const startedIn = process.cwd();
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "readme-"));
    emulator = await createEmulator().listen();
    vi.stubEnv("MODEL_GATEWAY_API_KEY", WELL_KNOWN_KEY);
    vi.stubEnv("MODEL_GATEWAY_BASE_URL", emulator.url);
    vi.stubEnv("EU_API_KEY", WELL_KNOWN_KEY);
    await mkdir(FOLDER, { recursive: true });
  });
  // Tasks are kept in the folder that the process runs in.
  beforeEach(async () => process.chdir(await mkdtemp(join(parent, "example-"))));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(FOLDER, { recursive: true, force: true });
    process.chdir(startedIn);
    await rm(parent, { recursive: true, force: true });
    await emulator.close();
  });

  const post = async (url: string, body: object) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };

  it("chat, as an answer and as events", async () => {
    const { url } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("ChatController")],
    });
    expect(await post(`${url}/chat`, { question: "Hello" })).toMatchObject({ object: "chat.completion" });
    const types: string[] = [];
    for await (const { type } of readEvents(await fetch(`${url}/chat/stream?question=Hello`)))
      types.push(type);
    expect(types.length).toBeGreaterThan(2);
    expect(types.at(-1)).toBe("done");
  });

  it("embeddings and models", async () => {
    const SearchService = await classIn("SearchService");
    const { app } = await bootApp([await classIn("AppModule")], { providers: [SearchService] });
    const search = app.get(SearchService);
    expect(await search.vectors(["one", "two"])).toHaveLength(2);
    expect(await search.modelIds()).toContain("local-embedding");
  });

  it("images, as an answer and as events", async () => {
    const { url } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("ImagesController")],
    });
    expect(await post(`${url}/images`, { prompt: "A lighthouse" })).toEqual([
      { url: expect.stringMatching(/^http/), mediaType: expect.stringMatching(/^image\//) },
    ]);
    const types: string[] = [];
    for await (const { type, data } of readEvents(await fetch(`${url}/images/stream?prompt=A%20lighthouse`)))
      types.push(type === "message" ? JSON.parse(data).type : type);
    expect(types).toEqual(["partial", "partial", "completed", "done"]);
  });

  it("streams that survive their reader, over HTTP and without", async () => {
    const Reader = await classIn("Reader");
    const { app, url } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("AnswersController")],
      providers: [Reader],
    });
    const read = async (path: string, lastEventId?: string) => {
      const headers = { accept: "text/event-stream", ...(lastEventId && { "last-event-id": lastEventId }) };
      const events: ServerSentEvent[] = [];
      for await (const event of readEvents(await fetch(`${url}/answers/${path}`, { headers })))
        events.push(event);
      return events;
    };
    const before = emulator.journal.list({ method: "POST" }).length;
    const whole = await read("key-1?question=Hello");
    expect(whole.at(-1)?.type).toBe("done");
    expect(await read("key-1?question=Hello", whole[0]?.id)).toEqual(whole.slice(1));
    expect((await read("key-1/picture?prompt=A%20boat")).at(-1)?.type).toBe("done");
    const stopped = await fetch(`${url}/answers/key-1`, { method: "DELETE" });
    expect(await stopped.json()).toEqual({ stopped: false });
    const reader = app.get(Reader);
    expect((await reader.read("key-1", "Hello")).length).toBeGreaterThan(0);
    expect(await reader.read("key-1", "Hello")).toBe("");
    expect(emulator.journal.list({ method: "POST" })).toHaveLength(before + 2);
  });

  it.skipIf(!hasRedisServer)("streams of replicas, on Redis", async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    vi.stubEnv("REDIS_URL", server.url);
    const { app } = await bootApp([await classIn("AppWithSharedStreams")]);
    const messages = [{ role: "user" as const, content: "Hello" }];
    const read = () => {
      const chunks$ = app.get(ChatService).stream$({ model: "local-chat", messages }, { key: "k" });
      return lastValueFrom(chunks$.pipe(toArray()));
    };
    expect(await read()).toEqual(await read());
  });

  it("the contract of a store of streams", async () => {
    const { contract } = (await load("streamStoreContract")) as unknown as { contract: StoreContractCase[] };
    expect(contract.length).toBeGreaterThan(10);
    await contract[0]?.run();
  });

  it("speech, as a file on its way", async () => {
    const { url } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("SpeechController")],
    });
    const response = await fetch(`${url}/speech?text=Good%20morning`);
    expect(response.headers.get("content-type")).toContain("audio/");
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  });

  it("a guard that refuses what moderation does not allow", async () => {
    const ModerationGuard = await classIn("ModerationGuard");
    @Controller("guarded")
    @UseGuards(ModerationGuard)
    class GuardedController {
      @Post()
      answer() {
        return { passed: true };
      }
    }
    const { url } = await bootApp([await classIn("AppModule")], { controllers: [GuardedController] });
    expect(await post(`${url}/guarded`, { question: "Good morning!" })).toEqual({ passed: true });
    expect(await post(`${url}/guarded`, { question: "I'm going to stab my neighbour." })).toMatchObject({
      statusCode: 403,
    });
  });

  it("a video, watched and saved", async () => {
    const VideoFiles = await classIn("VideoFiles");
    const { app, url } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("VideosController")],
      providers: [VideoFiles],
    });
    expect(await post(`${url}/videos/order-7`, { prompt: "A boat" })).toEqual({ key: "order-7" });
    expect(await post(`${url}/videos/order-7`, { prompt: "A boat" })).toMatchObject({ error: "Conflict" });
    const folder = await mkdtemp(join(tmpdir(), "readme-video-"));
    const saved = app.get(VideoFiles).save("order-7", join(folder, "boat.mp4"));
    await emulator.videos.succeed(emulator.videos.list().at(-1)?.id ?? "");
    await saved;
    expect((await stat(join(folder, "boat.mp4"))).size).toBeGreaterThan(10_000);
    await rm(folder, { recursive: true });
    const types: string[] = [];
    for await (const { type } of readEvents(await fetch(`${url}/videos/order-7`))) types.push(type);
    expect(types).toEqual(["message", "done"]);
  });

  it("a video whose files are kept, speech, and an image", async () => {
    const Storyteller = await classIn("Storyteller");
    const { app, url } = await bootApp([await classIn("AppWithFiles")], {
      controllers: [await classIn("FilmFilesController")],
      providers: [Storyteller],
    });
    const content = [{ type: "text" as const, text: "A boat" }];
    const videos = app.get(VideosService);
    const { key } = await videos.submit(
      { model: "local-video-2.0", content, duration: 4 },
      { key: "film-1" },
    );
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    expect((await fetch(`${url}/films/nothing`)).status).toBe(404);
    const { files } = await lastValueFrom(videos.watch$(key));
    const film = await fetch(`${url}/films/film-1`);
    expect(film.headers.get("content-type")).toBe("video/mp4");
    expect((await film.arrayBuffer()).byteLength).toBe(files?.[0]?.length);
    expect(await stat("data/files/default/film-1/0.mp4")).toMatchObject({ size: files?.[0]?.length });
    const page = await app.get(Storyteller).page("Ünal & Co.", "Hello");
    expect(page.map(({ key }: { key: string }) => /-nal-co-~\w+\/(0\.\w+)$/.exec(key)?.[1])).toEqual([
      expect.stringMatching(/mp3|wav/),
      expect.stringMatching(/png|jpg|webp/),
    ]);
    for (const { key, length } of page)
      expect(await stat(`data/files/${key}`)).toMatchObject({ size: length });
  });

  it("a video whose file goes to a bucket", async () => {
    const bucket = await useS3Server();
    vi.stubEnv("BUCKET_URL", bucket.options.bucketURL);
    vi.stubEnv("AWS_ACCESS_KEY_ID", bucket.options.credentials.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", bucket.options.credentials.secretAccessKey);
    const { app } = await bootApp([await classIn("AppWithBucket")]);
    const videos = app.get(VideosService);
    const content = [{ type: "text" as const, text: "A boat" }];
    const { key } = await videos.submit({ model: "local-video-2.0", content, duration: 4 });
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    const { files } = await lastValueFrom(videos.watch$(key));
    expect(bucket.objects.get(`default/${key}/0.mp4`)?.bytes).toHaveLength(files?.[0]?.length ?? 0);
  });

  it("videos of the wrapped families", async () => {
    const Animator = await classIn("Animator");
    const { app } = await bootApp([await classIn("AppModule")], { providers: [Animator] });
    const { key } = await app.get(Animator).imagine("Rain");
    expect(emulator.journal.list({ path: "/videos/omni-video" }).at(-1)?.body).toMatchObject({
      external_task_id: key,
    });
    await app.get(Animator).animate("data:image/png;base64,AAAA", "Wind");
    expect(emulator.journal.list({ path: "/videos/image2video" })).toHaveLength(1);
  });

  it("videos in a microservice", async () => {
    const tcp = { transport: Transport.TCP, options: { host: "127.0.0.1", port: await freePort() } } as const;
    const { app } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("VideoMessages")],
      configure: (created) => created.connectMicroservice(tcp),
    });
    await app.startAllMicroservices();
    const client = ClientProxyFactory.create(tcp);
    const { key } = await lastValueFrom(client.send("videos.submit", { prompt: "A boat", key: "message-1" }));
    const all = lastValueFrom(client.send<VideoProgress>("videos.watch", key).pipe(toArray()));
    await emulator.videos.succeed(emulator.videos.list().at(-1)?.id ?? "");
    expect((await all).at(-1)).toMatchObject({
      key,
      status: "succeeded",
      videos: [{ url: expect.any(String) }],
    });
    await client.close();
  });

  it("callbacks", async () => {
    const port = await freePort();
    vi.stubEnv("PUBLIC_URL", `http://127.0.0.1:${port}`);
    vi.stubEnv(
      "CALLBACK_SECRETS",
      "the new secret of at least 32 characters,the old secret of at least 32 characters",
    );
    const { app } = await bootApp([await classIn("AppWithCallbacks")], { port });
    const content = [{ type: "text" as const, text: "A boat" }];
    const videos = app.get(VideosService);
    const { key } = await videos.submit({ model: "local-video-2.0", content, duration: 5 });
    const over = lastValueFrom(videos.watch$(key));
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    expect((await over).status).toBe("succeeded");
    expect(emulator.callbacks.list({ delivered: true }).length).toBeGreaterThan(0);
  });

  it("options from a factory", async () => {
    const { AppModule } = await load("forRootAsync");
    if (AppModule === undefined) throw new Error("The example exports no AppModule.");
    await bootApp([AppModule]);
  });

  it("several instances", async () => {
    const Translator = await classIn("Translator");
    const TranslatorModule = await classIn("TranslatorModule");
    const { app } = await bootApp([TranslatorModule]);
    expect(app.get(Translator, { strict: false })).toBeInstanceOf(Translator);
  });

  it("a journal in a folder of one's choice", async () => {
    const { app } = await bootApp([await classIn("AppWithJournal")]);
    const content = [{ type: "text" as const, text: "A boat" }];
    await app
      .get(VideosService)
      .submit({ model: "local-video-2.0", content, duration: 4 }, { key: "order-8" });
    const [, ...records] = (await readFile("data/video-tasks/video-tasks.journal", "utf8"))
      .trim()
      .split("\n");
    const found = records.map((line) => JSON.parse(line.split(" ").slice(2).join(" ")));
    expect(found[0]).toMatchObject({ key: "order-8", status: "submitting" });
  });

  it.skipIf(!hasRedisServer)("tasks on Redis, with BullMQ", async () => {
    const server = await RedisServer.start();
    onTestFinished(() => server.stop());
    vi.stubEnv("REDIS_URL", server.url);
    await sharesTasks(await classIn("AppOnRedis"));
  });

  it("tasks on PostgreSQL, with BullMQ", async () => {
    const server = await usePostgres();
    onTestFinished(() => server.stop());
    vi.stubEnv("DATABASE_URL", server.url);
    await sharesTasks(await classIn("AppOnPostgres"));
  });

  async function sharesTasks(module: Type): Promise<void> {
    const { app } = await bootApp([module]);
    const videos = app.get(VideosService);
    const content = [{ type: "text" as const, text: "A boat" }];
    const { key } = await videos.submit({ model: "local-video-2.0", content, duration: 4 });
    const { handle } = (await videos.get(key)) ?? {};
    await emulator.videos.succeed(handle?.id ?? "");
    await videos.handleCallback(key, {});
    expect(await lastValueFrom(videos.watch$(key))).toMatchObject({ status: "succeeded", handle });
  }

  it("videos of tenants, by the page", async () => {
    const { url } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("FilmsController")],
    });
    const headers = { "content-type": "application/json", "x-tenant": "acme" };
    const body = JSON.stringify({ prompt: "A boat", order: "order-1" });
    const { key } = await (await fetch(`${url}/films`, { method: "POST", headers, body })).json();
    expect(await (await fetch(`${url}/films`, { headers })).json()).toMatchObject([
      { key, order: "order-1" },
    ]);
    expect(await (await fetch(`${url}/films?before=${key}`, { headers })).json()).toEqual([]);
    expect((await fetch(`${url}/films/${key}`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/films/${key}`, { headers: { "x-tenant": "other" } })).status).toBe(403);
  });

  it("a queue, and a key per tenant", async () => {
    const { app, url } = await bootApp([await classIn("ClipsModule")]);
    const videos = app.get(VideosService);
    const headers = { "content-type": "application/json", "x-tenant": "acme" };
    const body = JSON.stringify({ prompt: "A paper boat [[stuck]]" });
    const before = emulator.videos.list().length;
    for (const key of ["clip-1", "clip-2", "clip-3", "clip-4"]) {
      const answer = await fetch(`${url}/clips/${key}`, { method: "POST", headers, body });
      expect(await answer.json()).toEqual({ key });
    }
    await expect.poll(() => emulator.videos.list().length).toBe(before + 3);
    expect((await videos.list({ waiting: true })).map(({ key }) => key)).toEqual(["clip-4"]);
    expect((await fetch(`${url}/clips/clip-4`, { method: "DELETE" })).status).toBe(200);
    const events: ServerSentEvent[] = [];
    for await (const event of readEvents(await fetch(`${url}/clips/clip-4`))) events.push(event);
    expect(JSON.parse(events[0]?.data ?? "")).toMatchObject({ key: "clip-4", status: "cancelled" });
    expect((await fetch(`${url}/clips/clip-1`, { method: "DELETE" })).status).toBe(409);
    await app.close();
    vi.stubEnv("KEY_OF_solo", "sk-of-solo");
    emulator.keys.add({ key: "sk-of-solo", group: "default" });
    const { app: withKeys } = await bootApp([await classIn("TenantsModule")]);
    const content = [{ type: "text" as const, text: "A paper boat" }];
    const submission = { model: "local-video-2.0", content, duration: 4 };
    await withKeys.get(VideosService).submit(submission, { key: "clip-5", tenant: "other" });
    await expect.poll(async () => (await withKeys.get(VideosService).get("clip-5"))?.handle).toBeDefined();
    emulator.keys.update("sk-of-solo", { disabled: true });
    await withKeys.get(VideosService).submit(submission, { key: "clip-6", tenant: "solo" });
    await expect
      .poll(async () => (await withKeys.get(VideosService).get("clip-6"))?.waiting?.problem?.kind)
      .toBe("authentication");
    await withKeys.get(VideosService).cancel("clip-6");
  });

  it("handlers that are called when a video ends, and once more on demand", async () => {
    const [Orders, Redelivery, CompletionLog] = [
      await classIn("Orders"),
      await classIn("Redelivery"),
      await classIn("CompletionLog"),
    ];
    const { app } = await bootApp([await classIn("AppModule")], {
      providers: [Orders, Redelivery, CompletionLog],
    });
    const videos = app.get(VideosService);
    const submit = async (end: "succeed" | "fail") => {
      const content = [{ type: "text" as const, text: "A boat [[stuck]]" }];
      const { key } = await videos.submit({ model: "local-video-2.0", content, duration: 4 });
      await emulator.videos[end]((await videos.get(key))?.handle?.id ?? "");
      await videos.reconcile(key);
      return key;
    };
    const [made, failed] = [await submit("succeed"), await submit("fail")];
    const { shipped, refunded } = app.get(Orders);
    await expect.poll(() => [...shipped.values()]).toEqual([expect.stringContaining(`${made}: http`)]);
    await expect.poll(() => [...refunded]).toEqual([failed]);
    const { lines } = app.get(CompletionLog);
    await expect
      .poll(() => [...lines].sort())
      .toEqual([`${made} is succeeded`, `${failed} is failed`].sort());
    await app.get(Redelivery).all();
    await expect.poll(() => videos.list({ delivery: "delivered", finished: true })).toHaveLength(2);
  });

  it("metrics, counted per call", async () => {
    const TokenCounter = await classIn("TokenCounter");
    const { app } = await bootApp([await classIn("AppModule")], {
      controllers: [await classIn("ChatController")],
      providers: [TokenCounter],
    });
    const { usage } = await post(`${await app.getUrl()}/chat`, { question: "Hello" });
    expect(app.get(TokenCounter).tokens).toEqual(new Map([["local-chat", usage.total_tokens]]));
  });

  it("health, over HTTP", async () => {
    const { url } = await bootApp([await classIn("AppModule"), await classIn("HealthModule")]);
    const response = await fetch(`${url}/health`);
    expect(await response.json()).toMatchObject({ details: { "model-gateway": { status: "up" } } });
  });

  it("a test of one's own", async () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    await load("createTestingModule");
    expect(print).toHaveBeenCalledWith(expect.stringMatching(/^http/), 1);
    print.mockRestore();
  });
});
