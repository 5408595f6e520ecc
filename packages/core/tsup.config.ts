import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  entry: { index: "src/index.ts", node: "src/node.ts" },
  format: ["esm", "cjs"],
  platform: "neutral",
});
