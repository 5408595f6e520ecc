import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createEmulator, type Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const README = new URL("../README.md", import.meta.url);
/** Per process: the same examples run on several versions of the peers at once. */
const FOLDER = new URL(`../test/.readme-${process.pid}/`, import.meta.url);

const blocks = [...(await readFile(README, "utf8")).matchAll(/^## (.*)$|```ts\n([\s\S]*?)```/gm)].reduce<
  Array<{ section: string; code: string }>
>((found, [, heading, code]) => {
  if (heading !== undefined) found.push({ section: heading, code: "" });
  else if (code !== undefined) found.push({ section: found.at(-1)?.section ?? "Start", code });
  return found;
}, []);

describe("the README's examples run", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
    vi.stubEnv("MODEL_GATEWAY_API_KEY", "sk-emulator");
    vi.stubEnv("MODEL_GATEWAY_BASE_URL", emulator.url);
    await mkdir(FOLDER, { recursive: true });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(FOLDER, { recursive: true, force: true });
    await emulator.close();
  });

  const examples = blocks.filter(({ code }) => code !== "");
  it.each(examples.map(({ section }, index) => [section, index] as const))("%s", async (_section, index) => {
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      const file = new URL(`example-${index}.ts`, FOLDER);
      await writeFile(file, examples[index]?.code ?? "");
      await import(file.pathname);
      expect(print.mock.calls.length).toBeGreaterThan(0);
      for (const shown of print.mock.calls.flat()) expect(shown ?? "").not.toBe("");
    } finally {
      print.mockRestore();
      write.mockRestore();
    }
  });
});
