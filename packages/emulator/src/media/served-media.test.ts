import { describe, expect, it } from "vitest";
import { dataURL, smallPng } from "../testing/small-png.js";
import { startEmulator } from "../testing/start-emulator.js";
import type { FlatTaskBody } from "../videos/flat-task-body.js";

describe("served media", () => {
  async function finishedTask() {
    const { emulator, post } = await startEmulator();
    await post("/videos", {
      model: "local-video-2.0",
      content: [{ type: "text", text: "a cat on a boat" }],
      duration: 4,
      resolution: "480p",
      return_last_frame: true,
      generate_audio: false,
    });
    await emulator.clock.advance(60_000);
    return (emulator.videos.list() as [FlatTaskBody])[0];
  }

  it("are an MP4 that can be read in parts, and its last frame as PNG", async () => {
    const task = await finishedTask();
    const url = task.output?.video_url ?? "";
    const whole = new Uint8Array(await (await fetch(url)).arrayBuffer());
    expect(Buffer.from(whole.subarray(4, 8)).toString()).toBe("ftyp");

    const part = await fetch(url, { headers: { range: "bytes=4-7" } });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes 4-7/${whole.length}`);
    expect(await part.text()).toBe("ftyp");

    const head = await fetch(url, { method: "HEAD" });
    expect(head.headers.get("content-type")).toBe("video/mp4");
    expect(head.headers.get("content-length")).toBe(String(whole.length));

    const beyond = await fetch(url, { headers: { range: `bytes=${whole.length}-` } });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get("content-range")).toBe(`bytes */${whole.length}`);

    const frame = Buffer.from(await (await fetch(task.last_frame_url ?? "")).arrayBuffer());
    expect(frame.toString("latin1", 1, 4)).toBe("PNG");
    expect([frame.readUInt32BE(16), frame.readUInt32BE(20)]).toEqual([864, 496]);
  }, 30_000);

  it("are rendered once for all who ask", async () => {
    const task = await finishedTask();
    const url = task.output?.video_url ?? "";
    const copies = await Promise.all(
      Array.from({ length: 3 }, async () => Buffer.from(await (await fetch(url)).arrayBuffer())),
    );
    expect(copies[0]?.length).toBeGreaterThan(1_000);
    expect(copies.every((copy) => copy.equals(copies[0] ?? Buffer.alloc(0)))).toBe(true);
  }, 30_000);

  it("begin with the picture that was given", async () => {
    const { emulator, post } = await startEmulator();
    for (const colour of [
      [250, 0, 0],
      [0, 0, 250],
    ]) {
      const image = dataURL(smallPng(640, 360, colour));
      await post("/videos/image2video", { model_name: "local-image2video", prompt: "rain", image });
    }
    await emulator.clock.advance(60_000);
    const files = await Promise.all(
      emulator.videos.list().map(async (video) => {
        const url = "data" in video ? video.data.task_result.videos?.[0]?.url : undefined;
        return Buffer.from(await (await fetch(url ?? "")).arrayBuffer());
      }),
    );
    expect(files.map((file) => file.toString("latin1", 4, 8))).toEqual(["ftyp", "ftyp"]);
    expect(files[0]?.equals(files[1] ?? Buffer.alloc(0))).toBe(false);
  }, 60_000);
});
