import { emulatorEnvironment } from "./cli/environment.js";
import { createEmulator } from "./create-emulator.js";
import type { Emulator } from "./emulator.js";
import type { EmulatorOptions } from "./emulator-options.js";

export type { Emulator } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";

/** What tests are given. */
export interface EmulatorFixtures {
  /** As new before each test. */
  emulator: Emulator;
}

/** What all tests of a worker share. */
export interface EmulatorWorkerFixtures {
  /** The emulator of the worker, listening. */
  workerEmulator: Emulator;
}

type Use<T> = (value: T) => Promise<void>;

/** Fixtures for Playwright's `test.extend`. */
export interface EmulatorFixtureDefinitions {
  workerEmulator: [(given: Record<never, never>, use: Use<Emulator>) => Promise<void>, { scope: "worker" }];
  emulator: (given: { workerEmulator: Emulator }, use: Use<Emulator>) => Promise<void>;
}

/**
 * Fixtures for Playwright: an emulator for each worker, reset before each test that asks for it. What the worker starts finds it by
 * the `MODEL_GATEWAY_*` variables, which are set for the worker.
 *
 * @param options of the emulator, and the port it listens on (any free one): a fixed one for a server that `webServer` starts
 * @example
 * ```ts
 * const test = base.extend<EmulatorFixtures, EmulatorWorkerFixtures>(emulatorFixtures({ seed: 1 }));
 *
 * test("answers", async ({ page, emulator }) => {
 *   emulator.replies.add({ when: { text: "refund" }, reply: "Five days." });
 *   await page.goto("/");
 * });
 * ```
 * @throws TypeError for an option out of range
 */
export function emulatorFixtures({
  port,
  ...options
}: EmulatorOptions & { port?: number } = {}): EmulatorFixtureDefinitions {
  return {
    workerEmulator: [
      // Playwright reads from the pattern what a fixture needs.
      // biome-ignore lint/correctness/noEmptyPattern: and this one needs nothing.
      async ({}, use) => {
        const emulator = await createEmulator(options).listen({ port });
        Object.assign(process.env, emulatorEnvironment(emulator));
        await use(emulator);
        await emulator.close();
      },
      { scope: "worker" },
    ],
    emulator: async ({ workerEmulator }, use) => {
      workerEmulator.reset();
      await use(workerEmulator);
    },
  };
}
