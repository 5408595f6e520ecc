import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { errorOf, gatewayFor } from "../../test/gateways.js";
import { startServer } from "../../test/scripted-server.js";
import { StreamInterruptedError } from "../index.js";
import { type SaveProgress, saveDownload } from "../node.js";
import type { Download } from "./download.js";

const BYTES = new Uint8Array(500_000).map((_, index) => index % 251);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "model-gateway-save-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

describe("saveDownload", () => {
  it("writes the whole file and tells of its progress", async () => {
    const server = await startServer((_request, response) =>
      response.writeHead(200, { "content-length": BYTES.length }).end(BYTES),
    );
    const directory = await folder();
    const progress: SaveProgress[] = [];
    const file = await gatewayFor(server.url).download(`${server.origin}/1.mp4`);
    const written = await saveDownload(file, join(directory, "1.mp4"), {
      onProgress: (seen) => progress.push(seen),
    });
    expect(written).toBe(BYTES.length);
    expect((await readFile(join(directory, "1.mp4"))).equals(BYTES)).toBe(true);
    expect(progress.at(-1)).toEqual({ received: BYTES.length, total: BYTES.length });
    expect(await readdir(directory)).toEqual(["1.mp4"]);
  });

  it("leaves nothing behind when the download breaks off before its file is open", async () => {
    const directory = await folder();
    const saves = Array.from({ length: 100 }, (_, index) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.error(new Error("cut")),
      });
      const download = { contentType: "video/mp4", contentLength: undefined, body } as unknown as Download;
      return errorOf(saveDownload(download, join(directory, String(index))));
    });
    for (const error of await Promise.all(saves)) expect(error).toMatchObject({ message: "cut" });
    expect(await readdir(directory)).toEqual([]);
  });

  it("leaves nothing behind when the download breaks off or is aborted", async () => {
    const server = await startServer(({ path }, response) => {
      response.writeHead(200, { "content-length": 1_000_000 });
      response.write(BYTES, () => path === "/broken" && response.destroy());
    });
    const directory = await folder();
    const gateway = gatewayFor(server.url);
    const broken = saveDownload(await gateway.download(`${server.origin}/broken`), join(directory, "a"));
    expect(await errorOf(broken)).toBeInstanceOf(StreamInterruptedError);
    const controller = new AbortController();
    const aborted = saveDownload(await gateway.download(`${server.origin}/slow`), join(directory, "b"), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(await errorOf(aborted)).toMatchObject({ name: "AbortError" });
    expect(await readdir(directory)).toEqual([]);
  });

  it("needs nobody to watch, and ends when who does throws: neither file nor connection is kept", async () => {
    const directory = await folder();
    const cancelled = vi.fn();
    const fileOf = (close: boolean): Download => ({
      contentType: "video/mp4",
      bytes: async () => BYTES,
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(BYTES);
          if (close) controller.close();
        },
        cancel: cancelled,
      }),
    });
    expect(await saveDownload(fileOf(true), join(directory, "a"))).toBe(BYTES.length);
    const reason = new Error("the disk is nearly full");
    const onProgress = () => {
      throw reason;
    };
    expect(await errorOf(saveDownload(fileOf(false), join(directory, "b"), { onProgress }))).toBe(reason);
    expect(await readdir(directory)).toEqual(["a"]);
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  it("fails with what kept it from writing, and with nothing that came of it", async () => {
    const server = await startServer((_request, response) => response.end(BYTES));
    const file = await gatewayFor(server.url).download(`${server.origin}/1.mp4`);
    const saved = saveDownload(file, join(await folder(), "missing", "a"));
    expect(await errorOf(saved)).toMatchObject({ code: "ENOENT", syscall: "open" });
  });
});
