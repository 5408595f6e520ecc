// Measures every client in every scenario, several rounds in shuffled order, and writes a table and a chart.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Table from "cli-table3";
import { drawChart } from "./draw-chart.js";
import { SCENARIOS } from "./scenarios.js";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const CLIENTS = [
  "floor",
  "core",
  "openai",
  "ai-sdk-provider",
  "@ai-sdk/openai-compatible",
  "langchain",
  "@langchain/openai",
];
const ADAPTERS_EMBED_NOT = new Set(CLIENTS.slice(3));

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, "../output");
const run = promisify(execFile);

const server = fork(join(here, "server.ts"), { execArgv: ["--import", "tsx"] });
const [port] = (await once(server, "message")) as [number];
const baseURL = `http://127.0.0.1:${port}/v1`;

const jobs = SCENARIOS.flatMap((scenario) =>
  CLIENTS.filter((client) => scenario.name !== "embed" || !ADAPTERS_EMBED_NOT.has(client)).map((client) => ({
    scenario,
    client,
  })),
);
const samples = new Map<string, number[]>();
for (let round = 1; round <= ROUNDS; round++) {
  for (const { scenario, client } of shuffle(jobs)) {
    const { stdout } = await run(process.execPath, [
      "--import",
      "tsx",
      join(here, "run-client.ts"),
      client,
      scenario.name,
      baseURL,
    ]);
    const key = `${scenario.name} ${client}`;
    const { microseconds } = JSON.parse(stdout) as { microseconds: number };
    samples.set(key, [...(samples.get(key) ?? []), microseconds]);
  }
  console.log(`round ${round} of ${ROUNDS}`);
}
server.disconnect();

const results = SCENARIOS.map((scenario) => {
  const rows = CLIENTS.map((client) => ({
    client,
    value: median(samples.get(`${scenario.name} ${client}`)),
  })).filter((row): row is { client: string; value: number } => row.value !== undefined);
  const floor = rows.find(({ client }) => client === "floor")?.value ?? 1;
  return { scenario, rows: rows.map((row) => ({ ...row, ratio: row.value / floor })) };
});

const lines = [
  `# CPU time of the client process`,
  "",
  `Node ${process.version}, medians of ${ROUNDS} rounds in fresh processes; only ratios of one run mean something.`,
];
for (const { scenario, rows } of results) {
  const table = new Table({
    head: [scenario.title, `µs/${scenario.unit}`, "× floor"],
    style: { head: [], border: [] },
  });
  lines.push("", `| ${scenario.title} | µs/${scenario.unit} | × floor |`, "|---|---|---|");
  for (const { client, value, ratio } of rows) {
    table.push([client, value.toFixed(1), ratio.toFixed(2)]);
    lines.push(`| ${client} | ${value.toFixed(1)} | ${ratio.toFixed(2)} |`);
  }
  console.log(table.toString());
}
await mkdir(output, { recursive: true });
await writeFile(join(output, "results.md"), `${lines.join("\n")}\n`);
await writeFile(
  join(output, "results.svg"),
  drawChart(
    results.map(({ scenario, rows }) => ({
      title: scenario.title,
      bars: rows.map(({ client, ratio }) => ({ label: client, value: ratio })),
    })),
  ),
);
console.log(`Table and chart are in ${output}`);

function median(values: number[] | undefined): number | undefined {
  const sorted = [...(values ?? [])].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item);
}
