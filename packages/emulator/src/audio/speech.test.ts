import { describe, expect, it } from "vitest";
import type { MediaRenderer } from "../media/media-renderer.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const PATH = "/audio/speech";
const body = { model: "local-speech", input: "The train leaves at noon." };
const media: Partial<MediaRenderer> = await import("@model-gateway/emulator-media");

async function speak(options: object = {}) {
  const { post } = await startEmulator();
  const response = await post(PATH, { ...body, ...options });
  expect(response.status, await response.clone().text()).toBe(200);
  return { type: response.headers.get("content-type"), bytes: Buffer.from(await response.arrayBuffer()) };
}

describe("POST /audio/speech", () => {
  it("answers WAV that is longer for longer texts and shorter at speed", async () => {
    const { type, bytes } = await speak({ format: "wav" });
    expect(type).toBe("audio/wav");
    expect(bytes.toString("latin1", 0, 4)).toBe("RIFF");
    const longer = await speak({ format: "wav", input: `${body.input} ${body.input}` });
    const faster = await speak({ format: "wav", speed: 2 });
    expect(longer.bytes.length).toBeGreaterThan(1.5 * bytes.length);
    expect(faster.bytes.length).toBeLessThan(0.8 * bytes.length);
  });

  it("answers the same for the same text, and another voice otherwise", async () => {
    const first = await speak({ format: "wav", voice: "alloy" });
    expect((await speak({ format: "wav", voice: "alloy" })).bytes.equals(first.bytes)).toBe(true);
    expect((await speak({ format: "wav", voice: "onyx" })).bytes.equals(first.bytes)).toBe(false);
  });

  it("answers bare samples as PCM", async () => {
    const { type, bytes } = await speak({ format: "pcm" });
    expect(type).toMatch(/^audio\/pcm/);
    expect(bytes.length % 2).toBe(0);
  });

  it("takes the name of the format that the openai SDK sends", async () => {
    const { openai } = await startEmulator();
    const response = await openai.audio.speech.create({ ...body, voice: "nova", response_format: "wav" });
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  });

  it("serves the specialised model on the specialised addresses only", async () => {
    const { emulator } = await startEmulator();
    const send = (base: string) =>
      fetch(base + PATH, {
        method: "POST",
        headers: { ...bearer("sk-emulator"), "content-type": "application/json" },
        body: JSON.stringify({ ...body, model: "local-speech-specialized", format: "wav" }),
      });
    const { general, cdn, specialized, specializedCdn } = emulator.urls;
    for (const base of [specialized, specializedCdn]) expect((await send(base)).status).toBe(200);
    for (const base of [general, cdn]) {
      expect(await errorOf(await send(base))).toMatchObject({
        status: 404,
        code: "model_not_found",
        message: expect.stringContaining("specialised base addresses"),
      });
    }
  });

  it.each<[string, object]>([
    ["model is required", { model: undefined }],
    ["input is required", { input: undefined }],
    ["input must not be empty", { input: " " }],
    ["input must hold at least one visible character", { input: "\u200b" }],
    ["input must hold at least one visible character", { input: "[[slow:1ms]]" }],
    ["input takes at most 4096 characters", { input: "a".repeat(4_097) }],
    ["format must be one of", { format: "ogg" }],
    ["response_format must be one of", { response_format: "ogg" }],
    ["response_format contradicts format", { format: "mp3", response_format: "wav" }],
    ["speed must be a number from 0.25 to 4", { speed: 5 }],
    ["voice must be a string", { voice: 1 }],
    ["is served by POST /chat/completions", { model: "local-chat" }],
  ])("refuses: %s", async (message, options) => {
    const { post } = await startEmulator();
    expect(await errorOf(await post(PATH, { ...body, ...options }))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });
});

describe.runIf(media.renderSpeech !== undefined)("POST /audio/speech with the media package", () => {
  it.each([
    [undefined, "audio/mpeg", /^(?:ID3|\xff[\xe0-\xff])/],
    ["mp3", "audio/mpeg", /^(?:ID3|\xff[\xe0-\xff])/],
    ["wav", "audio/wav", /^RIFF/],
    ["opus", "audio/ogg", /^OggS/],
    ["flac", "audio/flac", /^fLaC/],
    ["aac", "audio/aac", /^\xff[\xf0-\xff]/],
  ])("answers %s as %s", async (format, type, start) => {
    const answer = await speak({ format });
    expect(answer.type).toContain(type);
    expect(answer.bytes.toString("latin1", 0, 4)).toMatch(start);
  });
});
