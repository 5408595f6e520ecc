// Measures every client in every scenario, several rounds in shuffled order, and writes a table and a chart.
// `pnpm bench [scenario …]`; BENCH_ROUNDS sets the rounds. Without arguments the README gets what came of it.
import { execFile, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Table from "cli-table3";
import { build } from "esbuild";
import { drawChart } from "./draw-chart.js";
import { SCENARIOS } from "./scenarios.js";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
/** Each of ours with what it is held against; the floor has none of the care that a client needs. */
const PEERS: Record<string, string> = {
  core: "openai",
  "ai-sdk-provider": "@ai-sdk/openai-compatible",
  langchain: "@langchain/openai",
};
const FLOOR = "floor";
const UNITS: Record<string, string> = { memory: "MB", import: "ms", first: "ms" };
const CLIENTS = [FLOOR, ...Object.entries(PEERS).flat(), "nestjs"];

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, "../output");
const run = promisify(execFile);
const asked = process.argv.slice(2);
const scenarios = SCENARIOS.filter(({ name }) => asked.length === 0 || asked.includes(name));

const server = fork(join(here, "server.ts"), { execArgv: ["--import", "tsx"] });
const [port] = (await once(server, "message")) as [number];
const baseURL = `http://127.0.0.1:${port}/v1`;

/** The clients as they are published: bundled by package, with everything else as npm installs it. */
const built = join(output, "built");
await build({
  entryPoints: [join(here, "run-client.ts")],
  outdir: built,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  plugins: [
    {
      name: "others-stay-outside",
      setup({ onResolve, resolve }) {
        onResolve({ filter: /^[^./#]/ }, async ({ path, kind, resolveDir, pluginData }) => {
          const isOurs = kind === "entry-point" || path.startsWith("@model-gateway/");
          if (isOurs || pluginData === "inner") return undefined;
          // As the one who imports it finds it, which is not where the bundle is.
          const found = await resolve(path, { kind, resolveDir, pluginData: "inner" });
          return { path: found.path, external: true };
        });
      },
    },
  ],
  tsconfig: join(here, "../tsconfig.json"),
  logLevel: "error",
});
for (const { prepare } of scenarios) await prepare?.();

const jobs = scenarios.flatMap((scenario) => CLIENTS.map((client) => ({ scenario, client })));
const samples = new Map<string, number[]>();
for (let round = 1; round <= ROUNDS; round++) {
  for (const { scenario, client } of shuffle(jobs)) {
    const isStart = scenario.measure === "import" || scenario.measure === "first";
    const program = isStart
      ? [join(built, "run-client.js")]
      : ["--import", "tsx", join(here, "run-client.ts")];
    const { stdout } = await run(process.execPath, [...program, client, scenario.name, baseURL]);
    const value = JSON.parse(stdout) as number | null;
    const key = `${scenario.name} ${client}`;
    if (value !== null) samples.set(key, [...(samples.get(key) ?? []), value]);
  }
  console.log(`round ${round} of ${ROUNDS}`);
}
server.disconnect();
for (const folder of await readdir(output)) {
  if (folder.startsWith("journal-")) await rm(join(output, folder), { recursive: true });
}

const HEAD = ["work", "client", "figure", "spread", "× floor", "× peer"];
const results = scenarios.map((scenario) => {
  const medianOf = (client: string) => median(samples.get(`${scenario.name} ${client}`) ?? []);
  const rows = CLIENTS.flatMap((client) => {
    const values = samples.get(`${scenario.name} ${client}`) ?? [];
    const value = median(values);
    if (value === undefined) return [];
    const spread = (Math.max(...values) - Math.min(...values)) / value;
    const times = (other: number | undefined) => (other === undefined ? undefined : value / other);
    return [
      { client, value, spread, floor: times(medianOf(FLOOR)), peer: times(medianOf(PEERS[client] ?? "")) },
    ];
  });
  return { scenario, rows };
});

const table = new Table({ head: HEAD, style: { head: [], border: [] } });
const lines = [`| ${HEAD.join(" | ")} |`, `|${"---|".repeat(HEAD.length)}`];
for (const { scenario, rows } of results) {
  for (const [index, { client, value, spread, floor, peer }] of rows.entries()) {
    const unit = UNITS[scenario.measure ?? "cpu"] ?? `µs/${scenario.unit}`;
    const ratio = (times: number | undefined) => times?.toFixed(2) ?? "";
    const cells = [
      index === 0 ? scenario.title : "",
      client,
      `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`,
      `${(spread * 100).toFixed(0)} %`,
      client === FLOOR ? "" : ratio(floor),
      ratio(peer),
    ];
    table.push(cells);
    lines.push(`| ${cells.join(" | ")} |`);
  }
}
console.log(table.toString());

const chart = drawChart(
  results
    .filter(({ rows }) => rows.some(({ client }) => client === FLOOR))
    .map(({ scenario, rows }) => ({
      title: scenario.title,
      bars: rows.map(({ client, floor = 1 }) => ({ label: client, value: floor })),
    })),
);
await mkdir(output, { recursive: true });
await writeFile(join(output, "results.md"), `${lines.join("\n")}\n`);
await writeFile(join(output, "results.svg"), chart);
if (asked.length === 0) await writeReadme();

/** What was measured, where, and with what: figures mean something beside those of the same run only. */
async function writeReadme(): Promise<void> {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: here,
    encoding: "utf8",
  }).trim();
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const about = `Commit ${commit}, Node ${process.version}, ${machine}; medians of ${ROUNDS} rounds in fresh processes, in shuffled order.`;
  const path = join(here, "../README.md");
  const readme = await readFile(path, "utf8");
  const [before = "", after = ""] = readme.split(/<!-- results -->[\s\S]*<!-- end of results -->/);
  const filled = `<!-- results -->\n\n${about}\n\n${lines.join("\n")}\n\n<!-- end of results -->`;
  await writeFile(path, `${before}${filled}${after}`);
  await writeFile(join(here, "../results.svg"), chart);
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item);
}
