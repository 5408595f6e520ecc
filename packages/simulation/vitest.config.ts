import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

export default defineConfig({
  test: {
    ...testOptions,
    // A world stands in for the clock and the disk of its process: nobody else may be in there.
    isolate: true,
    // Hundreds of worlds each: on a busy machine they take their time, and none of it is the worlds'.
    testTimeout: 600_000,
  },
});
