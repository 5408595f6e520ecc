import { createEmulator } from "../create-emulator.js";
import { describeMedia } from "./describe-media.js";
import { closeAndExport, requireExportable } from "./export-on-exit.js";
import type { Command } from "./parse-command.js";
import { readSettings } from "./read-settings.js";
import { startScreen } from "./start-screen.js";

/** Runs the gateway until a signal asks it to stop. Resolves to the exit code. */
export async function runStart(start: Extract<Command, { name: "start" }>): Promise<number> {
  const { exportOnExit } = start;
  if (exportOnExit !== undefined) requireExportable(exportOnExit);
  const emulator = await createEmulator(await readSettings(start.settings, start.files)).listen(
    start.address,
  );
  process.stdout.write(startScreen(emulator, await describeMedia()));
  await new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
  await closeAndExport(emulator, exportOnExit);
  return 0;
}
