import { Worker } from "node:worker_threads";

/**
 * Starts the thread that composes long replies.
 *
 * In the published package its script stands next to the bundle that this file is part of. From source it is TypeScript, which
 * a thread cannot load by itself: it starts with a plain JavaScript file that registers tsx and goes on from there.
 */
export function startThinkingThread(): Worker {
  const fromSource = new URL(import.meta.url).pathname.endsWith(".ts");
  const script = fromSource ? "./thinking-thread-from-source.mjs" : "./thinking-thread.js";
  // Options of the main thread, such as its loader, are not meant for this one.
  return new Worker(new URL(script, import.meta.url), { execArgv: [] });
}
