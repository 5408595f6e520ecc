import { Worker } from "node:worker_threads";

/**
 * Starts the media thread.
 *
 * In the published package its script is `media-thread.js`, next to the bundle that this file is part of. From
 * source it is TypeScript, and whether this side runs under tsx or Vitest, their loaders do not reach into threads
 * on Node 20 (nor does `--import tsx`, which acts on the main thread only). So the thread starts with a plain
 * JavaScript file that registers tsx and goes on to `media-thread.ts`.
 */
export function startMediaThread(): Worker {
  const fromSource = new URL(import.meta.url).pathname.endsWith(".ts");
  const script = fromSource ? "./media-thread-from-source.mjs" : "./media-thread.js";
  // Options of the main thread, such as its loader, are not meant for this one.
  return new Worker(new URL(script, import.meta.url), { execArgv: [] });
}
