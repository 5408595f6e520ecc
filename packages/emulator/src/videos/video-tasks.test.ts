import { describe, expect, it } from "vitest";
import { errorOf, startEmulator } from "../testing/start-emulator.js";
import type { FlatTaskBody } from "./flat-task-body.js";

const TIMINGS = { queuedMs: 60_000, runningMs: 240_000 };

async function videos(prompt = "a cat", options: object = {}) {
  const started = await startEmulator({ videoTimings: TIMINGS });
  const { post, get } = started;
  const response = await post("/videos", {
    model: "local-video-2.0",
    content: [{ type: "text", text: prompt }],
    ...options,
  });
  const { id } = (await response.json()) as { id: string };
  const read = async () => (await (await get(`/videos/${id}`)).json()) as FlatTaskBody;
  return { ...started, id, read };
}

describe("a video task", () => {
  it("goes from queued through running to succeeded, with progress and a result", async () => {
    const { emulator, id, read } = await videos("a cat", {
      duration: 4,
      resolution: "480p",
      return_last_frame: true,
    });
    expect(await read()).toMatchObject({ id, model: "local-video-2.0", status: "queued", progress: 0 });

    await emulator.clock.advance(180_000);
    const running = await read();
    expect(running.status).toBe("running");
    expect(running.progress).toBeGreaterThanOrEqual(50);
    expect(running.progress).toBeLessThan(60);
    expect(running.output).toBeUndefined();

    await emulator.clock.advance(120_000);
    const done = await read();
    expect(done).toMatchObject({
      status: "succeeded",
      progress: 100,
      resolution: "480p",
      ratio: "16:9",
      duration: 4,
      output: { video_url: expect.stringContaining(`/files/${id}/video.mp4?expires=`) },
      last_frame_url: expect.stringContaining(`/files/${id}/last-frame.png?expires=`),
      // 864 x 496 pixels, 97 frames.
      usage: { completion_tokens: 40_594, total_tokens: 40_594 },
    });
    expect(done.updated_at - done.created_at).toBe(300);
    expect(done.error).toBeUndefined();
  });

  it("ends at its own time however far the clock jumps", async () => {
    const { emulator, read } = await videos();
    await emulator.clock.advance(365 * 86_400_000);
    const done = await read();
    expect(done.status).toBe("succeeded");
    expect(done.updated_at - done.created_at).toBe(300);
  });

  it("fails on [[fail]], with a message", async () => {
    const { emulator, read } = await videos("a cat [[fail]]");
    await emulator.clock.advance(300_000);
    expect(await read()).toMatchObject({
      status: "failed",
      error: { code: "video_generation_failed", message: expect.stringContaining("[[fail]]") },
    });
  });

  it("expires only when it takes longer than it may", async () => {
    const { emulator, read } = await videos("a cat [[stuck]]");
    await emulator.clock.advance(172_800_000 - 60_000);
    expect((await read()).status).toBe("running");
    await emulator.clock.advance(60_000);
    expect(await read()).toMatchObject({ status: "expired", error: { code: "task_expired" } });

    const short = await videos("a cat", { execution_expires_after: 120 });
    await short.emulator.clock.advance(3_600_000);
    const body = await short.read();
    expect(body.status).toBe("expired");
    expect(body.updated_at - body.created_at).toBe(120);
  });

  it("can be ended by hand, once", async () => {
    const { emulator, id, read } = await videos("a cat [[stuck]]");
    await emulator.videos.succeed(id);
    expect((await read()).status).toBe("succeeded");
    await expect(emulator.videos.fail(id)).rejects.toThrow("has ended as succeeded");
    await expect(emulator.videos.fail("task_0")).rejects.toThrow('no video task "task_0"');

    const other = await videos();
    await other.emulator.videos.fail(other.id, "out of film");
    await other.emulator.clock.advance(86_400_000);
    expect(await other.read()).toMatchObject({ status: "failed", error: { message: "out of film" } });
  });

  it("is 404 for an unknown id and for another key", async () => {
    const { emulator, get, id } = await videos();
    emulator.keys.add({ key: "sk-other", group: "default" });
    expect(await errorOf(await get("/videos/task_0"))).toMatchObject({ status: 404, code: "task_not_found" });
    expect((await get(`/videos/${id}`, "sk-other")).status).toBe(404);
    expect((await get(`/videos/${id}`)).status).toBe(200);
  });

  it("finishes by itself on the real clock", async () => {
    const { post, emulator, get } = await startEmulator({ videoTimings: { queuedMs: 1, runningMs: 1 } });
    const { id } = await (
      await post("/videos", { model: "local-video-2.0", content: [{ type: "text", text: "a" }] })
    ).json();
    await expect.poll(async () => (await (await get(`/videos/${id}`)).json()).status).toBe("succeeded");
    expect(emulator.videos.list()).toHaveLength(1);
  });

  it("takes its shape from the first frame when the ratio is adaptive", async () => {
    const header = Buffer.alloc(24);
    header.writeUInt32BE(0x89504e47, 0);
    header.writeUInt32BE(600, 16);
    header.writeUInt32BE(800, 20);
    const url = `data:image/png;base64,${header.toString("base64")}`;
    const { read } = await videos("a cat", {
      content: [
        { type: "text", text: "a cat" },
        { type: "image_url", image_url: { url } },
      ],
    });
    expect((await read()).ratio).toBe("3:4");
  });

  it("made as a draft can be made again in full", async () => {
    const { emulator, post, get } = await startEmulator({ videoTimings: TIMINGS });
    const create = async (body: object) =>
      (await (await post("/videos", { model: "local-video-1.5-pro", ...body })).json()).id as string;
    const draft = await create({
      content: [{ type: "text", text: "a cat" }],
      draft: true,
      seed: 7,
      duration: 6,
    });
    await emulator.clock.advance(300_000);
    const full = await create({ content: [{ type: "draft_task", draft_task: { id: draft } }] });
    const read = async (id: string) => (await (await get(`/videos/${id}`)).json()) as FlatTaskBody;
    expect(await read(draft)).toMatchObject({ draft: true, seed: 7, resolution: "480p" });
    expect(await read(full)).toMatchObject({ draft: false, seed: 7, resolution: "720p", duration: 6 });
  });
});
