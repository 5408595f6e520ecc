// Everything that must hold before a change lands, in one command. Prints a line per step, then the sum.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const scratch = mkdtempSync(join(tmpdir(), "model-gateway-check-"));
const vitestReport = join(scratch, "vitest.json");
const packagesReport = join(scratch, "packages.json");

/** Each step is a command; a step with a report contributes the tests it counted, any other counts as one. */
const steps = [
  { name: "lint and format", command: ["biome", "check", ".", "--error-on-warnings"] },
  { name: "types", command: ["turbo", "run", "typecheck"] },
  { name: "build", command: ["turbo", "run", "build"] },
  {
    name: "tests",
    command: ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${vitestReport}`],
    report: vitestReport,
  },
  // It asks questions about these pages, so a sentence that is gone from them breaks it.
  { name: "demo", command: ["pnpm", "run", "demo:run"] },
  {
    name: "packages",
    command: ["node", "scripts/check-packages.mjs", packagesReport],
    report: packagesReport,
  },
];

const total = { passed: 0, failed: 0, skipped: 0 };
const lines = [];
/** Names of what failed, once more at the end: the middle of a long log is where nobody looks. */
const failures = [];

for (const step of steps) {
  console.log(`\n── ${step.name} ─────────────────────────────────────────`);
  const started = performance.now();
  const { status } = spawnSync(step.command[0], step.command.slice(1), {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  const counted = step.report && existsSync(step.report) ? readReport(step.report) : undefined;
  const ok = status === 0;
  const result = counted ?? { passed: ok ? 1 : 0, failed: 0, skipped: 0 };
  // A step that fails without naming a failed test (a crash, a failed suite) still counts as a failure.
  if (!ok && result.failed === 0) result.failed = 1;
  failures.push(...(result.failures ?? []));
  total.passed += result.passed;
  total.failed += result.failed;
  total.skipped += result.skipped;
  lines.push(
    `${ok ? "ok    " : "FAILED"} ${step.name.padEnd(16)} ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
}

rmSync(scratch, { recursive: true, force: true });
console.log(`\n${lines.join("\n")}`);
if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 ? 0 : 1);

function readReport(file) {
  const report = JSON.parse(readFileSync(file, "utf8"));
  return {
    passed: report.numPassedTests ?? 0,
    failed: report.numFailedTests ?? 0,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
    failures: (report.testResults ?? []).filter(({ status }) => status === "failed").flatMap(describeFailure),
  };
}

/** A failed file, with the first line of each of its failures. */
function describeFailure({ name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  const [about] = (message ?? "").split("\n");
  const said = failed.map(({ fullName, failureMessages: [reason = ""] }) => {
    return `  ${fullName}\n    ${reason.split("\n").slice(0, 12).join("\n    ")}`;
  });
  return [relative(root, name), ...(said.length > 0 ? said : [`  ${about}`])];
}
