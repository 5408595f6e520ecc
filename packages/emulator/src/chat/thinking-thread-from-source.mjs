// Starts the thread that composes long replies in development; start-thinking-thread.ts says why. Not part of the published package.
import { register } from "tsx/esm/api";

register();
await import("./thinking-thread.ts");
