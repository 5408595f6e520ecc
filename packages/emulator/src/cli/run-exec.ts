import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createEmulator } from "../create-emulator.js";
import type { Emulator } from "../emulator.js";
import { emulatorEnvironment, openaiEnvironment } from "./environment.js";
import { closeAndExport, requireExportable } from "./export-on-exit.js";
import type { Command } from "./parse-command.js";
import { readSettings } from "./read-settings.js";

const PASSED_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const SHOWN_UNUSED = 20;
const COMMAND_NOT_FOUND = 127;
const SIGNAL_EXIT_BASE = 128;

/**
 * Runs a command with a gateway of its own and the `MODEL_GATEWAY_*` variables set. Signals are passed on.
 * Resolves to the command's exit code, as a shell would report it.
 */
export async function runExec(exec: Extract<Command, { name: "exec" }>): Promise<number> {
  const { exportOnExit } = exec;
  if (exportOnExit !== undefined) requireExportable(exportOnExit);
  const emulator = await createEmulator(await readSettings(exec.settings, exec.files)).listen({ port: 0 });
  try {
    const code = await runCommand(exec.command, exec.commandArguments, {
      ...emulatorEnvironment(emulator),
      ...(exec.openaiEnvironment && openaiEnvironment(emulator)),
    });
    tellUnused(emulator);
    return code;
  } finally {
    await closeAndExport(emulator, exportOnExit);
  }
}

/** What nothing asks for any more says something else than the code does. */
function tellUnused({ recordings }: Emulator): void {
  const unused = recordings.unused();
  if (unused.length === 0) return;
  const files = unused.slice(0, SHOWN_UNUSED).map(({ file }) => `  ${file}\n`);
  const more = unused.length > SHOWN_UNUSED ? `  and ${unused.length - SHOWN_UNUSED} more\n` : "";
  process.stderr.write(`${unused.length} recordings were not used:\n${files.join("")}${more}`);
}

function runCommand(
  command: string,
  commandArguments: readonly string[],
  environment: Record<string, string>,
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, commandArguments, {
      stdio: "inherit",
      env: { ...process.env, ...environment },
      // npm and its kin are batch files there.
      shell: process.platform === "win32",
    });
    const passOn = (signal: NodeJS.Signals) => {
      // A terminal sends Ctrl+C to the command as well; twice would tell it to hurry.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of PASSED_SIGNALS) process.on(signal, passOn);
    const finish = (code: number) => {
      for (const signal of PASSED_SIGNALS) process.off(signal, passOn);
      resolve(code);
    };
    child.once("error", (error) => {
      process.stderr.write(`Could not run ${command}: ${error.message}\n`);
      finish(COMMAND_NOT_FOUND);
    });
    child.once("exit", (code, signal) => {
      finish(code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
