// Starts the media thread in development; start-media-thread.ts says why. Not part of the published package.
import { register } from "tsx/esm/api";

register();
await import("./media-thread.ts");
