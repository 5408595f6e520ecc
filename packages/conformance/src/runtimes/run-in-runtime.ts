import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { EdgeRuntime } from "edge-runtime";
import { build } from "esbuild";
import { launchBrowser } from "../browser.js";
import { ROOT } from "../wire-ledger.js";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Longer than any program of these tests on a busy machine. */
const LIMIT_MS = 50_000;

/**
 * Code that runs in a runtime: the body of an async function that returns plain JSON. `core` is the client, `config`
 * is what the test gave.
 */
export interface Program {
  code: string;
  config: unknown;
  /** Module whose exports the code finds as `core`. Default: the client. */
  entry?: string;
}

/** Runs a program and gives what it returned. */
export type RunProgram = (program: Program) => Promise<unknown>;

/** Every runtime that the client is made for, all from npm. */
export const RUNTIMES: Record<string, RunProgram> = {
  "Node 20": (program) => runScript(program, ["node"], nodeOf(20)),
  "Node 22": (program) => runScript(program, ["node"], nodeOf(22)),
  "Node 24": (program) => runScript(program, ["node"], nodeOf(24)),
  Bun: (program) => runScript(program, ["bun", "node"], async () => [binaryOf("bun"), []]),
  Deno: (program) =>
    runScript(program, ["deno", "node"], async () => [
      binaryOf("deno"),
      ["run", "--quiet", "--no-remote", "--no-config", "--allow-net", "--allow-env"],
    ]),
  workerd: runInWorkerd,
  "edge-runtime": runInEdgeRuntime,
  Chromium: runInChromium,
};

type Format = "esm" | "iife";

/** The client and the code as one script, of the files that bundlers for a runtime choose. `core` is its only global. */
async function bundle(program: Program, format: Format, conditions: string[]): Promise<string> {
  const { code, config, entry } = program;
  const { outputFiles } = await build({
    entryPoints: [entry ?? join(ROOT, "packages/core/src/index.ts")],
    bundle: true,
    platform: "neutral",
    mainFields: ["browser", "module", "main"],
    conditions,
    external: ["node:*"],
    format: "iife",
    globalName: "core",
    write: false,
  });
  const script = `const run = async () => { const config = ${JSON.stringify(config)}; ${code} };`;
  return `${outputFiles[0]?.text}\n${script}\n${format === "esm" ? "export { run };" : ""}`;
}

/** The Node of a major version: this one, or that of the npm package `node`. */
function nodeOf(major: number): () => Promise<[binary: string, args: string[]]> {
  return async () => {
    if (Number(process.versions.node.split(".")[0]) === major) return [process.execPath, []];
    const args = ["--yes", "-p", `node@${major}`, "node", "-p", "process.execPath"];
    const { stdout } = await run("npx", args, { cwd: tmpdir(), shell: process.platform === "win32" });
    return [stdout.trim(), []];
  };
}

function binaryOf(name: string): string {
  return join(dirname(require.resolve("@model-gateway/conformance/package.json")), "node_modules/.bin", name);
}

async function runScript(
  program: Program,
  conditions: string[],
  findBinary: () => Promise<[binary: string, args: string[]]>,
): Promise<unknown> {
  const [binary, args] = await findBinary();
  return inFolder(async (folder) => {
    const file = join(folder, "main.mjs");
    writeFileSync(
      file,
      `${await bundle(program, "iife", conditions)}\nconsole.log(JSON.stringify(await run()));\n`,
    );
    const env = { ...process.env, DENO_NO_UPDATE_CHECK: "1", NODE_OPTIONS: "" };
    const { stdout } = await run(binary, [...args, file], { env, timeout: LIMIT_MS });
    return JSON.parse(stdout);
  });
}

async function runInEdgeRuntime(program: Program): Promise<unknown> {
  const answer = "run().then((value) => new Response(JSON.stringify(value)))";
  const script = await bundle(program, "iife", ["edge-light", "worker", "browser"]);
  const initialCode = `${script};addEventListener("fetch", (event) => event.respondWith(${answer}));`;
  const runtime = new EdgeRuntime({ initialCode });
  return (await runtime.dispatchFetch("http://edge.local/")).json();
}

/** The newest date that this workerd knows is that of its build. */
const COMPATIBILITY_DATE = "2026-07-01";

async function runInWorkerd(program: Program): Promise<unknown> {
  return inFolder(async (folder) => {
    writeFileSync(
      join(folder, "program.mjs"),
      await bundle(program, "esm", ["workerd", "worker", "browser"]),
    );
    const worker = `import { run } from "program.mjs"; export default { fetch: async () => Response.json(await run()) };`;
    writeFileSync(join(folder, "worker.mjs"), worker);
    // A private address is refused unless it is allowed by name.
    writeFileSync(
      join(folder, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .w), (name = "internet", network = (allow = ["local", "public"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);
const w :Workerd.Worker = (modules = [(name = "worker.mjs", esModule = embed "worker.mjs"),
  (name = "program.mjs", esModule = embed "program.mjs")], compatibilityDate = "${COMPATIBILITY_DATE}");`,
    );
    const child = spawn(binaryOf("workerd"), ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    // It reports every connection that fails, which these programs are full of.
    let complaints = "";
    (child.stderr as Readable).on("data", (data: Buffer) => {
      complaints += data.toString();
    });
    try {
      const port = await new Promise<number>((resolve, reject) => {
        child.on("error", reject);
        child.on("exit", (code) => reject(new Error(`workerd ended with ${code}: ${complaints}`)));
        let told = "";
        (child.stdio[3] as Readable).on("data", (data: Buffer) => {
          told += data.toString();
          const event = /\{.*"listen".*\}/.exec(told);
          if (event) resolve((JSON.parse(event[0]) as { port: number }).port);
        });
      });
      return await (await fetch(`http://127.0.0.1:${port}/`)).json();
    } finally {
      child.kill();
    }
  });
}

async function runInChromium(program: Program): Promise<unknown> {
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<!doctype html><title>client</title>"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.addScriptTag({ content: await bundle(program, "iife", ["browser"]) });
    return await page.evaluate("run()");
  } finally {
    await browser.close();
    server.close();
  }
}

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-runtime-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
