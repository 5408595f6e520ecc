import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createEmulator } from "@model-gateway/emulator";
import { afterAll, describe, expect, it, vi } from "vitest";

const README = new URL("../README.md", import.meta.url);
/** Inside the package, so that the examples find what they import; ignored by git. */
const FOLDER = new URL(".readme/", import.meta.url);

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
      .replaceAll("http://127.0.0.1:4010/v1", emulator.url)
      .replace('"fox.mp4"', `new URL("fox.mp4", import.meta.url)`)
      .replace("intervalMs: 1_000", "intervalMs: 10");
    await mkdir(FOLDER, { recursive: true });
    await writeFile(
      new URL("examples.ts", FOLDER),
      `${program}\nexport { embeddings, models, output, text };\n`,
    );
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    try {
      const { embeddings, models, output, text } = await import(new URL("examples.ts", FOLDER).pathname);
      expect(text).toContain("42");
      expect(output).toEqual({ name: "Mara", age: 34 });
      expect(embeddings).toHaveLength(2);
      expect(models.length).toBeGreaterThan(3);
      expect((await stat(new URL("fox.mp4", FOLDER))).size).toBeGreaterThan(10_000);
      expect(print).toHaveBeenCalled();
      expect(write).toHaveBeenCalled();
    } finally {
      write.mockRestore();
      print.mockRestore();
      await emulator.close();
    }
  });
});
