import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

export default defineConfig({
  // A world stands in for the clock and the disk of its process: nobody else may be in there.
  test: { ...testOptions, isolate: true },
});
