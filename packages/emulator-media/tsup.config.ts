import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  // The thread's script is a file of its own, next to the bundle that starts it.
  entry: { index: "src/index.ts", "media-thread": "src/worker/media-thread.ts" },
  format: ["esm"],
});
