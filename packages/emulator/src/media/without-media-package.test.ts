import { describe, expect, it } from "vitest";
import { describeMedia } from "../cli/describe-media.js";
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
    expect(told).toContain("plain PNG pictures and WAV tones; MP3 and films answer 501");
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
    expect(pcm.durationSeconds).toBeCloseTo(pcm.bytes.length / 2 / pcm.sampleRate);
  });

  it("speech has a voice and a speed", async () => {
    const usual = await renderSpeech(services, speech());
    const fast = await renderSpeech(services, speech({ speed: 2 }));
    const other = await renderSpeech(services, speech({ voice: "onyx" }));
    expect(fast.durationSeconds).toBeCloseTo(usual.durationSeconds / 2);
    expect(Buffer.from(other.bytes).equals(Buffer.from(usual.bytes))).toBe(false);
  });

  it.each(["mp3", "opus", "flac", "aac"] as const)("speech as %s cannot be had", async (format) => {
    await expect(renderSpeech(services, speech({ format }))).rejects.toMatchObject(MISSING);
  });
});
