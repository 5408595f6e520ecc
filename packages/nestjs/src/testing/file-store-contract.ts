import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Download, DownloadResume } from "@model-gateway/core";
import type { FileStore } from "../files/file-store.js";
import type { StoreContractCase } from "./video-task-store-contract.js";

const BYTES = Uint8Array.from({ length: 2_500_000 }, (_, index) => (index * 7) % 251);
const OTHER = new TextEncoder().encode("another file");
const PIECE = 65_536;

/** A server's file, as `gateway.download` gives it. */
interface Served {
  bytes?: Uint8Array;
  version?: string;
  /** Whether the server goes on where it is asked to. Default true. */
  ranges?: boolean;
  /** Whether it tells the length. Default true. */
  tells?: boolean;
  /** Fails instead of sending what comes after so many bytes of the file. */
  breaksAt?: number;
}

/**
 * What is relied on of each store that files are to be kept in.
 *
 * @param createStore makes a new, empty store
 * @example
 * for (const { title, run } of fileStoreContract(() => new MyFileStore())) it(title, run);
 */
export function fileStoreContract(createStore: () => FileStore | Promise<FileStore>): StoreContractCase[] {
  const withStore = (title: string, run: (store: FileStore) => Promise<void>): StoreContractCase => ({
    title,
    async run() {
      await run(await createStore());
    },
  });

  return [
    withStore("keeps a file whole, with its length and its SHA-256", async (store) => {
      const kept = await store.keep(source(), "default/order-7/0.mp4", { origin: "task-1" });
      assert.deepEqual(kept, {
        key: "default/order-7/0.mp4",
        contentType: "video/mp4",
        length: BYTES.length,
        sha256: sha256(BYTES),
        origin: "task-1",
      });
      assert.deepEqual(await store.find(kept.key), kept);
      assert.equal(await contentOf(store, kept.key), sha256(BYTES));
    }),
    withStore("keeps a download that is given, of no origin", async (store) => {
      const kept = await store.keep(download({ bytes: OTHER }), "speech.mp3");
      assert.equal(kept.length, OTHER.length);
      assert.equal("origin" in kept, false);
      assert.equal(await contentOf(store, "speech.mp3"), sha256(OTHER));
      await store.keep(download(), "speech.mp3");
      assert.equal(await contentOf(store, "speech.mp3"), sha256(BYTES));
    }),
    withStore("keeps an empty file, and one of unknown length", async (store) => {
      const empty = await store.keep(source({ bytes: new Uint8Array(0) }), "empty", { origin: "t" });
      assert.deepEqual([empty.length, empty.sha256], [0, sha256(new Uint8Array(0))]);
      assert.equal(await contentOf(store, "empty"), sha256(new Uint8Array(0)));
      const untold = await store.keep(source({ tells: false }), "untold", { origin: "t" });
      assert.equal(untold.sha256, sha256(BYTES));
    }),
    withStore("has nothing under a key that nothing was kept under", async (store) => {
      assert.equal(await store.find("default/none"), undefined);
      assert.equal(await store.read("default/none"), undefined);
      await store.remove("default/none");
    }),
    withStore("asks for a file of the same origin no more", async (store) => {
      const kept = await store.keep(source(), "a/0", { origin: "task-1" });
      const again = await store.keep(async () => assert.fail("It was asked for again."), "a/0", {
        origin: "task-1",
      });
      assert.deepEqual(again, kept);
    }),
    withStore("keeps two at once under one key one after the other", async (store) => {
      let downloads = 0;
      const counted = async () => {
        downloads += 1;
        return download();
      };
      const same = { origin: "task-1" };
      const [one, other] = await Promise.all([
        store.keep(counted, "a/0", same),
        store.keep(counted, "a/0", same),
      ]);
      assert.deepEqual([one, downloads], [other, 1]);
      await Promise.all([
        store.keep(source(), "a/1", { origin: "task-1" }),
        store.keep(source({ bytes: OTHER }), "a/1", { origin: "task-2" }),
      ]);
      assert.equal((await store.find("a/1"))?.sha256, sha256(OTHER));
      assert.equal(await contentOf(store, "a/1"), sha256(OTHER));
      const [failed, kept] = await Promise.allSettled([
        store.keep(source({ breaksAt: 100 }), "a/2", same),
        store.keep(source(), "a/2", same),
      ]);
      assert.deepEqual([failed.status, kept.status], ["rejected", "fulfilled"]);
    }),
    withStore("replaces a file of another origin", async (store) => {
      await store.keep(source(), "a/0", { origin: "task-1" });
      const kept = await store.keep(source({ bytes: OTHER }), "a/0", { origin: "täsk/2" });
      assert.deepEqual([kept.origin, kept.sha256], ["täsk/2", sha256(OTHER)]);
      assert.deepEqual(await store.find("a/0"), kept);
      assert.equal(await contentOf(store, "a/0"), sha256(OTHER));
    }),
    withStore("removes a file", async (store) => {
      await store.keep(source(), "a/0", { origin: "task-1" });
      await store.keep(source({ bytes: OTHER }), "a/1", { origin: "task-1" });
      await store.remove("a/0");
      assert.equal(await store.find("a/0"), undefined);
      assert.equal(await store.read("a/0"), undefined);
      assert.equal(await contentOf(store, "a/1"), sha256(OTHER));
    }),
    withStore("shows nothing of a file that breaks off, and goes on with it", async (store) => {
      await broken(store, { breaksAt: 2_000_000 });
      const asked: Array<DownloadResume | undefined> = [];
      const kept = await store.keep(source({}, asked), "a/0", { origin: "task-1" });
      assert.deepEqual(asked, [{ from: 2_000_000, version: '"1"' }]);
      assert.equal(kept.sha256, sha256(BYTES));
      assert.equal(await contentOf(store, "a/0"), sha256(BYTES));
    }),
    withStore("begins anew when the server does not go on", async (store) => {
      await broken(store, { breaksAt: 2_000_000 });
      const kept = await store.keep(source({ ranges: false }), "a/0", { origin: "task-1" });
      assert.equal(kept.sha256, sha256(BYTES));
      assert.equal(await contentOf(store, "a/0"), sha256(BYTES));
    }),
    withStore("begins anew when the file is another one by now, whatever the server sends", async (store) => {
      const bytes = BYTES.map((byte) => 255 - byte);
      await broken(store, { breaksAt: 2_000_000 });
      const kept = await store.keep(source({ bytes, version: '"2"' }), "a/0", { origin: "task-1" });
      assert.equal(kept.sha256, sha256(bytes));
      assert.equal(await contentOf(store, "a/0"), sha256(bytes));
    }),
    withStore("begins anew when the length is another one by now", async (store) => {
      const bytes = BYTES.subarray(0, 2_400_000).map((byte) => 255 - byte);
      await broken(store, { breaksAt: 2_000_000, version: "" });
      const kept = await store.keep(source({ bytes, version: "" }), "a/0", { origin: "task-1" });
      assert.equal(kept.sha256, sha256(bytes));
    }),
    withStore("goes on with nothing that neither a version nor a length tells apart", async (store) => {
      await broken(store, { breaksAt: 2_000_000, version: "", tells: false });
      const asked: Array<DownloadResume | undefined> = [];
      await store.keep(source({}, asked), "a/0", { origin: "task-1" });
      assert.deepEqual(asked, [undefined]);
    }),
    withStore("does not go on with a file of another origin", async (store) => {
      await broken(store, { breaksAt: 2_000_000 });
      const asked: Array<DownloadResume | undefined> = [];
      const kept = await store.keep(source({ bytes: OTHER }, asked), "a/0", { origin: "task-2" });
      assert.deepEqual(asked, [undefined]);
      assert.equal(kept.sha256, sha256(OTHER));
    }),
    withStore("keeps what is there until the next one is whole", async (store) => {
      await store.keep(source({ bytes: OTHER }), "a/0", { origin: "task-0" });
      await assert.rejects(
        store.keep(source({ breaksAt: 2_000_000 }), "a/0", { origin: "task-1" }),
        /broke off/,
      );
      assert.equal((await store.find("a/0"))?.origin, "task-0");
      assert.equal(await contentOf(store, "a/0"), sha256(OTHER));
    }),
    withStore("refuses a file that is shorter than was announced", async (store) => {
      const short = async () => ({ ...download({ bytes: OTHER }), contentLength: OTHER.length + 1 });
      await assert.rejects(store.keep(short, "a/0", { origin: "task-1" }), /announced/);
      assert.equal(await store.find("a/0"), undefined);
    }),
    withStore("stops when it is told to", async (store) => {
      const stop = new AbortController();
      let cancelled = false;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(OTHER),
        pull: () => stop.abort(new Error("left")),
        cancel: () => {
          cancelled = true;
        },
      });
      const endless = async () => ({ ...download(), body });
      await assert.rejects(store.keep(endless, "a/0", { origin: "t", signal: stop.signal }), /left/);
      assert.equal(cancelled, true);
      assert.equal(await store.find("a/0"), undefined);
    }),
    withStore("refuses keys that lead elsewhere", async (store) => {
      for (const key of [
        "",
        "..",
        "../a",
        "a/../b",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a.",
        "a\\b",
        "a b",
        "ä",
        "a\0",
      ]) {
        await assert.rejects(store.keep(source(), key), /key/, key);
      }
    }),
  ];
}

async function broken(store: FileStore, served: Served): Promise<void> {
  await assert.rejects(store.keep(source(served), "a/0", { origin: "task-1" }), /broke off/);
  assert.equal(await store.find("a/0"), undefined);
  assert.equal(await store.read("a/0"), undefined);
}

function source(served: Served = {}, asked: Array<DownloadResume | undefined> = []) {
  return async (resume?: DownloadResume) => {
    asked.push(resume);
    return download(served, resume);
  };
}

function download(
  {
    bytes = BYTES,
    version = '"1"',
    ranges = true,
    tells = true,
    breaksAt = Number.POSITIVE_INFINITY,
  }: Served = {},
  resume?: DownloadResume,
): Download {
  const offset = ranges ? (resume?.from ?? 0) : 0;
  let position = offset;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (position >= breaksAt) controller.error(new Error("The connection broke off."));
      else if (position >= bytes.length) controller.close();
      else {
        const end = Math.min(position + PIECE, breaksAt, bytes.length);
        controller.enqueue(bytes.slice(position, end));
        position = end;
      }
    },
  });
  return {
    contentType: "video/mp4",
    ...(tells && { contentLength: bytes.length - offset }),
    ...(offset > 0 && { offset }),
    ...(version !== "" && { version }),
    body,
    bytes: async () => bytes.slice(offset),
  };
}

async function contentOf(store: FileStore, key: string): Promise<string> {
  const hash = createHash("sha256");
  const stream = await store.read(key);
  assert.ok(stream, `There is no file under ${key}.`);
  for await (const chunk of stream) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
