import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "@nestjs/common";
import { lastValueFrom, toArray } from "rxjs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { useFileHost } from "../../test/file-host.js";
import { useS3Server } from "../../test/s3-server.js";
import { SchedulingStore } from "../../test/scheduling-store.js";
import { FAST_POLLS, VIDEO } from "../../test/use-emulator.js";
import {
  FileStore,
  FolderFileStore,
  type KeepVideosOptions,
  ModelGatewayModule,
  OnVideo,
  VideosService,
  type VideoTaskRecord,
  type VideoTaskStore,
} from "../index.js";
import { S3FileStore } from "../s3.js";

const BYTES = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 11) % 253);

/** What was there when the handler was called. */
const shipped: Array<{ record: VideoTaskRecord; isThere: boolean }> = [];
class Shop {
  static folder: FolderFileStore;

  @OnVideo("succeeded")
  async ship(record: VideoTaskRecord) {
    const found = await Promise.all((record.files ?? []).map(({ key }) => Shop.folder.find(key)));
    shipped.push({ record, isThere: found.length > 0 && found.every((file) => file !== undefined) });
  }
}

async function useKeeping(keep: Partial<KeepVideosOptions> = {}, store: VideoTaskStore = FAST_POLLS.store) {
  const warned = vi.spyOn(Logger.prototype, "warn").mockImplementation(() => {});
  const failed = vi.spyOn(Logger.prototype, "error").mockImplementation(() => {});
  onTestFinished(() => {
    warned.mockRestore();
    failed.mockRestore();
  });
  const directory = await mkdtemp(join(tmpdir(), "kept-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const folder = new FolderFileStore({ directory });
  const host = await useFileHost(BYTES);
  Shop.folder = folder;
  shipped.length = 0;
  const module = ModelGatewayModule.forRoot({
    ...host.connection,
    maxRetries: 0,
    videos: { ...FAST_POLLS, store, keep: { store: folder, ...keep } },
  });
  const { app } = await bootApp([module], { providers: [Shop] });
  const videos = app.get(VideosService);
  const submit = async (key = "order-1") => (await videos.submit(VIDEO, { key })).key;
  const over = (key = "order-1") => lastValueFrom(videos.watch$(key));
  const troubles = async () => (await videos.troubles()).join("\n");
  return { app, host, videos, folder, submit, over, troubles, warned, failed };
}

describe("a video whose files are kept", () => {
  it("has all of them before it succeeds", async () => {
    const { host, videos, folder, submit } = await useKeeping();
    host.files((origin) => ({
      video_url: `${origin}/files/0.mp4?expires=4102444800`,
      watermark_video_url: `${origin}/files/marked`,
      last_frame_url: `${origin}/files/last.jpg`,
    }));
    host.allow(1_000);
    const seen = lastValueFrom(videos.watch$(await submit()).pipe(toArray()));
    await expect.poll(() => host.asked.length).toBe(1);
    await expect.poll(async () => (await videos.get("order-1"))?.keeping).toBeDefined();
    const meanwhile = await videos.get("order-1");
    expect(meanwhile).toMatchObject({
      status: "queued",
      keeping: { failedAttempts: 0, expiresAt: 4_102_444_800_000, task: { status: "succeeded" } },
    });
    expect(meanwhile?.files).toBeUndefined();
    host.allow(BYTES.length);
    const records = await seen;
    const last = records.at(-1);
    const about = { contentType: "video/mp4", length: BYTES.length, sha256: host.sha256, origin: "task-1" };
    expect(last).toMatchObject({ status: "succeeded", task: { status: "succeeded" } });
    expect(last?.files).toEqual([
      { ...about, kind: "video", index: 0, key: "default/order-1/0.mp4" },
      { ...about, kind: "watermarked", index: 0, key: "default/order-1/0-watermarked.mp4" },
      { ...about, kind: "last_frame", index: 0, key: "default/order-1/last-frame.jpg" },
    ]);
    expect(last).not.toHaveProperty("keeping");
    expect(last).not.toHaveProperty("problem");
    expect(records.filter(({ status }) => status === "succeeded")).toHaveLength(1);
    for (const { key } of last?.files ?? []) {
      expect(Buffer.from(BYTES).equals(await readFile(folder.pathOf(key)))).toBe(true);
    }
    expect(host.created()).toBe(1);
  });

  it("is tried again while its server fails, and goes on where it was", async () => {
    const { host, videos, submit, over, troubles, warned } = await useKeeping();
    host.answerWith((_request, response) => response.writeHead(503).end());
    await submit();
    await expect.poll(troubles).toContain("The files of 1 videos that are done cannot be kept");
    await expect.poll(async () => (await videos.get("order-1"))?.keeping?.failedAttempts).toBeGreaterThan(2);
    expect(await videos.get("order-1")).toMatchObject({
      status: "queued",
      keeping: { problem: { kind: "server" }, nextAttemptAt: expect.any(Number) },
    });
    expect(warned.mock.calls.filter(([line]) => String(line).includes("order-1"))).toHaveLength(1);
    host.answerWith((_request, response) => {
      response.writeHead(200, { "content-length": BYTES.length, "content-type": "video/mp4", etag: '"1"' });
      response.write(BYTES.subarray(0, 120_000), () => {
        host.answerWith(undefined);
        response.destroy();
      });
    });
    const { status, files } = await over();
    expect([status, files?.[0]?.sha256]).toEqual(["succeeded", host.sha256]);
    expect(host.asked.at(-1)?.range).toBeDefined();
    expect(await troubles()).toBe("");
    expect(host.created()).toBe(1);
  });

  it.each(["text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml"])(
    "is tried again while a proxy sends a page in its place, as %s",
    async (type) => {
      const { host, submit, over, troubles } = await useKeeping();
      host.answerWith((_request, response) =>
        response.writeHead(200, { "content-type": type }).end("<html>The upstream server is away.</html>"),
      );
      await submit();
      await expect.poll(troubles).toContain("there was a page");
      host.answerWith(undefined);
      expect(await over()).toMatchObject({ status: "succeeded", files: [{ sha256: host.sha256 }] });
      expect(host.created()).toBe(1);
    },
  );

  it("is tried again while the store of the files fails", async () => {
    let full = true;
    const directory = await mkdtemp(join(tmpdir(), "kept-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const folder = new FolderFileStore({ directory });
    class FullStore extends FileStore {
      async keep(...args: Parameters<FileStore["keep"]>) {
        if (full) throw new Error("ENOSPC: no space left on device");
        return folder.keep(...args);
      }
      find = (key: string) => folder.find(key);
      read = (key: string) => folder.read(key);
      remove = (key: string) => folder.remove(key);
    }
    const { submit, over, troubles, host } = await useKeeping({ store: new FullStore(), goneAfterMs: 1 });
    await submit();
    await expect.poll(troubles).toContain("cannot be kept");
    expect(host.asked).toHaveLength(0);
    full = false;
    expect(await over()).toMatchObject({ status: "succeeded", files: [{ sha256: host.sha256 }] });
  });

  it("outlives its address where it has arrived, while a bucket that does not take it is mended", async () => {
    const server = await useS3Server();
    const spoolDirectory = await mkdtemp(join(tmpdir(), "spool-"));
    onTestFinished(() => rm(spoolDirectory, { recursive: true, force: true }));
    const bucket = new S3FileStore({ ...server.options, spoolDirectory });
    const { host, videos, submit, over, troubles } = await useKeeping({ store: bucket, goneAfterMs: 1 });
    // Dead as far as its signature tells, and refused from the second time on.
    host.files((origin) => ({ video_url: `${origin}/files/0.mp4?expires=1700000000` }));
    server.intrudeWith((request, response) => {
      if (request.method !== "PUT") return undefined;
      host.answerWith((_request, gone) => gone.writeHead(403).end());
      request.resume();
      response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
      return "answered";
    });
    await submit();
    await expect.poll(async () => (await videos.get("order-1"))?.keeping?.failedAttempts).toBeGreaterThan(3);
    const told = await troubles();
    expect(told).toContain("The files of 1 videos that are done cannot be kept, the first since ");
    expect(told).toMatch(
      /The reason: .*403 AccessDenied: these credentials may not do that\. They need s3:GetObject/,
    );
    expect(told).toContain("has arrived and is safe in ");
    server.intrudeWith(undefined);
    expect(await over()).toMatchObject({ status: "succeeded", files: [{ sha256: host.sha256 }] });
    expect(host.asked).toHaveLength(1);
    expect(server.objects.get("default/order-1/0.mp4")?.bytes.equals(Buffer.from(BYTES))).toBe(true);
  });

  it("is not gone while another process has it, whose bucket does not take it", async () => {
    const server = await useS3Server();
    const spools = await Promise.all(["one-", "other-"].map((name) => mkdtemp(join(tmpdir(), name))));
    onTestFinished(async () => {
      for (const spool of spools) await rm(spool, { recursive: true, force: true });
    });
    const [one, other] = spools.map(
      (spoolDirectory) => new S3FileStore({ ...server.options, spoolDirectory }),
    );
    let turns = 0;
    class Fleet extends FileStore {
      /** The first attempt is of one process, the next ones of another, and in the end it is the first one's turn again. */
      keep(...args: Parameters<FileStore["keep"]>) {
        turns += 1;
        const store = turns === 1 || turns > 4 ? one : other;
        return store?.keep(...args) ?? expect.unreachable();
      }
      find = async () => undefined;
      read = async () => undefined;
      remove = async () => {};
    }
    const { host, submit, over, videos } = await useKeeping({ store: new Fleet(), goneAfterMs: 1 });
    server.intrudeWith((request, response) => {
      if (request.method !== "PUT") return undefined;
      host.answerWith((_request, gone) => gone.writeHead(403).end());
      server.intrudeWith(undefined);
      request.resume();
      response.writeHead(500).end();
      return "answered";
    });
    await submit();
    expect(await over()).toMatchObject({ status: "succeeded", files: [{ sha256: host.sha256 }] });
    expect([turns, host.asked.length]).toEqual([5, 4]);
    expect(await videos.get("order-1")).not.toHaveProperty("keeping");
  });

  it("is handed to its handlers when its files are kept, with what they are", async () => {
    const { host, submit, videos, over } = await useKeeping();
    host.answerWith((_request, response) => response.writeHead(503).end());
    await submit();
    await expect.poll(async () => (await videos.get("order-1"))?.keeping?.failedAttempts).toBeGreaterThan(1);
    expect(shipped).toEqual([]);
    host.answerWith(undefined);
    await over();
    await expect.poll(async () => (await videos.get("order-1"))?.deliveries?.[0]?.state).toBe("delivered");
    const files = [{ key: "default/order-1/0.mp4", length: BYTES.length, sha256: host.sha256 }];
    expect(shipped).toMatchObject([{ isThere: true, record: { status: "succeeded", files } }]);
    // What is delivered takes nothing of it away.
    expect((await videos.get("order-1"))?.files).toMatchObject(files);
  });

  it("succeeds with a problem when its address is dead, and keeps what there is", async () => {
    const { host, submit, over, troubles, failed } = await useKeeping({ goneAfterMs: 60_000 });
    host.files((origin) => ({
      video_url: `${origin}/files/0.mp4`,
      last_frame_url: `${origin}/files/gone.png?expires=1700000000`,
    }));
    host.answerWith((request, response) => {
      if (request.url?.includes("gone")) response.writeHead(403).end();
      else response.writeHead(200, { "content-length": BYTES.length }).end(BYTES);
    });
    await submit();
    const record = await over();
    expect(record).toMatchObject({
      status: "succeeded",
      problem: { kind: "permission_denied", message: expect.stringContaining("is not kept, and cannot be") },
    });
    expect(record.files?.map(({ kind }) => kind)).toEqual(["video"]);
    expect(failed.mock.calls.flat().join()).toContain("Video order-1: A file of it is not kept");
    expect(await troubles()).toBe("");
  });

  it.each([404, 410])("is gone when its server says %d for too long", async (status) => {
    const goneAfterMs = 200;
    const { host, submit, over } = await useKeeping({ goneAfterMs });
    host.answerWith((_request, response) => response.writeHead(status).end());
    await submit();
    const record = await over();
    expect(record).toMatchObject({
      status: "succeeded",
      files: [],
      problem: { message: expect.stringContaining("gone") },
    });
    expect(record.updatedAt).toBeGreaterThan(record.createdAt + goneAfterMs);
  });

  it("is not given up while a refused address may still live", async () => {
    const { host, videos, submit, over } = await useKeeping({ goneAfterMs: 1 });
    host.files((origin) => ({ video_url: `${origin}/files/0.mp4?expires=4102444800` }));
    host.answerWith((_request, response) => response.writeHead(404).end());
    await submit();
    await expect.poll(async () => (await videos.get("order-1"))?.keeping?.failedAttempts).toBeGreaterThan(5);
    host.answerWith(undefined);
    expect(await over()).toMatchObject({ status: "succeeded", files: [{ sha256: host.sha256 }] });
  });

  it("is asked of the gateway again when its addresses are dead, which may have signed others", async () => {
    const { host, submit, over } = await useKeeping();
    host.answerWith((request, response) => {
      host.files((origin) => ({ video_url: `${origin}/files/0.mp4?signature=new` }));
      host.answerWith(undefined);
      request.resume();
      response.writeHead(410).end();
    });
    await submit();
    const record = await over();
    expect(record.files).toMatchObject([{ sha256: host.sha256 }]);
    expect(record.task?.videos[0]?.url).toContain("signature=new");
    expect(host.asked.map(({ path }) => path)).toEqual(["/files/0.mp4", "/files/0.mp4?signature=new"]);
  });

  it("is gone in the end, however often the gateway signs anew", async () => {
    const { host, submit, over } = await useKeeping({ goneAfterMs: 1 });
    let signed = 0;
    host.files((origin) => ({ video_url: `${origin}/files/0.mp4?signature=${++signed}` }));
    host.answerWith((_request, response) => response.writeHead(410).end());
    await submit();
    expect(await over()).toMatchObject({
      status: "succeeded",
      files: [],
      problem: { kind: expect.any(String) },
    });
    expect(host.asked.length).toBeGreaterThan(5);
    expect(new Set(host.asked.map(({ path }) => path)).size).toBe(host.asked.length);
  });

  it("is gone when its address may not be asked", async () => {
    const { host, submit, over } = await useKeeping();
    host.files(() => ({ video_url: "http://10.1.2.3/0.mp4" }));
    await submit();
    expect(await over()).toMatchObject({ files: [], problem: { kind: "invalid_request" } });
  });

  it("is told of before its address dies", async () => {
    const { host, submit, troubles, over } = await useKeeping();
    const expires = Math.floor(Date.now() / 1_000) + 300;
    host.files((origin) => ({ video_url: `${origin}/files/0.mp4?expires=${expires}` }));
    host.allow(1_000);
    await submit();
    const at = new Date(expires * 1_000).toISOString();
    await expect
      .poll(troubles)
      .toBe(`The addresses of 1 videos that are not kept yet die soon, the first at ${at}.`);
    host.allow(BYTES.length);
    await over();
    expect(await troubles()).toBe("");
  });

  it("waits for its turn, with no more downloads at once than are allowed", async () => {
    const { host, submit, over } = await useKeeping({ concurrency: 2 });
    host.allow(1_000);
    const keys = await Promise.all(["a", "b", "c", "d", "e"].map(submit));
    await expect.poll(() => host.polled()).toBe(5);
    expect(host.asked.length).toBeLessThanOrEqual(2);
    await expect.poll(() => host.asked.length).toBe(2);
    host.allow(BYTES.length);
    const records = await Promise.all(keys.map(over));
    expect(records.map(({ files }) => files?.[0]?.sha256)).toEqual(keys.map(() => host.sha256));
  });

  it("does not succeed by being reconciled before", async () => {
    const { host, videos, submit, over } = await useKeeping();
    host.allow(1_000);
    await submit();
    await expect.poll(() => host.asked.length).toBe(1);
    await videos.cancelWatch("order-1");
    const reconciled = await videos.reconcile("order-1");
    expect(reconciled).toMatchObject({ status: "running", task: { videos: [] } });
    host.allow(BYTES.length);
    expect(await over()).toMatchObject({ status: "succeeded", files: [{ sha256: host.sha256 }] });
  });

  it("holds up no close", async () => {
    const { app, host, videos, submit } = await useKeeping();
    host.allow(1_000);
    await submit();
    await expect.poll(() => host.asked.length).toBe(1);
    await app.close();
    expect((await videos.get("order-1"))?.status).toBe("queued");
  });
});

describe("a video whose polls a store schedules", () => {
  it("is kept by one turn, and by a later one after a turn that failed", async () => {
    const store = new SchedulingStore();
    const { host, submit } = await useKeeping({}, store);
    await submit();
    host.answerWith((_request, response) => response.writeHead(503).end());
    const failed = await store.pollOnce("order-1");
    expect(failed).toMatchObject({ failedPolls: 0, nextPollMs: expect.any(Number) });
    expect(await store.get("order-1")).toMatchObject({ status: "queued", keeping: { failedAttempts: 1 } });
    host.answerWith(undefined);
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 0 });
    expect(await store.get("order-1")).toMatchObject({
      status: "succeeded",
      files: [{ sha256: host.sha256 }],
    });
    // Its addresses were in the record: nobody asked for them again.
    expect(host.polled()).toBe(1);
  });

  it("is left for a day to the process that it has arrived at, and then gone", async () => {
    const store = new SchedulingStore();
    const { host, submit } = await useKeeping({ goneAfterMs: 1 }, store);
    await submit();
    host.answerWith((_request, response) => response.writeHead(503).end());
    await store.pollOnce("order-1");
    host.answerWith((_request, response) => response.writeHead(403).end());
    const keeping = (await store.get("order-1"))?.keeping ?? expect.unreachable();
    const hour = 3_600_000;
    await store.keep("order-1", { ...keeping, arrived: true, since: Date.now() - 23 * hour });
    expect(await store.pollOnce("order-1")).toMatchObject({ nextPollMs: expect.any(Number) });
    await store.keep("order-1", { ...keeping, arrived: true, since: Date.now() - 25 * hour });
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 0 });
    expect(await store.get("order-1")).toMatchObject({ files: [], problem: { kind: "permission_denied" } });
  });

  it("gives its turn back while there is no place, and at an abort", async () => {
    const store = new SchedulingStore();
    const { host, submit } = await useKeeping({ concurrency: 1 }, store);
    host.allow(1_000);
    await submit("a");
    await submit("b");
    const stop = new AbortController();
    const first = store.pollOnce("a", { signal: stop.signal });
    await expect.poll(() => host.asked.length).toBe(1);
    expect(await store.pollOnce("b")).toEqual({ failedPolls: 0, nextPollMs: 1_000 });
    expect(await store.get("b")).toMatchObject({ status: "queued", keeping: { failedAttempts: 0 } });
    stop.abort();
    expect(await first).toEqual({ failedPolls: 0, nextPollMs: 0 });
    expect(await store.get("a")).toMatchObject({ status: "queued", keeping: { failedAttempts: 0 } });
    host.allow(BYTES.length);
    expect(await store.pollOnce("b")).toEqual({ failedPolls: 0 });
  });
});
