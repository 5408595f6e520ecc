import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  entry: {
    index: "src/index.ts",
    cli: "src/cli.ts",
    jest: "src/jest.ts",
    "node-test": "src/node-test.ts",
    playwright: "src/playwright.ts",
    simulation: "src/simulation.ts",
    // The thread's script is a file of its own, next to the bundle that starts it.
    "thinking-thread": "src/chat/thinking-thread.ts",
    vitest: "src/vitest.ts",
  },
  // Jest loads what it runs as CommonJS. The command and vitest are ES modules in any case: `files` of the package
  // leaves the rest out.
  format: ["esm", "cjs"],
  // Those of the console.
  findsFiles: true,
});
