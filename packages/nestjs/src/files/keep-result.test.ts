import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { GatewayError } from "@model-gateway/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useS3Server } from "../../test/s3-server.js";
import { useEmulator } from "../../test/use-emulator.js";
import {
  FileStore,
  FolderFileStore,
  ImagesService,
  type KeepResultOptions,
  ModelGatewayModule,
  ResultNotKeptError,
  SpeechService,
} from "../index.js";
import { S3FileStore } from "../s3.js";

const BASE64 = { model: "local-image-b64", prompt: "A lighthouse", size: "1024x1024" };
const LINK = { model: "local-image", prompt: "A lighthouse" };
const SPEECH = { model: "local-speech", input: "Hello", voice: "alloy", format: "wav" };

async function useFolder() {
  const directory = await mkdtemp(join(tmpdir(), "results-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return new FolderFileStore({ directory });
}

/** A store whose first attempts fail. */
class FailingStore extends FileStore {
  attempts = 0;

  constructor(
    private readonly inner: FileStore,
    private readonly fails: (key: string, attempt: number) => boolean,
  ) {
    super();
  }

  async keep(...args: Parameters<FileStore["keep"]>) {
    this.attempts += 1;
    if (this.fails(args[1], this.attempts)) throw new Error("ENOSPC: no space left on device");
    return this.inner.keep(...args);
  }

  find = (key: string) => this.inner.find(key);
  read = (key: string) => this.inner.read(key);
  remove = (key: string) => this.inner.remove(key);
}

async function useServices() {
  const { emulator, connection } = await useEmulator();
  const { app } = await bootApp([ModelGatewayModule.forRoot(connection)]);
  return {
    images: app.get(ImagesService),
    speech: app.get(SpeechService),
    posts: () => emulator.journal.list({ method: "POST" }).length,
  };
}

/** A gateway that answers for images with what it is told to, and serves their files. */
async function useImageHost(data: (origin: string) => object[], serve: (path: string) => Buffer | number) {
  const asked: string[] = [];
  let posts = 0;
  const server = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.method === "POST") {
      posts += 1;
      const body = JSON.stringify({ created: 1, data: data(origin) });
      const headers = { "content-type": "application/json", "x-request-id": "always-the-same" };
      request.resume().on("end", () => response.writeHead(200, headers).end(body));
      return;
    }
    asked.push(request.url ?? "");
    const file = serve(request.url ?? "");
    if (typeof file === "number") response.writeHead(file).end();
    else response.writeHead(200, { "content-type": "image/png", "content-length": file.length }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { app } = await bootApp([ModelGatewayModule.forRoot({ apiKey: "key", baseURL, maxRetries: 0 })]);
  return { images: app.get(ImagesService), asked, posts: () => posts };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function notKept<Result>(work: Promise<unknown>): Promise<ResultNotKeptError<Result>> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ResultNotKeptError);
  return error as ResultNotKeptError<Result>;
}

describe("images that are kept", () => {
  it("are in the store, each with its length and SHA-256, whichever way they came", async () => {
    const { images, posts } = await useServices();
    const folder = await useFolder();
    const keep = (key: string) => ({ keep: { store: folder, key } });
    const encoded = await images.generate({ ...BASE64, n: 2 }, keep("Order 7"));
    const linked = await images.generate(LINK, keep("order-8"));
    const original = await linked.images[0]?.bytes();
    const edited = await images.edit(
      { model: BASE64.model, prompt: "By night", images: [original ?? new Uint8Array()] },
      keep("order-9"),
    );
    const chatted = await images.generateThroughChat(
      { model: "local-chat-image", prompt: "A boat" },
      keep("order-10"),
    );
    expect(chatted.text).toBeTypeOf("string");
    expect(linked.files[0]?.key).toMatch(/^order-8\/0\.(png|jpg|webp)$/);
    expect(encoded.files.map(({ index }) => index)).toEqual([0, 1]);
    for (const result of [encoded, linked, edited, chatted]) {
      expect(result.files).toHaveLength(result.images.length);
      for (const { key, index, length, sha256: sum } of result.files) {
        const bytes = (await result.images[index]?.bytes()) ?? new Uint8Array();
        expect([length, sum]).toEqual([bytes.length, sha256(bytes)]);
        expect(Buffer.from(bytes).equals(await readFile(folder.pathOf(key)))).toBe(true);
        expect(await folder.find(key)).toMatchObject({ sha256: sum });
      }
    }
    expect(posts()).toBe(4);
  });

  it("replace what was kept under their key, though the gateway calls each answer the same", async () => {
    let shown = Buffer.from("one");
    const { images } = await useImageHost(
      (origin) => [{ url: `${origin}/files/a.png` }],
      () => shown,
    );
    const folder = await useFolder();
    const keep = { store: folder, key: "k" };
    await images.generate(LINK, { keep });
    shown = Buffer.from("another");
    const { files } = await images.generate(LINK, { keep });
    expect(files).toMatchObject([{ key: "k/0.png", sha256: sha256(shown) }]);
    expect(await readFile(folder.pathOf("k/0.png"), "utf8")).toBe("another");
  });

  it("leave out those that could not be made", async () => {
    const { images } = await useImageHost(
      (origin) => [{ error: { message: "refused" } }, { url: `${origin}/files/a.png` }],
      () => Buffer.from("png"),
    );
    const { files, images: made } = await images.generate(LINK, {
      keep: { store: await useFolder(), key: "k" },
    });
    expect(made).toHaveLength(2);
    expect(files).toMatchObject([{ key: "k/1.png", index: 1, length: 3 }]);
  });

  it("are kept by a store, and come from a server, that fails for a moment", async () => {
    let answers = 0;
    const { images, posts } = await useImageHost(
      (origin) => [{ url: `${origin}/files/a.png` }],
      () => (++answers === 1 ? 503 : Buffer.from("png")),
    );
    const store = new FailingStore(await useFolder(), (_key, attempt) => attempt === 1);
    const { files } = await images.generate(LINK, { keep: { store, key: "k" } });
    expect(files).toMatchObject([{ sha256: sha256(Buffer.from("png")) }]);
    expect([store.attempts, posts()]).toEqual([3, 1]);
  });

  it("are in the error when the store does not take them, and can be kept from there", async () => {
    const { images, posts } = await useServices();
    const folder = await useFolder();
    const store = new FailingStore(folder, (key) => key.includes("/1."));
    const keep: KeepResultOptions = { store, key: "order-7" };
    const error = await notKept<Awaited<ReturnType<typeof images.generate>>>(
      images.generate({ ...BASE64, n: 2 }, { keep }),
    );
    expect(error.message).toMatch(
      /was paid for, and 1 of its 2 files could not be kept: Error: ENOSPC.*pays? again/,
    );
    expect(error.files).toMatchObject([{ key: "order-7/0.png" }]);
    expect(store.attempts).toBe(5);
    const image = error.result.images[1];
    const kept = await folder.keep(async () => image?.download() ?? expect.unreachable(), "later.png");
    expect(kept.sha256).toBe(sha256((await image?.bytes()) ?? new Uint8Array()));
    // Pictures are nothing for a log.
    expect(inspect(error, { depth: 10 })).not.toContain("images:");
    expect(posts()).toBe(1);
  });

  it("are asked for once when their address refuses", async () => {
    const { images, asked } = await useImageHost(
      (origin) => [{ url: `${origin}/files/a.png` }],
      () => 403,
    );
    const error = await notKept(images.generate(LINK, { keep: { store: await useFolder(), key: "k" } }));
    expect(GatewayError.isInstance(error.cause) && error.cause.kind).toBe("permission_denied");
    expect(asked).toEqual(["/files/a.png"]);
  });

  it.each([
    [{ store: undefined, key: "k" }, /keep\.store must be a FileStore/],
    [{ store: new FolderFileStore(), key: "" }, /keep\.key must be a non-empty string/],
  ])("are not asked for where they could not be kept: %j", async (keep, says) => {
    const { images, speech, posts } = await useServices();
    const options = { keep: keep as unknown as KeepResultOptions };
    await expect(images.generate(BASE64, options)).rejects.toThrow(says);
    await expect(speech.create(SPEECH, options)).rejects.toThrow(says);
    expect(posts()).toBe(0);
  });

  it("fail as any other call where the gateway refuses it, and leave nothing behind", async () => {
    const { images, speech } = await useServices();
    const folder = await useFolder();
    const keep = { store: folder, key: "k" };
    await expect(images.generate({ ...BASE64, model: "none" }, { keep })).rejects.toMatchObject({
      kind: "not_found",
    });
    await expect(speech.create({ ...SPEECH, model: "none" }, { keep })).rejects.toMatchObject({
      kind: "not_found",
    });
    expect(await readdir(join(folder.pathOf("k"), ".."))).toEqual([]);
  });
});

describe("speech that is kept", () => {
  it("is in a bucket, with its length and SHA-256, and in the answer", async () => {
    const { speech } = await useServices();
    const server = await useS3Server();
    const spool = await useFolder();
    const store = new S3FileStore({ ...server.options, spoolDirectory: spool.pathOf("spool") });
    const { file, bytes, contentType } = await speech.create(SPEECH, { keep: { store, key: "Ünal & Co." } });
    expect(file).toMatchObject({
      contentType,
      key: expect.stringMatching(/^-nal-co-~[0-9a-f]{24}\/0\.wav$/),
    });
    expect([file.length, file.sha256]).toEqual([(await bytes()).length, sha256(await bytes())]);
    expect(server.objects.get(file.key)?.bytes.equals(Buffer.from(await bytes()))).toBe(true);
  });

  it("is in the error when the store does not take it", async () => {
    const { speech, posts } = await useServices();
    const store = new FailingStore(await useFolder(), () => true);
    const error = await notKept<{ bytes(): Promise<Uint8Array> }>(
      speech.create(SPEECH, { keep: { store, key: "k" } }),
    );
    expect((await error.result.bytes()).length).toBeGreaterThan(1_000);
    expect([error.files, store.attempts, posts()]).toEqual([[], 4, 1]);
  });
});
