import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const ENTRY = pathToFileURL(new URL("../index.ts", import.meta.url).pathname).href;

/** Runs where no file may have more than some KiB: writes end in the middle of a line. */
async function runWithSmallFiles(code: string, kib: number) {
  const run = `ulimit -f ${kib}; exec "$0" --import tsx --input-type=module -e "$1"`;
  const child = spawn("bash", ["-c", run, process.execPath, code], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TSX_DISABLE_CACHE: "1", NODE_NO_WARNINGS: "", NODE_OPTIONS: "" },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { stdout, stderr };
}

it.skipIf(process.platform === "win32")(
  "goes on when the disk is full, says so once, and keeps all as soon as there is room",
  async () => {
    const folder = temporaryFolder();
    const { stdout, stderr } = await runWithSmallFiles(
      `
        import { createEmulator } from ${JSON.stringify(ENTRY)};
        process.on("SIGXFSZ", () => {});
        const emulator = createEmulator({ dataDir: ${JSON.stringify(folder)}, journal: { bodies: "none" } });
        const flush = () => emulator.fetch(emulator.url + "/none").then((response) => response.text());
        emulator.keys.add({ key: "sk-first" });
        await flush();
        emulator.groups.add({ name: "large", models: [], description: "x".repeat(40_000) });
        await flush();
        emulator.keys.add({ key: "sk-second" });
        await flush();
        console.log("serves", emulator.keys.list().length);
        emulator.groups.remove("large");
        await flush();
        emulator.keys.add({ key: "sk-third" });
        await flush();
        // What is to be said is said in a turn of its own.
        await new Promise((resolve) => setImmediate(resolve));
        process.kill(process.pid, "SIGKILL");
      `,
      16,
    );
    expect(stdout).toBe("serves 3\n");
    expect(stderr.match(/MODEL_GATEWAY_STATE_NOT_KEPT/g)).toHaveLength(1);
    expect(stderr).toContain(`the data folder ${folder} does not take its state (EFBIG`);
    const after = createEmulator({ dataDir: folder });
    expect(after.keys.list().map(({ key }) => key)).toEqual([
      "sk-emulator",
      "sk-first",
      "sk-second",
      "sk-third",
    ]);
    await after.close();
  },
  60_000,
);

it.skipIf(process.platform === "win32")(
  "refuses to start, or to take another state, when there is no room for it",
  async () => {
    const folder = temporaryFolder();
    const { stdout } = await runWithSmallFiles(
      `
        import { createEmulator } from ${JSON.stringify(ENTRY)};
        process.on("SIGXFSZ", () => {});
        const dataDir = ${JSON.stringify(folder)};
        const groups = [{ name: "large", models: [], description: "x".repeat(40_000) }];
        const attempt = (act) => {
          try {
            act();
          } catch (error) {
            console.log(/cannot be used \\(EFBIG.* on a disk with room/.test(error.message), error instanceof TypeError);
          }
        };
        attempt(() => createEmulator({ dataDir, groups }));
        const emulator = createEmulator({ dataDir, keys: [{ key: "sk-mine" }] });
        const state = emulator.state.export();
        const before = JSON.stringify(state);
        state.groups.push(...groups);
        attempt(() => emulator.state.import(state));
        // Many small lines need more room than one document that holds the same.
        state.groups = Array.from({ length: 400 }, (_, index) => ({ name: "g" + index, models: [] }));
        attempt(() => emulator.state.import(state));
        emulator.reset();
        console.log(JSON.stringify(emulator.state.export().keys) === JSON.stringify(JSON.parse(before).keys));
        await emulator.close();
      `,
      16,
    );
    expect(stdout.split("\n")).toEqual(["true false", "true false", "true false", "true", ""]);
    expect(existsSync(join(folder, "imported.json"))).toBe(false);
    const after = createEmulator({ dataDir: folder });
    expect(after.keys.list().map(({ key }) => key)).toEqual(["sk-emulator", "sk-mine"]);
    expect(after.groups.list()).toHaveLength(3);
    await after.close();
  },
  60_000,
);
