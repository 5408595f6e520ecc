import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { closeMedia } from "./close-media.js";

test("a process ends by itself after rendering, without closing", async () => {
  const script = fileURLToPath(new URL("../../test/render-and-return.ts", import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--import", "tsx", script], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
  });
  expect(stdout).toBe("rendered true\n");
  expect(stderr).toBe("");
});

test("closing without anything to close does nothing", async () => {
  await expect(closeMedia()).resolves.toBeUndefined();
});
