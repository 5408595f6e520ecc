import { after, before, beforeEach } from "node:test";
import type { Emulator } from "./emulator.js";
import type { EmulatorOptions } from "./emulator-options.js";
import { useEmulatorIn } from "./runners/use-emulator-in.js";

export type { Emulator } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";

/**
 * An emulator for the tests of a file, or of the `describe` in which it is called, under Node's own test runner: it listens
 * on a free port before the first of them, is reset before each, and closes after the last.
 *
 * Its `url` stands when the first hook or test runs, not before.
 *
 * @example
 * ```ts
 * const emulator = useEmulator({ seed: 1 });
 *
 * test("asks the gateway", async () => {
 *   await answer("When do orders ship?", { baseURL: emulator.url });
 *   assert.equal(emulator.journal.list({ path: "/chat/completions" }).length, 1);
 * });
 * ```
 * @throws TypeError for an option out of range
 */
export function useEmulator(options: EmulatorOptions = {}): Emulator {
  return useEmulatorIn({ beforeAll: before, beforeEach, afterAll: after }, options);
}
