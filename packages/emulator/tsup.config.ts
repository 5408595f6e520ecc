import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  entry: { index: "src/index.ts", cli: "src/cli.ts", vitest: "src/vitest.ts" },
  format: ["esm"],
});
