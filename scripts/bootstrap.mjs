// Runs a workspace script on a machine that has only Node and npm: fetches the pinned pnpm,
// installs exactly what the lockfile says, then runs the script named on the command line.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: Model Gateway needs Node 20.19 or newer.`);
  process.exit(1);
}

const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const env = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  DO_NOT_TRACK: "1",
};
const windows = process.platform === "win32";

function pnpm(...args) {
  const { status, error } = spawnSync(
    "npx",
    ["--yes", `--package=${packageManager}`, "--", "pnpm", ...args],
    {
      cwd: root,
      env,
      stdio: "inherit",
      shell: windows,
    },
  );
  if (error) console.error(`Could not start npx: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error("Usage: node scripts/bootstrap.mjs <workspace script> [arguments]");
  process.exit(1);
}
pnpm("install", "--frozen-lockfile", "--prefer-offline", "--reporter=append-only", "--loglevel=warn");
pnpm("run", script, ...args);
