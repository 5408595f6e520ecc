import { describe, expect, it } from "vitest";
import { errorOf, startEmulator } from "../testing/start-emulator.js";
import type { FlatTaskBody } from "../videos/flat-task-body.js";
import { fileResponse } from "./file-response.js";
import { MediaRendererLease } from "./media-renderer-lease.js";
import { readImageSize } from "./read-image-size.js";

async function finishedTask() {
  const started = await startEmulator();
  const { emulator, post } = started;
  await post("/videos", {
    model: "local-video-2.0",
    content: [{ type: "text", text: "a cat" }],
    duration: 4,
  });
  await emulator.clock.advance(60_000);
  const [task] = emulator.videos.list() as [FlatTaskBody];
  return { ...started, url: new URL(task.output?.video_url ?? "") };
}

describe("result files", () => {
  it("need a signature that fits", async () => {
    const { url } = await finishedTask();
    url.searchParams.set("expires", "9999999999");
    expect(await errorOf(await fetch(url))).toMatchObject({ status: 403, code: "invalid_signature" });
    url.search = "";
    expect((await fetch(url)).status).toBe(403);
  });

  it("expire a day after the task has ended", async () => {
    const { emulator, url } = await finishedTask();
    await emulator.clock.advance(86_400_000);
    expect(await errorOf(await fetch(url))).toMatchObject({ status: 403, code: "url_expired" });
  });

  it("say how to add the media package when it is missing", async () => {
    const lease = new MediaRendererLease("@model-gateway/not-installed");
    await expect(lease.require("renderVideo", "This video")).rejects.toMatchObject({
      status: 501,
      code: "media_unavailable",
      message: expect.stringContaining("npm install --save-dev @model-gateway/not-installed"),
    });
    await lease.release();
  });
});

describe("a file response", () => {
  const file = { bytes: new TextEncoder().encode("0123456789"), mediaType: "video/mp4" };
  const read = (range?: string) =>
    fileResponse(new Request("http://localhost/", { headers: range === undefined ? {} : { range } }), file);

  it("is whole without a range", async () => {
    const response = read();
    expect(response.status).toBe(200);
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(response.headers.get("content-length")).toBe("10");
    expect(await response.text()).toBe("0123456789");
  });

  it.each([
    ["bytes=0-3", "bytes 0-3/10", "0123"],
    ["bytes=7-", "bytes 7-9/10", "789"],
    ["bytes=-2", "bytes 8-9/10", "89"],
    ["bytes=5-99", "bytes 5-9/10", "56789"],
    ["bytes=-99", "bytes 0-9/10", "0123456789"],
  ])("is part of the file for %s", async (range, contentRange, content) => {
    const response = read(range);
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(contentRange);
    expect(await response.text()).toBe(content);
  });

  it.each(["bytes=10-", "bytes=-0"])("is 416 for %s", (range) => {
    expect(() => read(range)).toThrowError(
      expect.objectContaining({ status: 416, headers: { "content-range": "bytes */10" } }),
    );
  });

  it.each(["bytes=3-1", "bytes=0-1,3-4", "items=0-1", "bytes=-"])("ignores %s", (range) => {
    expect(read(range).status).toBe(200);
  });
});

describe("an image's size", () => {
  const dataURL = (bytes: number[]) => `data:image/x;base64,${Buffer.from(bytes).toString("base64")}`;

  it.each([
    ["gif", [...Buffer.from("GIF89a"), 0x40, 0x01, 0xf0, 0x00], 320, 240],
    [
      "jpeg",
      [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0x01, 0xe0, 0x02, 0x80, 3, 0, 0, 0],
      640,
      480,
    ],
    ["webp", [...Buffer.from("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0"), 99, 0, 0, 49, 0, 0, 0], 100, 50],
  ])("is read from the header of a %s", (format, bytes, width, height) => {
    expect(readImageSize(dataURL(bytes))).toEqual({ format, width, height });
  });

  it("is unknown for anything else", () => {
    expect(readImageSize(dataURL([1, 2, 3]))).toBeUndefined();
    expect(readImageSize(dataURL([0xff, 0xd8, 0xff, 0xe0, 0, 0]))).toBeUndefined();
    expect(readImageSize("https://example.com/a.png")).toBeUndefined();
  });
});
