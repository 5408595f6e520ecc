import type { Experimental_SpeechModelV4StreamPart as SpeechPart } from "@ai-sdk/provider";
import { convertArrayToReadableStream, convertReadableStreamToArray } from "@ai-sdk/provider-utils/test";
import { generateSpeech } from "ai";
import { describe, expect, it } from "vitest";
import { onEmulator, onScript, sendJSON } from "../test/servers.js";
import { createModelGateway } from "./index.js";

const SOUND = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7) % 256);

describe("speech models", () => {
  it.each([
    ["mp3", "audio/mpeg"],
    ["wav", "audio/wav"],
  ])("speak as %s", async (outputFormat, mediaType) => {
    const { modelGateway } = await onEmulator();
    const { audio, warnings } = await generateSpeech({
      model: modelGateway.speech("local-speech"),
      text: "Hello there.",
      voice: "alloy",
      outputFormat,
    });
    expect(warnings).toEqual([]);
    expect(audio.mediaType).toBe(mediaType);
    expect(audio.uint8Array.length).toBeGreaterThan(1_000);
  });

  it("use the specialised address for the models that need it", async () => {
    const { emulator, modelGateway } = await onEmulator({ specializedModels: [/specialized$/] });
    const call = { text: "Hi", outputFormat: "wav" };
    await expect(
      generateSpeech({ model: modelGateway.speech("local-speech-specialized"), ...call }),
    ).rejects.toThrow(/MODEL_GATEWAY_SPECIALIZED_BASE_URL/);
    const equipped = createModelGateway({
      apiKey: "sk-emulator",
      baseURL: emulator.url,
      endpoints: { specialized: emulator.urls.specialized },
      specializedModels: [/specialized$/],
    });
    await generateSpeech({ model: equipped.speech("local-speech-specialized"), ...call });
    expect(emulator.journal.list().at(-1)).toMatchObject({ base: "specialized", path: "/audio/speech" });
  });

  it("tell the format by what the gateway says, and warn of what is not sent", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      response.writeHead(200, { "content-type": "audio/flac" }).end(SOUND),
    );
    const { audio, warnings } = await generateSpeech({
      model: modelGateway.speech("m"),
      text: "Hi",
      voice: "v",
      outputFormat: "flac",
      speed: 2,
      language: "en",
      instructions: "whisper",
      providerOptions: { modelGateway: { extraBody: { pitch: 1 } } },
    });
    expect(audio.mediaType).toBe("audio/flac");
    expect(requests[0]?.json).toEqual({ model: "m", input: "Hi", voice: "v", format: "flac", pitch: 1 });
    expect(warnings.map((warning) => ("feature" in warning ? warning.feature : ""))).toEqual([
      "instructions",
      "speed",
      "language",
    ]);
  });

  it("report a JSON error that comes with status 200, once", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { error: { message: "voice unknown", code: "bad_voice" } }),
    );
    await expect(generateSpeech({ model: modelGateway.speech("m"), text: "Hi" })).rejects.toThrow(
      /voice unknown/,
    );
    expect(requests).toHaveLength(1);
  });

  it("stream the audio as it comes, from a text that comes in pieces", async () => {
    const { modelGateway, requests } = await onScript((response) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write(SOUND.subarray(0, 2_000));
      setImmediate(() => response.end(SOUND.subarray(2_000)));
    });
    const { stream } = await modelGateway.speech("m").doStream({
      text: convertArrayToReadableStream([
        { type: "text" as const, text: "Hel" },
        { type: "text" as const, text: "lo" },
      ]),
      outputFormat: { type: "audio/mpeg" },
    });
    const parts: SpeechPart[] = await convertReadableStreamToArray(stream);
    expect(requests[0]?.json).toEqual({ model: "m", input: "Hello", format: "mp3" });
    expect(parts.at(0)).toEqual({ type: "stream-start", warnings: [] });
    expect(parts.at(-1)).toEqual({ type: "finish", usage: { inputCharacters: 5 } });
    const audio = parts.flatMap((part) => (part.type === "audio" ? [...(part.audio as Uint8Array)] : []));
    expect(Uint8Array.from(audio)).toEqual(SOUND);
  });
});
