import { inflateSync } from "node:zlib";
import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import { describe, expect, it } from "vitest";
import { describeMedia } from "../cli/describe-media.js";
import { createEmulator } from "../index.js";
import { bearer } from "../testing/start-emulator.js";
import type { FlatTaskBody } from "../videos/flat-task-body.js";
import type { ImageFormat, RenderImageRequest, RenderSpeechRequest } from "./media-renderer.js";
import { MediaRendererLease } from "./media-renderer-lease.js";
import { imageSizeOf } from "./read-image-size.js";
import { renderImage, settleImageFormat } from "./render-image.js";
import { renderSpeech } from "./render-speech.js";
import { usableImages } from "./usable-images.js";

const services = { media: new MediaRendererLease("@model-gateway/not-installed") };
const MISSING = {
  status: 501,
  code: "media_unavailable",
  message: expect.stringContaining("npm install --save-dev @model-gateway/not-installed"),
};

describe("without the media package", () => {
  const image = (more: Partial<RenderImageRequest> = {}): RenderImageRequest => ({
    width: 96,
    height: 64,
    prompt: "a red fox",
    seed: 1,
    format: "png",
    ...more,
  });
  const speech = (more: Partial<RenderSpeechRequest> = {}): RenderSpeechRequest => ({
    text: "Hello there",
    voice: "alloy",
    format: "wav",
    ...more,
  });

  it("a PNG is plain, of the size, and differs with prompt and seed", async () => {
    const { bytes, mediaType } = await renderImage(services, image());
    expect(mediaType).toBe("image/png");
    expect(imageSizeOf(bytes)).toEqual({ format: "png", width: 96, height: 64 });
    expect(await renderImage(services, image())).toEqual(await renderImage(services, image()));
    for (const other of [{ prompt: "a blue fox" }, { seed: 2 }, { background: "transparent" as const }]) {
      expect(Buffer.from((await renderImage(services, image(other))).bytes).equals(bytes)).toBe(false);
    }
  });

  it.each<ImageFormat>(["jpeg", "webp"])(
    "a %s cannot be had, and the message says what is missing",
    async (format) => {
      await expect(renderImage(services, image({ format }))).rejects.toMatchObject(MISSING);
      await expect(settleImageFormat(services, format, "png")).rejects.toMatchObject(MISSING);
    },
  );

  it("a format that nobody asked for becomes PNG", async () => {
    expect(await settleImageFormat(services, undefined, "jpeg")).toBe("png");
  });

  it("the command line says so, and how to get it", async () => {
    const told = await describeMedia(new MediaRendererLease("@model-gateway/not-installed"));
    expect(told).toContain("plain PNG pictures, WAV tones, one spoken sentence and one film for all");
    expect(told).toContain("npm install --save-dev @model-gateway/not-installed");
    expect(await describeMedia()).toBe("pictures, voices and films from @model-gateway/emulator-media");
  });

  it("inputs cannot be looked at", async () => {
    expect(await usableImages(services, [new Uint8Array(8)])).toEqual([]);
  });

  it("speech is tones, as WAV or bare samples", async () => {
    const wav = await renderSpeech(services, speech());
    const pcm = await renderSpeech(services, speech({ format: "pcm" }));
    const header = Buffer.from(wav.bytes);
    expect([wav.mediaType, pcm.mediaType]).toEqual(["audio/wav", "audio/pcm"]);
    expect(header.toString("latin1", 0, 4) + header.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
    expect(header.readUInt32LE(4)).toBe(header.length - 8);
    expect(header.readUInt32LE(40)).toBe(pcm.bytes.length);
    expect(header.subarray(44).equals(Buffer.from(pcm.bytes))).toBe(true);
  });

  it("speech has a voice and a speed", async () => {
    const usual = await renderSpeech(services, speech());
    const fast = await renderSpeech(services, speech({ speed: 2 }));
    const other = await renderSpeech(services, speech({ voice: "onyx" }));
    expect(Math.abs(fast.bytes.length - 44 - (usual.bytes.length - 44) / 2)).toBeLessThan(
      usual.bytes.length / 100,
    );
    expect(Buffer.from(other.bytes).equals(Buffer.from(usual.bytes))).toBe(false);
  });

  it.each([
    ["mp3", "audio/mpeg", "mp3"],
    ["opus", "audio/ogg", "opus"],
    ["aac", "audio/aac", "aac"],
  ] as const)("speech as %s is a sentence that was spoken ahead", async (format, mediaType, codec) => {
    await using emulator = createEmulator({ seed: 1 }, { media: {} });
    const response = await emulator.fetch(new URL("audio/speech", `${emulator.url}/`), {
      method: "POST",
      headers: { ...bearer("sk-emulator"), "content-type": "application/json" },
      body: JSON.stringify({
        model: "local-speech",
        input: "Hello",
        voice: "alloy",
        response_format: format,
      }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(mediaType);
    expect(response.headers.get("x-emulator-fallback")).toBe("media");
    using input = new Input({ source: new BufferSource(await response.arrayBuffer()), formats: ALL_FORMATS });
    const track = await input.getPrimaryAudioTrack();
    expect(track?.codec).toBe(codec);
    expect(await input.computeDuration()).toBeGreaterThan(2);
  });

  it("speech as FLAC cannot be had", async () => {
    await expect(renderSpeech(services, speech({ format: "flac" }))).rejects.toMatchObject(MISSING);
  });

  it("a task's film is the one that was made ahead, and says so, and its last frame is plain", async () => {
    await using emulator = createEmulator(
      { seed: 1, videoTimings: { queuedMs: 0, runningMs: 0 } },
      { media: {} },
    );
    await emulator.fetch(new URL("videos", `${emulator.url}/`), {
      method: "POST",
      headers: { ...bearer("sk-emulator"), "content-type": "application/json" },
      body: JSON.stringify({
        model: "local-video-2.0",
        content: [{ type: "text", text: "a cat" }],
        return_last_frame: true,
      }),
    });
    await emulator.clock.advance(1);
    const [task] = emulator.videos.list() as [FlatTaskBody];
    const film = await emulator.fetch(task.output?.video_url ?? "");
    expect(film.status).toBe(200);
    expect(film.headers.get("content-type")).toBe("video/mp4");
    expect(film.headers.get("x-emulator-fallback")).toBe("media");
    using input = new Input({ source: new BufferSource(await film.arrayBuffer()), formats: ALL_FORMATS });
    expect((await input.getTracks()).map(({ codec }) => codec)).toEqual(["avc", "aac"]);
    expect(await input.computeDuration()).toBe(5);
    const frame = await emulator.fetch(task.last_frame_url ?? "");
    expect(frame.headers.get("x-emulator-fallback")).toBe("media");
    const size = imageSizeOf(new Uint8Array(await frame.arrayBuffer()));
    expect(size).toMatchObject({ format: "png", width: 1280, height: 720 });
  });

  it.each([
    ["a red fox", 0, 2],
    ["ein blaues Haus", 2, 0],
    ["蓝色的房子", 2, 0],
  ])("a plain picture has the colour that its prompt names: %s", async (prompt, most, least) => {
    const { bytes } = await renderImage(services, image({ prompt }));
    // One line of rows that are not filtered: a filter byte, then four bytes per pixel.
    const rows = inflateSync(bytes.subarray(41, -16));
    for (let at = 1; at < 96 * 4; at += 4) expect(rows[at + most]).toBeGreaterThan(rows[at + least]! * 2);
  });
});
