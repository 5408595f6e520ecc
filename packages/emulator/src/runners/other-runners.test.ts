import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { useEmulator as useInJest } from "../jest.js";

const entry = (name: string) => JSON.stringify(new URL(`../${name}.ts`, import.meta.url).href);

/** Files of a project below the package, so that it finds what the package has. */
async function project(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(dirname(fileURLToPath(import.meta.url)), "project-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

async function run(cwd: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const { VITEST: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, output: stdout + stderr };
}

const HEADERS = `{ headers: { authorization: "Bearer sk-emulator" } }`;

describe("the emulator under other runners", () => {
  it("listens, is as new for each test, and closes: node:test", async () => {
    const folder = await project({
      "models.check.mjs": `
        import assert from "node:assert/strict";
        import { after, describe, test } from "node:test";
        import { useEmulator } from ${entry("node-test")};
        let url;
        describe("with an emulator", () => {
          const emulator = useEmulator({ keys: [{ key: "sk-team" }] });
          for (const name of ["first", "second"]) test(name, async () => {
            assert.equal(emulator.journal.list().length, 0);
            assert.equal(emulator.keys.list().length, 2);
            assert.equal((await fetch(emulator.url + "/models", ${HEADERS})).status, 200);
            emulator.keys.remove("sk-team");
            url = emulator.url;
          });
        });
        after(async () => { await assert.rejects(fetch(url + "/models")); });`,
    });
    const { code, output } = await run(folder, "--import", "tsx", "--test", "models.check.mjs");
    expect(code, output).toBe(0);
    expect(output).toMatch(/# tests 2|tests 2/);
  });

  it("is a fixture: Playwright", async () => {
    const cli = createRequire(import.meta.url).resolve("@playwright/test/cli");
    const folder = await project({
      "playwright.config.mjs": `export default { testDir: ".", testMatch: "*.check.mjs", workers: 1, reporter: "line", outputDir: "out" };`,
      "models.check.mjs": `
        import { expect, test as base } from "@playwright/test";
        import { emulatorFixtures } from ${entry("playwright")};
        const test = base.extend(emulatorFixtures({ seed: 1 }));
        const urls = new Set();
        for (const name of ["first", "second"]) test(name, async ({ request, emulator }) => {
          expect(emulator.journal.list()).toEqual([]);
          expect(process.env.MODEL_GATEWAY_BASE_URL).toBe(emulator.url);
          const response = await request.get(emulator.url + "/models", ${HEADERS});
          expect(response.status()).toBe(200);
          urls.add(emulator.url);
          expect(urls.size).toBe(1);
        });`,
    });
    const { code, output } = await run(folder, "--import", "tsx", cli, "test");
    expect(code, output).toBe(0);
    expect(output).toContain("2 passed");
  });

  it("says what is missing where there is no Jest", () => {
    expect(() => useInJest({}, {})).toThrow("found no hooks of Jest");
  });
});
