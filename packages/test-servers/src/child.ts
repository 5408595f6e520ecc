import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { build } from "esbuild";
import { onTestFinished } from "vitest";

/** A program for processes of their own. */
export interface Program {
  file: string;
  remove(): Promise<void>;
}

/**
 * Compiles `test/children/NAME.ts` of a package. In that package's folder, so that what is external is found from there as
 * it is from `dist`.
 *
 * @param packageFolder ends in a slash
 */
export async function compileProgram(
  packageFolder: string,
  name: string,
  external: readonly string[],
): Promise<Program> {
  const folder = await mkdtemp(`${packageFolder}node_modules/.child-`);
  const file = `${folder}/${name}.mjs`;
  await build({
    absWorkingDir: packageFolder,
    entryPoints: [`test/children/${name}.ts`],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: [...external],
    logLevel: "silent",
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Starts a program that talks with `process.send`; it is killed when the test is over.
 *
 * @param wrapper a command that ends with running what stands behind it
 */
export function startChild(file: string, argument: unknown, wrapper: readonly string[] = []): Child {
  const [command = "", ...words] = [...wrapper, process.execPath, file, JSON.stringify(argument)];
  const child = spawn(command, words, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return new Child(child);
}

export class Child {
  readonly exit: Promise<string | number>;
  private readonly messages: unknown[] = [];
  private wake = () => {};

  constructor(readonly process: ChildProcess) {
    this.exit = once(process, "exit").then(([code, signal]) => signal ?? code);
    process.on("message", (message) => {
      this.messages.push(message);
      this.wake();
    });
    process.on("exit", () => this.wake());
  }

  send(message: object): void {
    this.process.send(message);
  }

  /** The next message of the program, or undefined when it has ended. */
  async next(): Promise<unknown> {
    while (this.messages.length === 0) {
      if (this.process.exitCode !== null || this.process.signalCode !== null) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    return this.messages.shift();
  }
}
