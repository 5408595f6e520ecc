import type { EmulatorOptions } from "../index.js";
import { bearer, startEmulator } from "./start-emulator.js";

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each looked at by its test
type Body = any;

export interface NativeAnswer {
  status: number;
  body: Body;
}

/** Tasks that do nothing unless the clock is moved. */
const SLOW = { videoTimings: { queuedMs: 60_000, runningMs: 60_000 } };

/** An emulator, and calls of whole paths. */
export async function startNative(options: EmulatorOptions) {
  const started = await startEmulator({ ...SLOW, ...options });
  const { emulator } = started;
  const call = async (
    method: string,
    path: string,
    {
      body,
      key = "sk-emulator",
      headers = {},
    }: { body?: unknown; key?: string; headers?: Record<string, string> } = {},
  ): Promise<NativeAnswer> => {
    const response = await fetch(new URL(path, emulator.url), {
      ...{ method, headers: { ...bearer(key), "content-type": "application/json", ...headers } },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { ...started, call };
}
