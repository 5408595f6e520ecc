import { expect } from "vitest";
import type { RunResult, Scenario } from "../simulation/run-world.js";
import { replay, type SimulationOptions } from "../simulation/simulate.js";

/** Lets one world happen, in which nothing goes wrong unless `options` say so, and fails with what `app` fails with. */
export async function inWorld(
  app: Scenario,
  { seed = 1, ...options }: Partial<SimulationOptions> = {},
): Promise<RunResult> {
  const result = await replay({ maxFaults: 0, ...options, app }, seed);
  expect(result.violation).toBeUndefined();
  return result;
}
