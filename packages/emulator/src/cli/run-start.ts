import { createEmulator } from "../create-emulator.js";
import { readRepliesFiles } from "../replies/read-replies-file.js";
import { describeMedia } from "./describe-media.js";
import type { Command } from "./parse-command.js";
import { startScreen } from "./start-screen.js";

/** Runs the gateway until a signal asks it to stop. Resolves to the exit code. */
export async function runStart(start: Extract<Command, { name: "start" }>): Promise<number> {
  const replies = await readRepliesFiles(start.repliesFiles);
  const emulator = await createEmulator({ ...start.settings, replies }).listen(start.address);
  process.stdout.write(startScreen(emulator, await describeMedia()));
  await new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
  await emulator.close();
  return 0;
}
