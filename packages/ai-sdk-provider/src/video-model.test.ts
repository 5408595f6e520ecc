import {
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
} from "ai";
import { describe, expect, it } from "vitest";
import { onEmulator, onScript, sendJSON } from "../test/servers.js";
import { createModelGateway } from "./index.js";

const POLL = { intervalMs: 1 };
const MP4 = Uint8Array.of(0, 0, 0, 8, 0x66, 0x74, 0x79, 0x70);

describe("video models", () => {
  it("make a playable file on the emulator", async () => {
    const { modelGateway, emulator } = await onEmulator();
    const advancing = setInterval(() => void emulator.clock.advance(1_000), 5);
    const { videos, warnings, providerMetadata } = await generateVideo({
      model: modelGateway.video("local-video-2.0"),
      prompt: "A red fox in the snow",
      duration: 4,
      resolution: "864x496",
      generateAudio: true,
      poll: { intervalMs: 5 },
    }).finally(() => clearInterval(advancing));
    expect(warnings).toEqual([]);
    expect(videos).toHaveLength(1);
    expect(videos[0]?.mediaType).toBe("video/mp4");
    expect(new TextDecoder().decode(videos[0]?.uint8Array.subarray(4, 8))).toBe("ftyp");
    expect(providerMetadata["modelGateway"]).toMatchObject({ family: "content", status: "succeeded" });
  });

  it("can be started in one process and read in another", async () => {
    const { modelGateway, emulator } = await onEmulator();
    const { operation } = await startVideo({ model: modelGateway.video("local-video-2.0"), prompt: "A fox" });
    const stored = JSON.parse(JSON.stringify(operation));
    const other = createModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url }).video(
      "local-video-2.0",
    );
    expect((await getVideoStatus(other, { operation: stored })).status).toBe("pending");
    await emulator.clock.advance(600_000);
    expect((await getVideoStatus(other, { operation: stored })).status).toBe("completed");
    await expect(getVideoStatus(other, { operation: { foreign: true } })).rejects.toThrow(
      /not started by the model gateway/,
    );
  });

  it("say which task failed and why", async () => {
    const { modelGateway } = await onScript((response, count) =>
      sendJSON(
        response,
        count === 1 ? { id: "t-7" } : { status: "failed", error: { code: "Refused", message: "too dark" } },
      ),
    );
    const call = generateVideo({ model: modelGateway.video("m"), prompt: "x", poll: POLL });
    await expect(call).rejects.toThrow(/t-7.*too dark.*Refused/);
  });

  it.each(["expired", "cancelled", "FAILURE"])("end on %s instead of polling for ever", async (status) => {
    const { modelGateway, requests } = await onScript((response, count) =>
      sendJSON(response, count === 1 ? { id: "t" } : { status }),
    );
    await expect(generateVideo({ model: modelGateway.video("m"), prompt: "x", poll: POLL })).rejects.toThrow(
      /ended as/,
    );
    expect(requests).toHaveLength(2);
  });

  it("survive a failing poll without submitting again", async () => {
    const { modelGateway, requests, origin } = await onScript((response, count) => {
      if (count === 1) return sendJSON(response, { id: "t" });
      if (count === 2)
        return sendJSON(response, { error: { message: "bad gateway" } }, 502, { "retry-after-ms": "1" });
      if (count === 3)
        return sendJSON(response, { status: "succeeded", output: { video_url: `${origin}/file.mp4` } });
      response.writeHead(200, { "content-type": "video/mp4" }).end(MP4);
    });
    await generateVideo({ model: modelGateway.video("m"), prompt: "x", poll: POLL });
    expect(requests.map(({ path }) => path)).toEqual([
      "/v1/videos",
      "/v1/videos/t",
      "/v1/videos/t",
      "/file.mp4",
    ]);
  });

  it("fetch a result on the gateway's own host with the key, and leave foreign ones to the SDK", async () => {
    const { modelGateway, requests, origin } = await onScript((response, count, { path }) => {
      if (path === "/file.mp4") return response.writeHead(200, { "content-type": "video/mp4" }).end(MP4);
      const url = count === 2 ? `${origin}/file.mp4` : "https://files.example/file.mp4";
      return sendJSON(response, { id: "t", status: "succeeded", output: { video_url: url } });
    });
    const model = modelGateway.video("m");
    const { operation } = await startVideo({ model, prompt: "x" });
    const own = await getVideoStatus(model, { operation });
    expect(own).toMatchObject({ status: "completed" });
    expect(requests[2]).toMatchObject({ path: "/file.mp4", headers: { authorization: "Bearer sk-test" } });
    const foreign = await model.doStatus?.({ operation });
    expect(foreign).toMatchObject({
      videos: [{ type: "url", url: "https://files.example/file.mp4", mediaType: "" }],
    });
  });

  it("put every option of the SDK and of the gateway in its place", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, { id: "t" }));
    const { warnings } = await startVideo({
      model: modelGateway.video("m"),
      prompt: { text: "go", image: "https://files.example/first.png" },
      aspectRatio: "adaptive",
      resolution: "720x1280",
      duration: 5,
      fps: 30,
      seed: 0,
      generateAudio: false,
      providerOptions: {
        modelGateway: {
          lastFrame: "asset://last",
          referenceAudio: ["asset://sound"],
          draftTask: "draft-1",
          returnLastFrame: true,
          executionExpiresAfter: 3600,
          webSearch: true,
          priority: 3,
          watermark: true,
        },
      },
    });
    expect(requests[0]?.json).toEqual({
      model: "m",
      content: [
        { type: "text", text: "go" },
        { type: "image_url", image_url: { url: "https://files.example/first.png" }, role: "first_frame" },
        { type: "image_url", image_url: { url: "asset://last" }, role: "last_frame" },
        { type: "audio_url", audio_url: { url: "asset://sound" }, role: "reference_audio" },
        { type: "draft_task", draft_task: { id: "draft-1" } },
      ],
      resolution: "720p",
      ratio: "adaptive",
      duration: 5,
      seed: 0,
      generate_audio: false,
      return_last_frame: true,
      execution_expires_after: 3600,
      tools: [{ type: "web_search" }],
      priority: 3,
      watermark: true,
    });
    expect(warnings).toContainEqual({ type: "unsupported", feature: "fps" });
  });

  it("send references by their kind, and warn of a size that is no tier", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, { id: "t" }));
    const model = modelGateway.video("m");
    const started = await model.doStart?.({
      prompt: "go",
      n: 1,
      aspectRatio: undefined,
      resolution: "123x456",
      duration: undefined,
      fps: undefined,
      seed: undefined,
      image: undefined,
      frameImages: undefined,
      inputReferences: [
        { type: "file", mediaType: "image/png", data: Uint8Array.of(1, 2, 3) },
        { type: "url", url: "https://files.example/v.mp4", mediaType: "video/mp4" },
      ],
      generateAudio: undefined,
      providerOptions: {},
      webhookUrl: "https://app.example/hook",
    });
    expect(requests[0]?.json).toEqual({
      model: "m",
      content: [
        { type: "text", text: "go" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQID" }, role: "reference_image" },
        { type: "video_url", video_url: { url: "https://files.example/v.mp4" }, role: "reference_video" },
      ],
      resolution: "123x456",
      callback_url: "https://app.example/hook",
    });
    expect(started?.warnings[0]).toMatchObject({ type: "compatibility", feature: "resolution" });
  });
});
