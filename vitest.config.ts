import { existsSync, readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** Packages and examples; one with a configuration of its own keeps it. */
const projects = ["packages", "examples"].filter(existsSync).flatMap((parent) =>
  readdirSync(parent).map((folder) => {
    const root = `${parent}/${folder}`;
    if (existsSync(`${root}/vitest.config.ts`)) return root;
    const { name } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { name: string };
    return { extends: true as const, root, test: { name } };
  }),
);

export default defineConfig({
  test: {
    projects: [...projects, "packages/nestjs/vitest.nest-11.config.ts"],
    // Real encoders and real servers on two cores: slow is not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // More workers than cores only wait for each other.
    maxWorkers: 2,
  },
});
