import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** One flat project with the tests that `scripts/mutation.mjs` names: what Stryker runs for each mutant. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../packages/core", import.meta.url)),
    include: process.env["MUTATION_TESTS"]?.split(",") ?? ["src/**/*.test.ts"],
    testTimeout: 10_000,
    hookTimeout: 10_000,
    expect: { poll: { timeout: 4_000 } },
    maxWorkers: 1,
  },
});
