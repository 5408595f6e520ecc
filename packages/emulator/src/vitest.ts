import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Emulator } from "./emulator.js";
import type { EmulatorOptions } from "./emulator-options.js";
import { useEmulatorIn } from "./runners/use-emulator-in.js";

export type { Emulator } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";
export { emulatorGlobalSetup } from "./runners/emulator-global-setup.js";

/**
 * An emulator for the tests of a file, or of the `describe` in which it is called: it listens on a free port before
 * the first of them, is reset before each, and closes after the last.
 *
 * Its `url` stands when the first hook or test runs, not before. The reset comes before the `beforeEach` hooks that
 * follow the call, and would take from tests that run concurrently what the others have done.
 *
 * @example
 * ```ts
 * const emulator = useEmulator({ seed: 1 });
 *
 * it("asks the gateway", async () => {
 *   await answer("When do orders ship?", { baseURL: emulator.url });
 *   expect(emulator.journal.list({ path: "/chat/completions" })).toHaveLength(1);
 * });
 * ```
 * @throws TypeError for an option out of range
 */
export function useEmulator(options: EmulatorOptions = {}): Emulator {
  return useEmulatorIn({ beforeAll, beforeEach, afterAll }, options);
}
