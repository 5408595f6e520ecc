import { parseArgs } from "node:util";
import { type SimulationReport, simulate } from "@model-gateway/emulator/simulation";
import { SCENARIOS } from "./scenarios.js";

// Runs scenarios: `pnpm sim [--runs N] [--seed S] [--scenario name] [--no-shrink]`. Ends with 1 and the story when one fails.

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    scenario: { type: "string" },
    "no-shrink": { type: "boolean", default: false },
  },
});
const [runs, seed] = [numberOf("runs", values.runs), numberOf("seed", values.seed)];
const names = values.scenario === undefined ? Object.keys(SCENARIOS) : [values.scenario];
const reports: Record<string, SimulationReport> = {};
for (const name of names) {
  const scenario = SCENARIOS[name];
  if (scenario === undefined)
    fail(`There is no scenario "${name}"; there are ${Object.keys(SCENARIOS).join(", ")}.`);
  let done = 0;
  const report = await simulate({
    ...{ ...scenario, runs, seed, shrink: !values["no-shrink"] },
    onRun: () => progress(name, ++done),
  });
  reports[name] = report;
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  if (report.failure !== undefined) tellFailure(name, report.failure);
}
console.table(
  Object.fromEntries(
    Object.entries(reports).map(([name, { runs, requests, faults, virtualMs, wallMs, failure }]) => [
      name,
      {
        worlds: runs,
        requests,
        faults: Object.values(faults).reduce((sum, count) => sum + count, 0),
        "virtual hours": Math.round(virtualMs / 3_600_000),
        "worlds per second": Math.round((runs / wallMs) * 1_000),
        outcome: failure === undefined ? "holds" : `fails at seed ${failure.seed}`,
      },
    ]),
  ),
);
process.exitCode = Object.values(reports).some(({ failure }) => failure !== undefined) ? 1 : 0;

function progress(name: string, done: number): void {
  if (!process.stderr.isTTY || (done % 10 !== 0 && done !== runs)) return;
  const filled = Math.round((done / runs) * 30);
  process.stderr.write(
    `\r${name.padEnd(20)} ${"█".repeat(filled)}${"░".repeat(30 - filled)} ${done}/${runs}`,
  );
}

function tellFailure(name: string, failure: NonNullable<SimulationReport["failure"]>): void {
  console.error(`${name}, seed ${failure.seed}: ${failure.violation}\n`);
  console.error(`${failure.story.join("\n")}\n`);
  console.error(`Again: pnpm sim --scenario ${name} --seed ${failure.seed} --runs 1\n`);
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    fail(`--${name} must be a whole number above 0, and not ${text}.`);
  return number;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
