import { createEmulator } from "../create-emulator.js";
import type { Emulator } from "../emulator.js";
import type { EmulatorOptions } from "../emulator-options.js";

/** The hooks of a test runner. */
export interface RunnerHooks {
  beforeAll(hook: () => Promise<void>): void;
  beforeEach(hook: () => void): void;
  afterAll(hook: () => Promise<void>): void;
}

/**
 * Makes the `useEmulator` of a test runner: an emulator for the tests of a file, or of the block in which it is called. It listens
 * on a free port before the first of them, is reset before each, and closes after the last.
 */
export function useEmulatorIn(
  { beforeAll, beforeEach, afterAll }: RunnerHooks,
  options: EmulatorOptions,
): Emulator {
  const emulator = createEmulator(options);
  beforeAll(async () => {
    await emulator.listen();
  });
  beforeEach(() => emulator.reset());
  afterAll(() => emulator.close());
  return emulator;
}
