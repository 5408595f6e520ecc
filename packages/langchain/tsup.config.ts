import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  entry: { index: "src/index.ts", tools: "src/tools.ts" },
  format: ["esm", "cjs"],
});
