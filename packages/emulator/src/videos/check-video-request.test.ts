import { describe, expect, it } from "vitest";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const V2 = "local-video-2.0";
const V15 = "local-video-1.5-pro";
const text = { type: "text", text: "a cat on a boat" };
const png = "data:image/png;base64,iVBORw0KGgo=";
const image = (role?: string, url = "https://example.com/a.png") => ({
  type: "image_url",
  image_url: { url },
  ...(role ? { role } : {}),
});
const video = (url = "https://example.com/a.mp4") => ({
  type: "video_url",
  video_url: { url },
  role: "reference_video",
});
const audio = (url = "https://example.com/a.wav") => ({
  type: "audio_url",
  audio_url: { url },
  role: "reference_audio",
});

describe("POST /videos accepts", () => {
  it.each<[string, object]>([
    ["text", { model: V2, content: [text] }],
    ["a first frame without a role", { model: V2, content: [text, image()] }],
    ["first and last frame", { model: V15, content: [text, image("first_frame"), image("last_frame", png)] }],
    [
      "nine reference images",
      { model: V2, content: [text, ...Array.from({ length: 9 }, () => image("reference_image"))] },
    ],
    ["three reference videos", { model: V2, content: [text, video(), video("asset://abc"), video()] }],
    [
      "reference audio with an image",
      { model: V2, content: [text, image("reference_image"), audio("data:audio/wav;base64,AAAA")] },
    ],
    ["an automatic duration", { model: V2, content: [text], duration: -1 }],
    [
      "every option of the 2.0 series",
      {
        model: V2,
        content: [text],
        duration: 15,
        resolution: "4k",
        ratio: "21:9",
        generate_audio: false,
        watermark: true,
        tools: [{ type: "web_search" }],
        priority: 9,
        safety_identifier: "hash",
        execution_expires_after: 3600,
        return_last_frame: true,
        callback_url: "https://example.com/hook",
      },
    ],
    [
      "every option of 1.5 Pro",
      {
        model: V15,
        content: [text],
        duration: 4,
        resolution: "480p",
        ratio: "adaptive",
        generate_audio: true,
        draft: true,
        seed: 7,
        camera_fixed: true,
        service_tier: "flex",
      },
    ],
  ])("%s", async (_, body) => {
    const { post } = await startEmulator();
    const response = await post("/videos", body);
    expect(await response.json()).toEqual({ id: expect.stringMatching(/^task_/) });
    expect(response.status).toBe(200);
  });
});

describe("POST /videos refuses", () => {
  it.each<[string, object, string]>([
    ["no model", { content: [text] }, "model is required"],
    ["no content", { model: V2 }, "content is required"],
    ["content that is no array", { model: V2, content: "a cat" }, "content must be a non-empty array"],
    ["an unknown type", { model: V2, content: [{ type: "gif" }] }, "content[0].type must be one of"],
    ["text without text", { model: V2, content: [{ type: "text" }] }, "content[0].text is required"],
    ["two texts", { model: V2, content: [text, text] }, "exactly one text item"],
    ["an image without text", { model: V2, content: [image()] }, "exactly one text item"],
    [
      "an image of another role",
      { model: V2, content: [text, image("reference_video")] },
      "content[1].role must be one of",
    ],
    [
      "a private URL form",
      { model: V2, content: [text, image("first_frame", "file:///a.png")] },
      "content[1].image_url.url must be a public http(s) URL",
    ],
    [
      "broken Base64",
      { model: V2, content: [text, image("first_frame", "data:image/png;base64,%%")] },
      "valid Base64",
    ],
    [
      "an image format it does not know",
      { model: V2, content: [text, image("first_frame", "data:image/svg+xml;base64,AAAA")] },
      "one of the formats jpeg",
    ],
    [
      "video data",
      { model: V2, content: [text, video("data:video/mp4;base64,AAAA")] },
      "content[1].video_url.url must be",
    ],
    [
      "several images without roles",
      { model: V2, content: [text, image(), image()] },
      "content[1].role is required when there are several images",
    ],
    [
      "two first frames",
      { model: V2, content: [text, image("first_frame"), image("first_frame")] },
      "at most one image with role first_frame",
    ],
    ["a last frame alone", { model: V2, content: [text, image("last_frame")] }, "needs a first_frame image"],
    [
      "ten reference images",
      { model: V2, content: [text, ...Array.from({ length: 10 }, () => image("reference_image"))] },
      "1 to 9 reference_image items (got 10)",
    ],
    [
      "four reference videos",
      { model: V2, content: [text, video(), video(), video(), video()] },
      "at most 3 reference_video items (got 4)",
    ],
    ["audio alone", { model: V2, content: [text, audio()] }, "cannot hold audio alone"],
    [
      "frames mixed with references",
      { model: V2, content: [text, image("first_frame"), image("reference_image")] },
      "cannot mix",
    ],
    [
      "reference images for 1.5 Pro",
      { model: V15, content: [text, image("reference_image")] },
      "reference_image is not supported by local-video-1.5-pro",
    ],
    [
      "reference video for 1.5 Pro",
      { model: V15, content: [text, video()] },
      "reference_video is not supported",
    ],
    [
      "a draft task for 2.0",
      { model: V2, content: [{ type: "draft_task", draft_task: { id: "x" } }] },
      "draft_task is not supported",
    ],
    [
      "a draft that is none",
      { model: V15, content: [{ type: "draft_task", draft_task: { id: "x" } }] },
      "content[].draft_task.id must be the id of a succeeded task",
    ],
    [
      "a duration of 3",
      { model: V2, content: [text], duration: 3 },
      "duration must be an integer from 4 to 15 seconds, or -1",
    ],
    ["a duration of 16", { model: V2, content: [text], duration: 16 }, "duration must be"],
    ["a duration as text", { model: V2, content: [text], duration: "5" }, "duration must be"],
    ["an automatic duration for 1.5 Pro", { model: V15, content: [text], duration: -1 }, "duration must be"],
    ["another resolution", { model: V2, content: [text], resolution: "8k" }, "resolution must be one of"],
    ["another ratio", { model: V2, content: [text], ratio: "2:1" }, "ratio must be one of"],
    ["a seed for 2.0", { model: V2, content: [text], seed: 1 }, "seed is not supported by local-video-2.0"],
    ["frames", { model: V15, content: [text], frames: 29 }, "frames is not supported"],
    [
      "camera_fixed for 2.0",
      { model: V2, content: [text], camera_fixed: true },
      "camera_fixed is not supported",
    ],
    [
      "service_tier for 2.0",
      { model: V2, content: [text], service_tier: "flex" },
      "service_tier is not supported",
    ],
    ["draft for 2.0", { model: V2, content: [text], draft: true }, "draft is not supported"],
    [
      "tools for 1.5 Pro",
      { model: V15, content: [text], tools: [{ type: "web_search" }] },
      "tools is not supported",
    ],
    [
      "another tool",
      { model: V2, content: [text], tools: [{ type: "code" }] },
      'tools[0].type must be "web_search"',
    ],
    [
      "a priority of 10",
      { model: V2, content: [text], priority: 10 },
      "priority must be an integer from 0 to 9",
    ],
    [
      "a callback that is no web address",
      { model: V2, content: [text], callback_url: "ftp://x" },
      "callback_url must be an http or https URL",
    ],
  ])("%s", async (_, body, message) => {
    const { post, emulator } = await startEmulator();
    const error = await errorOf(await post("/videos", body));
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error" });
    expect(error.message).toContain(message);
    expect(emulator.videos.list()).toEqual([]);
  });

  it("a body with several problems, naming them all", async () => {
    const { post } = await startEmulator();
    const { message } = await errorOf(
      await post("/videos", { model: V2, content: [text], seed: 1, duration: 99, ratio: "x" }),
    );
    for (const field of ["seed", "duration", "ratio"]) expect(message).toContain(field);
  });

  it("a multipart body, saying what to send", async () => {
    const { openai } = await startEmulator();
    // The SDK sends videos.create as a form.
    await expect(openai.videos.create({ model: V2 as "sora-2", prompt: "a cat" })).rejects.toThrow(
      "Send content-type: application/json",
    );
  });

  it("a chat model, naming the video models", async () => {
    const { post } = await startEmulator();
    const { message } = await errorOf(await post("/videos", { model: "local-chat", content: [text] }));
    expect(message).toContain("local-video-2.0 or local-video-1.5-pro");
  });
});
