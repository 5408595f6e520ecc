import { fileURLToPath } from "node:url";
import {
  embed,
  generateImage,
  generateSpeech,
  generateText,
  experimental_generateVideo as generateVideo,
} from "ai";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { onEmulator } from "../test/servers.js";
import { createEmbeddingModels } from "./embedding.js";
import { createImageModels } from "./image.js";
import { createLanguageModels } from "./language.js";
import { createSpeechModels } from "./speech.js";
import { createVideoModels } from "./video.js";

/** Rooms of the client, and kinds of models, that a bundle of an entry is made of. */
async function partsOf(entry: string): Promise<{ rooms: string[]; kinds: string[] }> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`./${entry}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "neutral",
    external: ["@ai-sdk/*", "zod", "zod/*"],
  });
  const [bundle] = Object.values(metafile.outputs);
  const held = Object.entries(bundle?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const paths = held.map(([path]) => path).join("\n");
  const found = (pattern: RegExp) =>
    [...new Set([...paths.matchAll(pattern)].map(([, name]) => name as string))].sort();
  return {
    rooms: found(/core\/src\/(account|audio|chat|embeddings|images|models|moderations|videos)\//g),
    kinds: found(/src\/model-gateway-(?:chat-)?(\w+)-model\.ts/g),
  };
}

describe("an entry for one kind of model", () => {
  it("speaks to the gateway", async () => {
    const { emulator } = await onEmulator();
    const settings = { apiKey: "sk-emulator", baseURL: emulator.url };

    const { text } = await generateText({
      model: createLanguageModels(settings)("local-chat"),
      prompt: "Hello",
    });
    expect(text).not.toBe("");
    const { embedding } = await embed({
      model: createEmbeddingModels(settings)("local-embedding"),
      value: "fox",
    });
    expect(embedding.length).toBeGreaterThan(1);
    const { images } = await generateImage({
      model: createImageModels(settings)("local-image-b64"),
      prompt: "A fox",
    });
    expect(images).toHaveLength(1);
    const { audio } = await generateSpeech({
      model: createSpeechModels(settings)("local-speech"),
      text: "Hello",
      outputFormat: "wav",
    });
    expect(audio.uint8Array.length).toBeGreaterThan(1_000);
    const video = generateVideo({
      model: createVideoModels(settings)("local-video-2.0"),
      prompt: "A fox",
      duration: 4,
      poll: { intervalMs: 5 },
    });
    await expect.poll(() => emulator.videos.list().length).toBe(1);
    await emulator.videos.succeed(emulator.videos.list()[0]?.id ?? "");
    expect((await video).videos).toHaveLength(1);

    expect(emulator.journal.list().map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "/chat/completions",
        "/embeddings",
        "/images/generations",
        "/audio/speech",
        "/videos",
      ]),
    );
  });

  it.each([
    ["language", ["chat", "images"]],
    ["embedding", ["embeddings"]],
    ["image", ["chat", "images"]],
    ["speech", ["audio"]],
    ["video", ["videos"]],
  ])("%s holds of the client %j, and no other kind of model", async (entry, rooms) => {
    expect(await partsOf(entry)).toEqual({ rooms, kinds: [entry] });
  });

  it("is one of those that the provider holds all of", async () => {
    const { kinds } = await partsOf("index");
    expect(kinds).toEqual(["embedding", "image", "language", "speech", "video"]);
  });
});
