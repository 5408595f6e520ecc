import { definePackageBuild } from "../../tooling/define-package-build.js";

export default definePackageBuild({
  entry: Object.fromEntries(
    ["embedding", "image", "index", "language", "resumable", "speech", "video"].map((name) => [
      name,
      `src/${name}.ts`,
    ]),
  ),
  format: ["esm"],
  platform: "neutral",
});
