import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { generateImage } from "ai";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createModelGateway } from "../src/index.js";

const README = new URL("../README.md", import.meta.url);
/** Inside the package, so that the examples find what they import; ignored by git. */
const FOLDER = new URL(".readme/", import.meta.url);

const RESULTS = [
  ...["audio", "drawing", "edited", "embeddings", "fox", "heard", "image", "models", "output", "running"],
  ...["pictures", "place", "sketch", "status", "text", "turning", "variants"],
];

/** The mask of an edit: a picture that the emulator itself makes. */
async function transparentPNG(emulator: Emulator): Promise<Uint8Array> {
  const modelGateway = createModelGateway({ apiKey: "sk-emulator", baseURL: emulator.url });
  const { image } = await generateImage({
    model: modelGateway.image("local-image-b64", { shape: "base64" }),
    prompt: "A mask",
    size: "1024x1024",
    providerOptions: { modelGateway: { background: "transparent" } },
  });
  return image.uint8Array;
}

afterAll(() => rm(FOLDER, { recursive: true, force: true }));

describe("the README's examples", () => {
  it("run, one after the other", async () => {
    const emulator = await createEmulator({ seed: 1, videoTimings: { queuedMs: 10, runningMs: 50 } }).listen({
      port: 0,
    });
    const blocks = [...(await readFile(README, "utf8")).matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, code = ""]) => code,
    );
    expect(blocks.length).toBeGreaterThan(4);
    const program = blocks
      .join("\n")
      .replaceAll("http://127.0.0.1:4010", new URL(emulator.url).origin)
      .replace(/"(\w+\.(?:mp4|png))"/g, `new URL("$1", import.meta.url)`)
      .replaceAll("intervalMs: 1_000", "intervalMs: 10");
    await mkdir(FOLDER, { recursive: true });
    await writeFile(new URL("mask.png", FOLDER), await transparentPNG(emulator));
    await writeFile(new URL("examples.ts", FOLDER), `${program}\nexport { ${RESULTS.join(", ")} };\n`);
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      const results = await import(new URL("examples.ts", FOLDER).pathname);
      const { embeddings, models, output, text } = results;
      expect(text).toContain("42");
      expect(output).toEqual({ name: "Mara", age: 34 });
      expect(results.place).toEqual({ city: "Lisbon", days: 3 });
      expect(results.pictures[0]).toBe(results.pictures[1]);
      expect(embeddings).toHaveLength(2);
      expect(models.length).toBeGreaterThan(3);
      expect((await stat(new URL("fox.mp4", FOLDER))).size).toBeGreaterThan(10_000);
      expect(results.drawing.files).toHaveLength(1);
      expect(results.variants).toHaveLength(2);
      for (const made of [results.image, results.sketch, results.edited, results.fox]) {
        expect(made.mediaType).toBe("image/png");
      }
      expect(results.audio.mediaType).toBe("audio/wav");
      expect(results.heard).toBeGreaterThan(1_000);
      expect(emulator.journal.list({ path: "/audio/speech" }).at(-1)).toMatchObject({ base: "specialized" });
      const asked = (method: string, body?: string) =>
        new Request("http://localhost/api/chat/c1/stream", {
          method,
          headers: { "x-user": "ann" },
          ...(body !== undefined && { body }),
        });
      const question = { id: "m1", role: "user", parts: [{ type: "text", text: "What is 6 times 7?" }] };
      const answered = await results.chat.POST(
        asked("POST", JSON.stringify({ id: "c1", messages: [question] })),
      );
      const answer = await answered.text();
      expect(answer).toMatch(/42[\s\S]*data: \[DONE\]/);
      expect(await (await results.chat.GET(asked("GET"))).text()).toBe(answer);
      expect(await (await results.chat.DELETE(asked("DELETE"))).json()).toEqual({ stopped: false });
      expect(results.turning).toHaveLength(1);
      expect(results.running).toHaveLength(1);
      expect(results.status).toBe("pending");
      expect(print).toHaveBeenCalled();
      expect(write).toHaveBeenCalled();
    } finally {
      write.mockRestore();
      print.mockRestore();
      await emulator.close();
    }
    // Videos and speech are really made, one after the other.
  }, 240_000);
});
