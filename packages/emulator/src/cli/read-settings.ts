import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EmulatorOptions } from "../emulator-options.js";
import { STATE_FILE } from "../persistence/data-folder.js";
import type { EmulatorState } from "../persistence/state-document.js";
import { type Profile, settleProfile } from "../profiles/profile.js";
import { readRepliesFiles } from "../replies/read-replies-file.js";
import type { EmulatorSettings, SettingsFiles } from "./parse-command.js";

/** The options of a command line, with what its files hold. @throws Error that names the file and what is wrong with it */
export async function readSettings(
  settings: EmulatorSettings,
  files: SettingsFiles,
): Promise<EmulatorOptions> {
  const replies = await readRepliesFiles(files.replies);
  const { dataDir } = settings;
  if (files.state !== undefined && dataDir !== undefined && existsSync(join(dataDir, STATE_FILE))) {
    process.stderr.write(
      `${dataDir} goes on with the state that it holds; ${files.state} is not imported.\n`,
    );
  }
  return {
    ...settings,
    replies,
    ...(files.profile !== undefined && { profile: await readProfile(files.profile) }),
    ...(files.state !== undefined && { state: await readState(files.state) }),
  };
}

/** What is in it is looked at when it comes into force. */
async function readState(file: string): Promise<EmulatorState> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as EmulatorState;
  } catch (error) {
    throw new Error(`${file} cannot be imported: ${error instanceof Error ? error.message : error}`);
  }
}

async function readProfile(file: string): Promise<Profile> {
  try {
    return settleProfile(JSON.parse(await readFile(file, "utf8")) as Profile);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}
