import { expect } from "vitest";

/** `expect.poll` with time enough for other processes and servers on a busy machine. */
export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: 20_000, ...options });
