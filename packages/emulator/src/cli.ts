#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" };
import { type Command, HELP, parseCommand, UsageError } from "./cli/parse-command.js";
import { runExec } from "./cli/run-exec.js";
import { runStart } from "./cli/run-start.js";

const USAGE_EXIT_CODE = 2;

void main();

async function main(): Promise<void> {
  try {
    process.exitCode = await run(parseCommand(process.argv.slice(2)));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    process.stderr.write(isUsage ? `${message}\n\n${HELP}` : `${message}\n`);
    process.exitCode = isUsage ? USAGE_EXIT_CODE : 1;
  }
}

async function run(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      process.stdout.write(HELP);
      return 0;
    case "version":
      process.stdout.write(`${packageJson.version}\n`);
      return 0;
    case "start":
      return runStart(command);
    case "exec":
      return runExec(command);
  }
}
