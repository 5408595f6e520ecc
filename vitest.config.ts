import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { testOptions } from "./tooling/test-options.js";

const repository = dirname(fileURLToPath(import.meta.url));

/** Packages, examples and tests on other versions of peers; every configuration of their own that they have, else this one. */
const projects = ["packages", "examples", "matrix"]
  .map((parent) => join(repository, parent))
  .filter(existsSync)
  .flatMap((parent) => readdirSync(parent).map((folder) => join(parent, folder)))
  .flatMap((root) => {
    // What mutation testing runs is the same tests once more.
    const own = readdirSync(root).filter((file) => /^vitest\.(?!stryker\.).*config\.ts$/.test(file));
    const configs = own.map((file) => join(root, file));
    if (own.includes("vitest.config.ts")) return configs;
    const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name: string };
    return [{ extends: true as const, root, test: { name } }, ...configs];
  });

export default defineConfig({
  test: {
    projects,
    ...testOptions,
  },
});
