import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Emulator } from "../emulator.js";
import { writeAside } from "../persistence/write-aside.js";

/** Says at the start what would else be found out when it is too late. @throws Error when the file could not be written */
export function requireExportable(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
  } catch (error) {
    throw new Error(
      `--export-on-exit cannot write ${file} (${reasonOf(error)}): the state would be lost at the end.`,
    );
  }
}

/** Closes it, and writes its state to the file, whole or not at all. @throws Error that says that it is lost */
export async function closeAndExport(emulator: Emulator, file: string | undefined): Promise<void> {
  try {
    await emulator.close();
  } finally {
    if (file !== undefined) exportState(emulator, file);
  }
}

function exportState({ state }: Emulator, file: string): void {
  try {
    writeAside(resolve(file), [`${JSON.stringify(state.export(), null, 1)}\n`]);
  } catch (error) {
    throw new Error(`The state could not be written to ${file} (${reasonOf(error)}), and is lost.`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
