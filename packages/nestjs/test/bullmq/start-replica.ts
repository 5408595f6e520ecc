import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { onTestFinished } from "vitest";
import type { BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import type { ModelGatewayModuleOptions, VideosOptions } from "../../src/index.js";
import type { VIDEO } from "../use-emulator.js";

/** What a replica is made of; goes to another process as JSON. */
export interface ReplicaOptions {
  gateway: Pick<ModelGatewayModuleOptions, "apiKey" | "baseURL"> & { videos: VideosOptions };
  store: Omit<BullMqVideoTaskStoreOptions, "backend">;
  onPostgres: boolean;
  /** What it submits when it is up. */
  submit?: { key: string; body: typeof VIDEO };
  /** Folder that the files of videos are kept in. */
  keepIn?: string;
  /** Whether it has a handler for videos, which reads the model list and then never returns. */
  hangsInHandler?: boolean;
}

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** The BullMQ that this run is about, as CommonJS; not built in, since it looks for its scripts beside itself. */
const installedBullMQ: Plugin = {
  name: "installed-bullmq",
  setup({ onResolve }) {
    const { resolve } = createRequire(process.env["PEERS_INSTALLED_BY"] ?? `${packageFolder}package.json`);
    onResolve({ filter: /^bullmq$/ }, () => ({ path: resolve("bullmq"), external: true }));
  },
};

/** Starts an application in a process of its own; resolves when it is up. Killed when the test is over. */
export async function startReplica(options: ReplicaOptions): Promise<{ kill(): Promise<void> }> {
  // Inside the package, so that it finds what it imports.
  const folder = await mkdtemp(`${packageFolder}node_modules/.replica-`);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [fileURLToPath(new URL("replica.ts", import.meta.url))],
    outfile: `${folder}/replica.mjs`,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["@nestjs/*", "rxjs"],
    plugins: [installedBullMQ],
    logLevel: "silent",
  });
  const child = spawn(process.execPath, [`${folder}/replica.mjs`, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => kill(child));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line !== "ready") continue;
    child.stdout.resume();
    return { kill: () => kill(child) };
  }
  throw new Error("The replica ended before it was up.");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
