import type { Emulator } from "./emulator.js";
import type { EmulatorOptions } from "./emulator-options.js";
import { type RunnerHooks, useEmulatorIn } from "./runners/use-emulator-in.js";

export type { Emulator } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";
export type { RunnerHooks } from "./runners/use-emulator-in.js";

/**
 * An emulator for the tests of a file, or of the `describe` in which it is called, under Jest: it listens on a free port
 * before the first of them, is reset before each, and closes after the last.
 *
 * Its `url` stands when the first hook or test runs, not before.
 *
 * @param hooks those of `@jest/globals`, where `injectGlobals` is off. Default: the globals
 * @example
 * ```ts
 * const emulator = useEmulator({ seed: 1 });
 *
 * it("asks the gateway", async () => {
 *   await answer("When do orders ship?", { baseURL: emulator.url });
 *   expect(emulator.journal.list({ path: "/chat/completions" })).toHaveLength(1);
 * });
 * ```
 * @throws TypeError for an option out of range, or where there are no hooks
 */
export function useEmulator(
  options: EmulatorOptions = {},
  hooks: Partial<RunnerHooks> = globalThis as Partial<RunnerHooks>,
): Emulator {
  const { beforeAll, beforeEach, afterAll } = hooks;
  if (!beforeAll || !beforeEach || !afterAll) {
    throw new TypeError(
      "useEmulator found no hooks of Jest. Call it in a test file; with injectGlobals off, give it those of @jest/globals.",
    );
  }
  return useEmulatorIn({ beforeAll, beforeEach, afterAll }, options);
}
