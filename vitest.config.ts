import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "examples/*"],
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
  },
});
