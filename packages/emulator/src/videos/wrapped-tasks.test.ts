import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, startEmulator } from "../testing/start-emulator.js";
import type { WrappedTaskBody } from "./wrapped-task-body.js";

const IMAGE = "https://example.com/first.png";
const imageToVideo = { model_name: "local-image2video", prompt: "it starts to rain", image: IMAGE };
const omniVideo = { model_name: "local-omni-video", prompt: "a walk by the sea" };

async function created(path: string, body: object) {
  const started = await startEmulator({ videoTimings: { queuedMs: 60_000, runningMs: 60_000 } });
  const response = await started.post(path, body);
  expect(response.status).toBe(200);
  const answer = (await response.json()) as WrappedTaskBody & { task_id: string };
  const read = async (id = answer.task_id) =>
    (await (await started.get(`${path}/${id}`)).json()) as WrappedTaskBody;
  return { ...started, answer, read };
}

describe.each([
  ["/videos/image2video", imageToVideo],
  ["/videos/omni-video", omniVideo],
])("POST %s", (path, body) => {
  it("goes from submitted through processing to succeed, with a video", async () => {
    const { emulator, answer, read } = await created(path, { ...body, duration: "10" });
    expect(answer).toMatchObject({
      code: 0,
      message: "SUCCEED",
      request_id: expect.any(String),
      task_id: expect.stringMatching(/^\d{18}$/),
      data: { task_id: answer.task_id, task_status: "submitted", task_result: {} },
    });
    await emulator.clock.advance(70_000);
    expect((await read()).data).toMatchObject({ task_status: "processing", task_result: {} });
    await emulator.clock.advance(60_000);
    const { data } = await read();
    expect(data).toMatchObject({
      task_status: "succeed",
      task_result: {
        videos: [{ id: answer.task_id, url: expect.stringContaining("/video.mp4?"), duration: "10.0" }],
      },
    });
    // Real time passes as well.
    expect(data.updated_at - data.created_at).toBeGreaterThanOrEqual(120_000);
    expect(data.updated_at).toBeLessThanOrEqual(emulator.clock.now());
  });

  it("says why a task failed", async () => {
    const { emulator, read } = await created(path, { ...body, prompt: "rain [[fail]]" });
    await emulator.clock.advance(120_000);
    expect((await read()).data).toMatchObject({
      task_status: "failed",
      task_status_msg: expect.stringContaining("[[fail]]"),
    });
  });

  it("is read by the caller's own id too, which names one task", async () => {
    const { answer, read, post } = await created(path, { ...body, external_task_id: "order 7/a" });
    expect(answer.data.task_info).toEqual({ external_task_id: "order 7/a" });
    expect((await read(encodeURIComponent("order 7/a"))).data.task_id).toBe(answer.task_id);
    expect(await errorOf(await post(path, { ...body, external_task_id: "order 7/a" }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("external_task_id"),
    });
  });

  it("is unknown to other families and other keys", async () => {
    const { answer, emulator, get } = await created(path, body);
    emulator.keys.add({ key: "sk-other", group: "default" });
    const other = path.endsWith("omni-video") ? "/videos/image2video" : "/videos/omni-video";
    for (const response of [
      await get(`/videos/${answer.task_id}`),
      await get(`${other}/${answer.task_id}`),
      await get(`${path}/${answer.task_id}`, "sk-other"),
    ]) {
      expect(await errorOf(response)).toMatchObject({ status: 404, code: "task_not_found" });
    }
  });

  it("posts every change to the callback address", async () => {
    const bodies: WrappedTaskBody[] = [];
    const server = createServer(async (request, response) => {
      bodies.push(JSON.parse(await text(request)));
      response.end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { emulator, read } = await created(path, { ...body, callback_url: url });
    await emulator.clock.advance(120_000);
    expect(bodies.map(({ data }) => data.task_status)).toEqual(["processing", "succeed"]);
    expect(bodies[1]).toEqual(await read());
  });
});

describe("the wrapped families accept", () => {
  it.each<[string, string, object]>([
    [
      "every option of image2video",
      "/videos/image2video",
      { ...imageToVideo, mode: "pro", duration: 10, sound: "on", negative_prompt: "fog", cfg_scale: 0.5 },
    ],
    [
      "a first frame in Base64",
      "/videos/image2video",
      { ...imageToVideo, image: "iVBORw0KGgoAAAANSUhEUg==" },
    ],
    [
      "every option of omni-video",
      "/videos/omni-video",
      {
        ...omniVideo,
        prompt: "<<<image_1>>> meets <<<image_2>>>",
        image_list: [{ image_url: IMAGE }, { image_url: "data:image/png;base64,iVBORw0KGgo=" }],
        video_list: [{ video_url: "https://example.com/a.mp4", refer_type: "feature" }],
        mode: "std",
        duration: "5",
        aspect_ratio: "9:16",
        negative_prompt: "fog",
        cfg_scale: 1,
      },
    ],
  ])("%s", async (_, path, body) => {
    const { post } = await startEmulator();
    expect((await post(path, body)).status).toBe(200);
  });
});

describe("the wrapped families refuse", () => {
  it.each<[string, string, object]>([
    ["model_name is required", "/videos/image2video", { ...imageToVideo, model_name: undefined }],
    ["prompt is required", "/videos/image2video", { ...imageToVideo, prompt: undefined }],
    ["image is required", "/videos/image2video", { ...imageToVideo, image: undefined }],
    ["image must be a public http(s) URL", "/videos/image2video", { ...imageToVideo, image: "a cat!" }],
    ['mode must be one of "std", "pro"', "/videos/image2video", { ...imageToVideo, mode: "fast" }],
    ["duration must be 5 or 10", "/videos/image2video", { ...imageToVideo, duration: 7 }],
    ['sound must be one of "on", "off"', "/videos/image2video", { ...imageToVideo, sound: true }],
    ["cfg_scale must be a number from 0 to 1", "/videos/omni-video", { ...omniVideo, cfg_scale: 2 }],
    ["callback_url must be", "/videos/omni-video", { ...omniVideo, callback_url: "hook" }],
    ["aspect_ratio must be one of", "/videos/omni-video", { ...omniVideo, aspect_ratio: "4:3" }],
    ["image_list[0].image_url is required", "/videos/omni-video", { ...omniVideo, image_list: [{}] }],
    [
      "prompt uses <<<image_2>>>, but image_list holds 1",
      "/videos/omni-video",
      { ...omniVideo, prompt: "<<<image_2>>>", image_list: [{ image_url: IMAGE }] },
    ],
    ["video_list must be an array", "/videos/omni-video", { ...omniVideo, video_list: "a" }],
    [
      "is served by POST /videos/omni-video",
      "/videos/image2video",
      { ...imageToVideo, model_name: "local-omni-video" },
    ],
  ])("%s", async (message, path, body) => {
    const { post, emulator } = await startEmulator();
    expect(await errorOf(await post(path, body))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
    expect(emulator.videos.list()).toEqual([]);
  });

  it("a model that the key does not reach", async () => {
    const { post } = await startEmulator();
    expect(
      await errorOf(await post("/videos/omni-video", { ...omniVideo, model_name: "nobody" })),
    ).toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });
});
