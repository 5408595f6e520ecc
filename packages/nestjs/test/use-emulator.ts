import { createEmulator, type Emulator, type EmulatorOptions, WELL_KNOWN_KEY } from "@model-gateway/emulator";
import { onTestFinished } from "vitest";
import { MemoryVideoTaskStore } from "../src/index.js";

/** A gateway on a port of its own, and the options that lead to it. */
export async function useEmulator(
  options: EmulatorOptions = {},
): Promise<{ emulator: Emulator; connection: { apiKey: string; baseURL: string } }> {
  const emulator = await createEmulator(options).listen();
  onTestFinished(() => emulator.close());
  return { emulator, connection: { apiKey: WELL_KNOWN_KEY, baseURL: emulator.url } };
}

/** Polls at once and often: nothing here waits for anybody else's gateway. Each use keeps its tasks to itself. */
export const FAST_POLLS = {
  intervalMs: 5,
  ratePerSecond: 1_000,
  get store() {
    return new MemoryVideoTaskStore();
  },
};

export const VIDEO = {
  model: "local-video-2.0",
  content: [{ type: "text" as const, text: "A paper boat on a river" }],
  duration: 4,
  resolution: "480p",
};
