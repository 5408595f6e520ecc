import { defineConfig } from "vitest/config";
import { testOptions } from "../../tooling/test-options.js";

export default defineConfig({
  test: {
    ...testOptions,
    globalSetup: "test/provide-embedded-postgres.ts",
  },
});
