// Puts the media that were made ahead beside the bundle.
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";

cpSync(fileURLToPath(new URL(".", import.meta.url)), process.argv[2] ?? "dist/fallback", {
  recursive: true,
  filter: (path) => !path.endsWith(".mjs"),
});
