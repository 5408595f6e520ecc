import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "packages/nestjs/vitest.nest-11.config.ts", "examples/*"],
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
  },
});
