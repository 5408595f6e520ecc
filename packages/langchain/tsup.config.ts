import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  entry: { index: "src/index.ts", middleware: "src/middleware.ts", tools: "src/tools.ts" },
  format: ["esm", "cjs"],
});
