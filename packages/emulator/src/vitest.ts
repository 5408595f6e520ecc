export type { Emulator } from "./emulator.js";
export type { EmulatorOptions } from "./emulator-options.js";
export { emulatorGlobalSetup } from "./vitest/emulator-global-setup.js";
export { useEmulator } from "./vitest/use-emulator.js";
