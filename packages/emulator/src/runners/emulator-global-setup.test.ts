import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { emulatorGlobalSetup } from "../vitest.js";

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

describe("emulatorGlobalSetup", () => {
  it("sets the variables until its teardown, which puts them back", async () => {
    const before = { ...process.env };
    process.env["MODEL_GATEWAY_API_KEY"] = "sk-of-mine";
    onTestFinished(() => {
      delete process.env["MODEL_GATEWAY_API_KEY"];
    });
    const teardown = await emulatorGlobalSetup({ keys: [{ key: "sk-team", group: "auto" }] })();
    const { MODEL_GATEWAY_API_KEY: key, MODEL_GATEWAY_BASE_URL: url } = process.env;
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/models`, { headers })).status).toBe(200);
    await teardown();
    expect(process.env).toEqual({ ...before, MODEL_GATEWAY_API_KEY: "sk-of-mine" });
    await expect(fetch(`${url}/models`, { headers })).rejects.toThrow("fetch failed");
  });

  it("reaches the tests of a project that names it", async () => {
    // Below the package, so that the project finds vitest.
    const folder = await mkdtemp(join(dirname(fileURLToPath(import.meta.url)), "project-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const entry = JSON.stringify(fileURLToPath(new URL("../vitest.ts", import.meta.url)));
    const files = {
      "vitest.config.mjs": `export default { test: { globalSetup: "setup.mjs", include: ["*.check.mjs"] } };`,
      "setup.mjs": `import { emulatorGlobalSetup } from ${entry};\nexport default emulatorGlobalSetup();`,
      "models.check.mjs": `
        import { expect, it } from "vitest";
        it("asks the emulator", async () => {
          const { MODEL_GATEWAY_API_KEY: key, MODEL_GATEWAY_BASE_URL: url } = process.env;
          const response = await fetch(url + "/models", { headers: { authorization: "Bearer " + key } });
          expect(response.status).toBe(200);
        });`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { VITEST: _, ...env } = process.env;
    const run = spawn(process.execPath, [vitest, "run", "--root", folder], { env, stdio: "pipe" });
    let output = "";
    for (const stream of [run.stdout, run.stderr]) stream.on("data", (text) => (output += text));
    const code = await new Promise((resolve) => run.once("close", resolve));
    expect(code, output).toBe(0);
    expect(output).toContain("1 passed");
  });
});
