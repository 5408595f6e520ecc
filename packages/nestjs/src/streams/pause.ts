import { setTimeout } from "node:timers/promises";

/** @param options `signal`: ends it early when it aborts; `ref`: whether it keeps the process from ending, default true */
export async function pause(
  milliseconds: number,
  options: { signal?: AbortSignal; ref?: boolean } = {},
): Promise<void> {
  await setTimeout(milliseconds, undefined, options).catch(() => undefined);
}
