// Starts the media thread in development; start-media-thread.ts says why. Not part of the published package.
import { existsSync } from "node:fs";
import { register } from "tsx/esm/api";
import { makeAssets } from "../assets/make-assets.mjs";

register();
const { assetPath } = await import("../assets/asset-folder.ts");
// The build makes them otherwise; from source there is none.
if (!existsSync(assetPath(""))) await makeAssets(assetPath(""));
await import("./media-thread.ts");
