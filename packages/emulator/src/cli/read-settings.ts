import { readFile } from "node:fs/promises";
import type { EmulatorOptions } from "../emulator-options.js";
import { type Profile, settleProfile } from "../profiles/profile.js";
import { readRepliesFiles } from "../replies/read-replies-file.js";
import type { EmulatorSettings, SettingsFiles } from "./parse-command.js";

/** The options of a command line, with what its files hold. @throws Error that names the file and what is wrong with it */
export async function readSettings(
  settings: EmulatorSettings,
  files: SettingsFiles,
): Promise<EmulatorOptions> {
  const replies = await readRepliesFiles(files.replies);
  if (files.profile === undefined) return { ...settings, replies };
  return { ...settings, replies, profile: await readProfile(files.profile) };
}

async function readProfile(file: string): Promise<Profile> {
  try {
    return settleProfile(JSON.parse(await readFile(file, "utf8")) as Profile);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}
