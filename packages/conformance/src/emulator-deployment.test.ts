import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { ROOT } from "./wire-ledger.js";

const PACKAGE = join(ROOT, "packages/emulator");
const COMMAND = ["--import", "tsx", join(PACKAGE, "src/cli.ts")];
const PORT = "4010";

const read = (file: string) => readFile(join(PACKAGE, file), "utf8");

/** What an image runs, by the instructions of its file; there is no Docker where there is only Node. */
async function dockerfile() {
  const lines = (await read("docker/Dockerfile")).split("\n");
  const argumentsOf = (instruction: RegExp) => {
    const line = lines.find((each) => instruction.test(each)) ?? "";
    return JSON.parse(line.replace(instruction, "")) as string[];
  };
  return {
    lines,
    health: argumentsOf(/^HEALTHCHECK .* CMD /),
    entry: argumentsOf(/^ENTRYPOINT /),
    command: argumentsOf(/^CMD /),
  };
}

function start(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const url = /export MODEL_GATEWAY_BASE_URL=(\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("It ended without telling where it is.");
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("exit", resolve));
}

describe("the image", () => {
  it("starts what the package brings, and is healthy as long as that answers", async () => {
    const { lines, health, entry, command } = await dockerfile();
    const { bin, publishConfig } = JSON.parse(await read("package.json")) as {
      bin: Record<string, string>;
      publishConfig: object;
    };
    expect(entry).toEqual(Object.keys(bin));
    expect(publishConfig).toBeDefined();
    expect(lines).toContain(`EXPOSE ${PORT}`);
    const emulator = start(process.execPath, [...COMMAND, ...command.map((each) => each.replace(PORT, "0"))]);
    const url = await addressOf(emulator);
    const { port } = new URL(url);
    const check = () => {
      const [program, ...args] = health.map((each) => each.replace(PORT, port));
      expect(program).toBe("node");
      return codeOf(start(process.execPath, args));
    };
    expect(await check()).toBe(0);
    emulator.kill("SIGTERM");
    expect(await codeOf(emulator)).toBe(0);
    expect(await check()).toBe(1);
  });

  it("is reached by a container beside it under the name that is told", async () => {
    const { services } = parse(await read("docker/compose.yaml"));
    const emulator = start(process.execPath, [
      ...COMMAND,
      ...services.emulator.command.map((each: string) => each.replace(/^4010$/, "0")),
    ]);
    expect(await addressOf(emulator)).toBe(services.app.environment.MODEL_GATEWAY_BASE_URL);
    expect(services.emulator.ports).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
    expect(services.app.depends_on.emulator.condition).toBe("service_healthy");
  });

  it("has an application beside it that finds its models", async () => {
    const { services } = parse(await read("docker/compose.yaml"));
    const emulator = start(process.execPath, [...COMMAND, "start", "--port", "0"]);
    const url = await addressOf(emulator);
    const [program, ...args] = services.app.command as string[];
    expect(program).toBe("node");
    const app = start(process.execPath, args, { ...services.app.environment, MODEL_GATEWAY_BASE_URL: url });
    expect((await text(app.stdout as NodeJS.ReadableStream)).split("\n")).toContain("local-chat");
  });
});

describe("the action", () => {
  /** Runs its only step as a runner does, with sources in place of what npx would fetch. */
  async function runAction(inputs: Record<string, string>) {
    const action = parse(await read("action/action.yml"));
    const [step] = action.runs.steps;
    const folder = await mkdtemp(join(tmpdir(), "action-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [npx, fetched, pid] = ["npx", "fetched", "pid"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const command = COMMAND.map((each) => `'${each}'`).join(" ");
    await writeFile(
      npx,
      `#!/bin/bash\nuntil [ "$1" = model-gateway-emulator ]; do echo "$1" >> '${fetched}'; shift; done\nshift\n` +
        `echo $$ > '${pid}'\ncd '${PACKAGE}'\nexec '${process.execPath}' ${command} "$@"\n`,
    );
    await chmod(npx, 0o755);
    const [env, output] = [join(folder, "env"), join(folder, "output")];
    const given = Object.fromEntries(
      Object.entries(step.env as Record<string, string>).map(([name, value]) => {
        const input = /inputs\.(\w+)/.exec(value)?.[1] ?? "";
        return [name, inputs[input] ?? action.inputs[input].default];
      }),
    );
    const child = start("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      ...given,
      ...{
        PATH: `${folder}:${process.env["PATH"]}`,
        RUNNER_TEMP: folder,
        GITHUB_ENV: env,
        GITHUB_OUTPUT: output,
      },
    });
    const said = text(child.stdout as NodeJS.ReadableStream);
    const code = await codeOf(child);
    const started = Number(await readFile(pid, "utf8").catch(() => "0"));
    onTestFinished(() => {
      if (started > 0 && code === 0) process.kill(started, "SIGKILL");
    });
    const variables = Object.fromEntries(
      (await readFile(env, "utf8").catch(() => ""))
        .split("\n")
        .filter(Boolean)
        .map((line) => line.split(/=(.*)/s)),
    ) as Record<string, string>;
    return {
      code,
      said,
      variables,
      fetched: await readFile(fetched, "utf8"),
      output: await readFile(output, "utf8").catch(() => ""),
    };
  }

  it("starts the emulator with its options, for the steps that follow", async () => {
    const inputs = { arguments: "--model gpt-4o=local-chat --any-key", version: "1.2.3" };
    const { code, variables, fetched, output } = await runAction(inputs);
    expect(code).toBe(0);
    expect(fetched.trim().split("\n")).toEqual([
      ...["--yes", "-p", "@model-gateway/emulator@1.2.3", "-p", "@model-gateway/emulator-media"],
    ]);
    const url = variables["MODEL_GATEWAY_BASE_URL"] ?? "";
    expect(output).toBe(`url=${url}\n`);
    const addresses = Object.entries(variables).filter(([name]) => name.endsWith("BASE_URL"));
    expect(addresses).toHaveLength(4);
    for (const [, address] of addresses) {
      const response = await fetch(`${address}/models`, { headers: { authorization: "Bearer any" } });
      expect(await response.text()).toContain("gpt-4o");
    }
  });

  it("fails, and says why, where the emulator does not start", async () => {
    const { code, said } = await runAction({ arguments: "--no-such-option", media: "false" });
    expect(code).toBe(1);
    expect(await said).toMatch(/no-such-option[\s\S]*::error::The emulator did not start\./);
  });
});
