// What the emulator costs its machine, beside a bare `node:http` server that parses and answers the same bytes:
// CPU time of the server per call with prompts that all differ, a thousand streams at once, the time until the banner,
// and the memory at rest. `pnpm --filter @model-gateway/bench run emulator`, after `pnpm build`; BENCH_CALLS sets the calls
// of a round, BENCH_PROFILE a folder for CPU profiles.
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Agent, request as startRequest } from "node:http";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { BareAnswers } from "./emulator-server.js";

const ROUNDS = 5;
const CALLS = Number(process.env["BENCH_CALLS"] ?? 1_000);
const WARM_UP = 2 * CALLS;
const AT_ONCE = 16;
const MANY = 1_000;
const STARTS = 7;

const CLI = fileURLToPath(new URL("../../packages/emulator/dist/cli.js", import.meta.url));
const README = fileURLToPath(new URL("../README.md", import.meta.url));
const SERVER = fileURLToPath(new URL("emulator-server.ts", import.meta.url));

const WORDS = (
  "the order of a customer from Lisbon arrived late and two of nine blue lamps were broken so please write what we " +
  "should say about refunds delivery packaging insurance bicycles gardens weather invoices holidays trains coffee " +
  "paper music lessons windows kitchens contracts meetings salaries doctors mountains rivers batteries screens"
).split(" ");
let prompts = 0;

/** About forty words, never the same twice, the same in each run. */
function nextPrompt(): string {
  let random = ++prompts;
  const words = Array.from({ length: 38 }, () => {
    random = (random * 48_271) % 2_147_483_647;
    return WORDS[random % WORDS.length];
  });
  return `Question ${prompts}: ${words.join(" ")}?`;
}

class Bench {
  readonly #server: ChildProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  #port = 0;

  constructor(name: string) {
    const folder = process.env["BENCH_PROFILE"];
    const profile = folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}/${name}`];
    this.#server = fork(SERVER, { execArgv: ["--import", "tsx", ...profile] });
  }

  async start(what: "emulator" | BareAnswers): Promise<this> {
    this.#port = await this.#ask(what);
    return this;
  }

  /** Microseconds of CPU that the server has used so far. */
  cpu(): Promise<number> {
    return this.#ask("cpu");
  }

  call(stream: boolean): Promise<string> {
    const body = JSON.stringify({
      model: "local-chat",
      messages: [{ role: "user", content: nextPrompt() }],
      ...(stream && { stream }),
    });
    const headers = {
      authorization: "Bearer sk-emulator",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const call = startRequest({
        ...{ agent: this.#agent, port: this.#port, host: "127.0.0.1", method: "POST" },
        ...{ path: "/v1/chat/completions", headers },
      });
      call.on("error", reject).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece) => {
          text += piece;
        });
        response.on("error", reject).on("end", () => {
          const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : response.statusCode === 200;
          if (isWhole) resolve(text);
          else reject(new Error(`${response.statusCode}: ${text.slice(-500)}`));
        });
      });
      call.end(body);
    });
  }

  async run(calls: number, atOnce: number, stream: boolean): Promise<{ cpu: number; perSecond: number }> {
    const before = await this.cpu();
    const started = performance.now();
    let left = calls;
    const worker = async () => {
      while (left-- > 0) await this.call(stream);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const seconds = (performance.now() - started) / 1_000;
    return { cpu: ((await this.cpu()) - before) / calls, perSecond: calls / seconds };
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.disconnect();
    await once(this.#server, "exit");
  }

  async #ask(message: "cpu" | "emulator" | BareAnswers): Promise<number> {
    this.#server.send(message);
    const [answer] = (await once(this.#server, "message")) as [number];
    return answer;
  }
}

const lines = ["| work | emulator | bare `node:http` | ratio |", "|---|---|---|---|"];
const emulator = await new Bench("emulator").start("emulator");
const bare = await new Bench("bare").start({
  whole: await emulator.call(false),
  events: (await emulator.call(true)).split(/(?<=\n\n)/),
});
for (const stream of [false, true]) {
  const name = stream ? "chat, streamed" : "chat, whole";
  for (const server of [emulator, bare]) await server.run(WARM_UP, AT_ONCE, stream);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push([
      await emulator.run(CALLS, AT_ONCE, stream),
      await bare.run(CALLS, AT_ONCE, stream),
    ] as const);
  }
  const cpu = median(rounds.map(([ours]) => ours.cpu));
  const bareCPU = median(rounds.map(([, theirs]) => theirs.cpu));
  const ratio = median(rounds.map(([ours, theirs]) => ours.cpu / theirs.cpu));
  lines.push(
    `| ${name}, CPU per call | ${cpu.toFixed(0)} µs | ${bareCPU.toFixed(0)} µs | ${ratio.toFixed(1)} |`,
  );
  const rate = median(rounds.map(([ours]) => ours.perSecond));
  const bareRate = median(rounds.map(([, theirs]) => theirs.perSecond));
  const share = (rate / bareRate).toFixed(2);
  lines.push(`| ${name}, calls per second | ${rate.toFixed(0)} | ${bareRate.toFixed(0)} | ${share} |`);
}
const outcomes = await Promise.allSettled(Array.from({ length: MANY }, () => emulator.call(true)));
const failed = outcomes.filter(({ status }) => status === "rejected").length;
lines.push(`| ${MANY} streams at once, failed | ${failed} | | |`);
await emulator.close();
await bare.close();

const starts = [];
for (let start = 0; start < STARTS; start++) {
  const nothing = await timeOf(["-e", "console.log(0)"]);
  const banner = await timeOf([CLI, "start", "--port", "0"]);
  starts.push({ over: banner.ms - nothing.ms, memory: banner.memory });
}
lines.push(
  `| start to banner, over bare \`node\` | ${median(starts.map(({ over }) => over)).toFixed(0)} ms | | |`,
);
const atRest = median(starts.map(({ memory }) => memory ?? Number.NaN));
lines.push(`| memory at rest, in all | ${atRest.toFixed(0)} MB | | |`);

const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}`;
const caption = `Commit ${commit}, Node ${process.version}, ${machine}; medians of ${ROUNDS} rounds of ${CALLS} calls, ${AT_ONCE} at once.`;
console.log(`${caption}\n\n${lines.join("\n")}`);
if (process.env["BENCH_PROFILE"] === undefined) {
  const [before = "", after = ""] = (await readFile(README, "utf8")).split(
    /<!-- emulator -->[\s\S]*<!-- end of emulator -->/,
  );
  const block = `<!-- emulator -->\n\n${caption}\n\n${lines.join("\n")}\n\n<!-- end of emulator -->`;
  await writeFile(README, before + block + after);
}

/** Milliseconds until a program has written for the first time, and the megabytes that it holds a second later. */
async function timeOf(program: string[]): Promise<{ ms: number; memory: number | undefined }> {
  const started = performance.now();
  const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  const ms = performance.now() - started;
  await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 1_000))]);
  const memory = child.exitCode === null ? residentMB(child.pid) : undefined;
  child.kill();
  await exited;
  return { ms, memory };
}

function residentMB(pid: number | undefined): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
