import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Provider } from "@nestjs/common";
import { lastValueFrom } from "rxjs";
import { describe, expect, it, onTestFinished } from "vitest";
import { BullMqVideoTaskStore } from "../../src/bullmq.js";
import {
  FolderFileStore,
  ModelGatewayModule,
  OnVideo,
  VideosService,
  type VideoTaskRecord,
} from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { useFileHost } from "../file-host.js";
import { VIDEO } from "../use-emulator.js";
import { describeEachBackend } from "./describe-each-backend.js";
import { startReplica } from "./start-replica.js";

const BYTES = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 17) % 241);
const POLLS = { intervalMs: 20, ratePerSecond: 200, backoff: { firstMs: 10, maxMs: 40, refusedMs: 40 } };
const KEYS = ["order-1", "order-2", "order-3"];
const LOCK_MS = 1_000;
const TENTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) => (tenth * BYTES.length) / 10);
/** At least so much of what has arrived outlives a process, in steps. */
const STEP = 2 ** 20;
/** Ten starts of an application, and as many locks that run out, one after the other. */
const TEN_STARTS_MS = 240_000;

describe("files of videos, on BullMQ", () => {
  describeEachBackend((freshQueue) => {
    async function useReplicas() {
      const directory = await mkdtemp(join(tmpdir(), "kept-bullmq-"));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const host = await useFileHost(BYTES);
      const folder = new FolderFileStore({ directory });
      const options = { ...freshQueue(), lockDurationMs: LOCK_MS };
      const boot = async (providers: Provider[] = []) => {
        const store = new BullMqVideoTaskStore(options);
        const module = ModelGatewayModule.forRoot({
          ...host.connection,
          videos: { ...POLLS, store, keep: { store: folder } },
        });
        const { app } = await bootApp([module], { providers });
        return { app, videos: app.get(VideosService) };
      };
      const isWhole = async (key: string) =>
        Buffer.from(BYTES).equals(await readFile(folder.pathOf(`default/${key}/0.mp4`)));
      return { host, boot, isWhole, directory, options };
    }

    it("are downloaded by one process, however many there are, and known to all", async () => {
      const { host, boot, isWhole } = await useReplicas();
      const [one, other] = [await boot(), await boot()];
      host.allow(1_000_000);
      await Promise.all(KEYS.map((key) => one.videos.submit(VIDEO, { key })));
      await expect.poll(() => host.asked.length, { timeout: 30_000 }).toBe(KEYS.length);
      const open = await other.videos.list({ finished: false });
      expect(open.map(({ status }) => status)).toEqual(["queued", "queued", "queued"]);
      const ends = KEYS.map((key) => lastValueFrom(other.videos.watch$(key)));
      host.allow(BYTES.length);
      for (const { status, files } of await Promise.all(ends)) {
        expect([status, files?.[0]?.sha256]).toEqual(["succeeded", host.sha256]);
      }
      expect(host.asked).toHaveLength(KEYS.length);
      for (const key of KEYS) expect(await isWhole(key)).toBe(true);
    });

    it("are there, and in the record, when a handler is called on any replica", async () => {
      const { host, boot, isWhole } = await useReplicas();
      const called: Array<[files: unknown, isWhole: boolean]> = [];
      class Shop {
        @OnVideo("succeeded")
        async ship({ key, files }: VideoTaskRecord) {
          called.push([files?.map(({ sha256 }) => sha256), await isWhole(key)]);
        }
      }
      host.allow(1_000_000);
      const [one] = [await boot([Shop]), await boot([Shop])];
      await one.videos.submit(VIDEO, { key: "order-1" });
      await expect.poll(() => host.asked.length, { timeout: 30_000 }).toBe(1);
      expect(called).toEqual([]);
      host.allow(BYTES.length);
      await expect
        .poll(async () => (await one.videos.get("order-1"))?.deliveries?.[0]?.state, { timeout: 30_000 })
        .toBe("delivered");
      expect(called).toEqual([[[host.sha256], true]]);
      expect((await one.videos.get("order-1"))?.files).toMatchObject([{ length: BYTES.length }]);
    });

    it("are gone on with by another process when one closes, and tried again when their server fails", async () => {
      const { host, boot, isWhole } = await useReplicas();
      const first = await boot();
      host.answerWith((_request, response) => response.writeHead(503).end());
      await first.videos.submit(VIDEO, { key: "order-1" });
      await expect
        .poll(async () => (await first.videos.get("order-1"))?.keeping?.failedAttempts, { timeout: 30_000 })
        .toBeGreaterThan(1);
      expect((await first.videos.troubles()).join()).toContain("cannot be kept");
      host.allow(2_000_000);
      host.answerWith(undefined);
      const before = host.asked.length;
      await expect.poll(() => host.asked.length, { timeout: 30_000 }).toBeGreaterThan(before);
      await first.app.close();
      const second = await boot();
      host.allow(BYTES.length);
      const { status, files } = await lastValueFrom(second.videos.watch$("order-1"));
      expect([status, files?.[0]?.sha256]).toEqual(["succeeded", host.sha256]);
      expect(await isWhole("order-1")).toBe(true);
      expect(await second.videos.troubles()).toEqual([]);
      expect(host.created()).toBe(1);
      expect(host.polled()).toBe(1);
    });

    it(
      "are whole when the process that has the job is killed at each tenth of a download",
      async () => {
        const { host, boot, isWhole, directory, options } = await useReplicas();
        const { backend, ...store } = options;
        const arrived = () =>
          stat(join(directory, "default/order-1/.0.mp4.part")).then(
            ({ size }) => size,
            () => -1,
          );
        for (const [tenth, bytes] of TENTHS.entries()) {
          host.allow(bytes);
          const replica = await startReplica({
            gateway: { ...host.connection, videos: POLLS },
            ...{ store, onPostgres: backend !== undefined, keepIn: directory },
            ...(tenth === 0 && { submit: { key: "order-1", body: VIDEO } }),
          });
          await expect.poll(() => host.asked.length, { timeout: 30_000 }).toBe(tenth + 1);
          await expect.poll(arrived, { timeout: 30_000 }).toBe(bytes);
          await replica.kill();
        }
        host.allow(BYTES.length);
        const { videos } = await boot();
        const { status, files } = await lastValueFrom(videos.watch$("order-1"));
        expect([status, files?.map(({ sha256, length }) => [sha256, length])]).toEqual([
          "succeeded",
          [[host.sha256, BYTES.length]],
        ]);
        expect(await isWhole("order-1")).toBe(true);
        expect([host.created(), host.polled()]).toEqual([1, 1]);
        const asked = host.asked.map(({ range }) => Number(/\d+/.exec(range ?? "")?.[0] ?? 0));
        expect(asked).toHaveLength(TENTHS.length + 1);
        asked.slice(1).forEach((from, index) => {
          expect(from).toBeLessThanOrEqual(TENTHS[index] ?? 0);
          expect(from).toBeGreaterThan((TENTHS[index] ?? 0) - STEP - 1);
        });
      },
      TEN_STARTS_MS,
    );
  });
});
