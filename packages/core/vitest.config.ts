import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

export default defineConfig({
  test: {
    ...testOptions,
    // Its tests turn the clock, replace timers and weigh processor time: each file has a process of its own.
    isolate: true,
  },
});
