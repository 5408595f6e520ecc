// Says whether tests bite: breaks the code of core in thousands of small ways and counts the breaks that its tests notice.
// `pnpm mutation` runs everything (hours on two cores), `pnpm mutation <group> …` some of it; `--report` only prints what
// the last runs found. Survivors are listed with their reasons in packages/core/test/mutation-survivors.md.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const reports = join(root, "reports", "mutation");
const REQUIRED_SCORE = 90;

const sources = (...names) => names.map((name) => `${name}.ts`);
const tests = (...names) => names.map((name) => `src/${name}.test.ts`);

/**
 * What is mutated together. `tests` stand beside the files and are quick; only what survives them meets `more`, the tests
 * of the calls that use these files.
 */
const GROUPS = {
  policy: {
    mutate: sources(
      "call/retry-policy",
      "call/retry-after",
      "call/status-table",
      "call/retry-budget",
      "call/call-gate",
    ),
    tests: tests(
      "call/retry-policy",
      "call/retry-after",
      "call/retry-budget",
      "call/status-table",
      "call/call-gate",
      "errors/error-from-answer",
    ),
    more: tests("call/sender", "call/call-limits"),
  },
  secrets: {
    mutate: sources(
      "call/redact",
      "call/abort-signal",
      "call/delay",
      "transport/transport-failure",
      "download/private-address",
      "json/parse-json",
    ),
    tests: tests(
      "call/redact",
      "call/abort-signal",
      "call/delay",
      "transport/transport-failure",
      "download/private-address",
      "json/parse-json",
    ),
    more: tests("call/sender", "call/call-limits", "transport/dispatch-transport"),
  },
  errors: {
    mutate: ["errors/**/*.ts", "call/call-errors.ts"],
    tests: tests(
      "errors/read-error-body",
      "errors/error-from-answer",
      "errors/strip-markup",
      "errors/errors",
      "call/call-errors",
    ),
    more: tests("call/call-limits", "call/sender", "chat/chat", "images/images"),
  },
  config: {
    mutate: ["config/**/*.ts", "checks/**/*.ts"],
    tests: tests("config/config", "config/addresses", "checks/check-option-names", "checks/checker"),
    more: tests("videos/check-video-request", "call/sender", "call/call-limits", "chat/chat"),
  },
  streams: {
    mutate: sources(
      "streams/async-queue",
      "streams/event-stream-parser",
      "streams/json-stream-reader",
      "streams/looks-like-events",
      "streams/byte-body",
      "streams/byte-reader",
    ),
    tests: tests(
      "streams/async-queue",
      "streams/event-stream-parser",
      "streams/json-stream-reader",
      "streams/looks-like-events",
      "streams/byte-body",
      "streams/byte-reader",
    ),
    more: tests("chat/chat", "images/images", "audio/audio", "download/download", "call/call-limits"),
  },
  bodies: {
    mutate: sources("transport/decode-content", "transport/multipart", "call/encode-body"),
    tests: tests("transport/decode-content", "transport/multipart", "call/encode-body"),
    more: tests("transport/dispatch-transport", "images/images"),
  },
  transport: {
    mutate: sources(
      "transport/dispatch-transport",
      "transport/fetch-transport",
      "transport/select-transport",
    ),
    tests: tests("transport/dispatch-exchange", "transport/fetch-transport", "transport/select-transport"),
    more: tests("transport/dispatch-transport", "images/images", "call/sender"),
  },
  call: {
    mutate: sources(
      "call/exchange",
      "call/attempt",
      "call/retry-loop",
      "call/call",
      "call/sender",
      "call/ask-for-key",
      "call/expect-binary",
      "hooks/observer",
      "call/api-promise",
    ),
    tests: tests(
      "call/exchange",
      "call/attempt",
      "call/call",
      "call/ask-for-key",
      "call/expect-binary",
      "call/api-promise",
      "hooks/observer",
      "call/retry-loop",
    ),
    more: tests(
      "call/sender",
      "call/call-limits",
      "chat/chat",
      "audio/audio",
      "transport/dispatch-transport",
      "call/abort-signal",
    ),
  },
  download: {
    mutate: sources(
      "download/download",
      "download/save-download",
      "download/resolve-host",
      "download/base64",
    ),
    tests: tests("download/download", "download/save-download", "download/base64", "download/resolve-host"),
    more: tests("images/images"),
  },
  videos: {
    mutate: ["videos/**/*.ts"],
    tests: tests(
      "videos/check-wrapped-request",
      "videos/check-video-request",
      "videos/poll-scheduler",
      "videos/poll-video-task",
      "videos/read-video-callback",
      "videos/read-video-task",
      "videos/timer-heap",
      "videos/video-errors",
      "videos/video-families",
      "videos/video-status",
      "videos/watch-video-task",
    ),
    more: tests("videos/videos", "videos/videos-poll", "json/parse-json"),
  },
};

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const unknown = asked.filter((name) => !(name in GROUPS));
if (unknown.length > 0) {
  console.error(`There is no group ${unknown.join(", ")}: known are ${Object.keys(GROUPS).join(", ")}.`);
  process.exit(1);
}
mkdirSync(reports, { recursive: true });
if (!process.argv.includes("--report"))
  for (const name of asked.length > 0 ? asked : Object.keys(GROUPS)) run(name);
process.exit(report() ? 0 : 1);

function run(name) {
  const { mutate, tests: quick, more } = GROUPS[name];
  const files = mutate.map((file) => `packages/core/src/${file}`);
  stryker(name, [...files, "!packages/core/src/**/*.test.ts"], quick);
  const survivors = survivorsOf(readReport(name));
  if (survivors.length === 0) return;
  // Ranges, so that nothing else is tried again.
  const ranges = survivors.map(
    ({
      path,
      mutant: {
        location: { start, end },
      },
    }) => {
      return `${path}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
    },
  );
  stryker(`${name}.more`, [...new Set(ranges)], [...quick, ...more]);
}

function stryker(name, mutate, include) {
  const config = {
    testRunner: "vitest",
    vitest: { configFile: "scripts/mutation.vitest.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner"],
    coverageAnalysis: "perTest",
    concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
    // Only what never ends counts as such: a busy machine is no endless loop.
    timeoutMS: 20_000,
    timeoutFactor: 2,
    mutate,
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: `reports/mutation/${name}.json` },
    ignorePatterns: ["examples", "bench", "matrix", "reports", "packages/*/dist", ".stryker-tmp"],
    cleanTempDir: "always",
    tempDirName: `.stryker-tmp/${name}`,
  };
  const file = join(reports, `${name}.config.json`);
  writeFileSync(file, JSON.stringify(config, undefined, 2));
  console.log(`\n${name}: ${mutate.length} files or ranges, ${include.length} files of tests`);
  const { status } = spawnSync("stryker", ["run", file], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, MUTATION_TESTS: include.join(",") },
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Everything that a run found, as `{ path, source, mutant }`; undefined where there was none. */
function readReport(name) {
  const file = join(reports, `${name}.json`);
  if (!existsSync(file)) return undefined;
  const { files } = JSON.parse(readFileSync(file, "utf8"));
  return Object.entries(files).flatMap(([path, { mutants, source }]) =>
    mutants.map((mutant) => ({ path, source, mutant })),
  );
}

function survivorsOf(found) {
  return found.filter(({ mutant: { status } }) => status === "Survived" || status === "NoCoverage");
}

/** Prints the score of each group that has been run, and what survived without a reason. */
function report() {
  const accepted = readAccepted();
  const sum = { noticed: 0, survived: 0, accepted: 0 };
  const open = [];
  console.log("\n| group | mutants | noticed | survived for a reason | score |\n|---|---|---|---|---|");
  for (const name of Object.keys(GROUPS)) {
    const found = readReport(name);
    if (found === undefined) continue;
    const killedLater = new Set(
      (readReport(`${name}.more`) ?? []).filter(isNoticed).map((each) => describeMutant(each).key),
    );
    const rows = survivorsOf(found).map(describeMutant);
    const survived = rows.filter(({ key }) => !killedLater.has(key));
    const noticed = found.filter(isNoticed).length + rows.length - survived.length;
    const reasoned = survived.filter(({ key }) => accepted.has(key)).length;
    open.push(...survived.filter(({ key }) => !accepted.has(key)).map(({ text }) => text));
    sum.noticed += noticed;
    sum.survived += survived.length;
    sum.accepted += reasoned;
    console.log(row(name, noticed, survived.length, reasoned));
  }
  console.log(row("all", sum.noticed, sum.survived, sum.accepted));
  if (open.length > 0) {
    console.log("\nSurvived without a reason:\n\n| where | was | becomes | reason |\n|---|---|---|---|");
    for (const text of open) console.log(text);
  }
  return (100 * sum.noticed) / (sum.noticed + sum.survived) >= REQUIRED_SCORE && open.length === 0;
}

function isNoticed({ mutant: { status } }) {
  return status === "Killed" || status === "Timeout";
}

function row(name, noticed, survived, accepted) {
  const all = noticed + survived;
  const score = all === 0 ? "–" : `${((100 * noticed) / all).toFixed(1)} %`;
  return `| ${name} | ${all} | ${noticed} | ${accepted} | ${score} |`;
}

function describeMutant({ path, source, mutant: { location, replacement = "" } }) {
  const file = path.replace(/^.*packages\/core\/src\//, "");
  const lines = source.split("\n").slice(location.start.line - 1, location.end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, location.end.column - 1);
  lines[0] = lines[0].slice(location.start.column - 1);
  const was = cell(lines.join(" "));
  const becomes = cell(replacement);
  return {
    key: `${file} ${was} ${becomes}`,
    text: `| ${file}:${location.start.line} | \`${was}\` | \`${becomes}\` |  |`,
  };
}

/** Rows of the table of survivors that give a reason; line numbers move, so they do not count. */
function readAccepted() {
  const file = join(root, "packages/core/test/mutation-survivors.md");
  if (!existsSync(file)) return new Set();
  const rows = readFileSync(file, "utf8").matchAll(/^\| ([^:|]+):\d+ \| `(.*)` \| `(.*)` \| (\S.*) \|$/gm);
  return new Set([...rows].map(([, path, was, becomes]) => `${path} ${was} ${becomes}`));
}

function cell(text) {
  return text.replace(/\s+/g, " ").replaceAll("|", "¦").replaceAll("`", "'").trim().slice(0, 80);
}
