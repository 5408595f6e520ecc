import { emulatorEnvironment } from "../cli/environment.js";
import { createEmulator } from "../create-emulator.js";
import type { EmulatorOptions } from "../emulator-options.js";

/**
 * A global setup for vitest: one emulator for the whole run, with the `MODEL_GATEWAY_*` variables set for every test.
 * It is not reset between tests, as they run at the same time.
 *
 * @param options of the emulator, and the port it listens on (any free one)
 * @returns the setup, which resolves to its teardown: it closes the emulator and puts the variables back
 * @example
 * ```ts
 * // emulator.setup.ts, named in `test.globalSetup` of the configuration
 * import { emulatorGlobalSetup } from "@model-gateway/emulator/vitest";
 *
 * export default emulatorGlobalSetup({ seed: 1 });
 * ```
 */
export function emulatorGlobalSetup({
  port,
  ...options
}: EmulatorOptions & { port?: number } = {}): () => Promise<() => Promise<void>> {
  return async () => {
    const emulator = await createEmulator(options).listen({ port });
    const environment = emulatorEnvironment(emulator);
    const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, environment);
    return async () => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await emulator.close();
    };
  };
}
