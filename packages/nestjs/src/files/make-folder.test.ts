import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulate } from "@model-gateway/emulator/simulation";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeFolder } from "./make-folder.js";
import { syncFolder } from "./sync-folder.js";
import { writeDurably } from "./write-durably.js";

async function useTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "make-folder-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("a folder", () => {
  it("is made with those above it, for its owner alone, and says whether it was there", async () => {
    const above = await useTemporaryFolder();
    const folder = join(above, "a", "b", "c");
    expect(await makeFolder(folder)).toBe(true);
    expect(await makeFolder(folder)).toBe(false);
    if (process.platform !== "win32") expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("is refused where a file is in its way", async () => {
    const above = await useTemporaryFolder();
    await writeFile(join(above, "file"), "");
    await expect(makeFolder(join(above, "file", "a"))).rejects.toThrow(/ENOTDIR|EEXIST|ENOENT/);
    await expect(makeFolder(join(above, "file"))).rejects.toThrow(/EEXIST/);
  });

  it("is still there after the power failed, with what was synced in it, also when its maker died", async () => {
    let powerFailures = 0;
    const { failure, runs } = await simulate({
      runs: 300,
      faults: { crash: 0.15, powerFailure: 0.5, diskFull: 0, syncFails: 0 },
      async app(world) {
        const folder = world.disk.path("a/b");
        const file = join(folder, "file");
        let isKept = false;
        const service = world.service("keeper", async () => {
          for (let turn = 0; turn < 4; turn++) {
            if (isKept) expect(await readFile(file, "utf8")).toBe("content");
            else await makeFolder(folder);
            await writeDurably(file, "content");
            await syncFolder(folder);
            isKept = true;
          }
        });
        await service.ended;
        powerFailures += world.faults.filter(({ name }) => name === "powerFailure").length;
      },
    });
    expect(failure?.story.join("\n")).toBeUndefined();
    expect(runs).toBe(300);
    expect(powerFailures).toBeGreaterThan(50);
  });
});
