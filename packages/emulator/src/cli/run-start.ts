import { createEmulator } from "../create-emulator.js";
import type { ListenOptions } from "../emulator.js";
import { describeMedia } from "./describe-media.js";
import type { EmulatorSettings } from "./parse-command.js";
import { startScreen } from "./start-screen.js";

/** Runs the gateway until a signal asks it to stop. Resolves to the exit code. */
export async function runStart(address: ListenOptions, settings: EmulatorSettings): Promise<number> {
  const emulator = await createEmulator(settings).listen(address);
  process.stdout.write(startScreen(emulator, await describeMedia()));
  await new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
  await emulator.close();
  return 0;
}
