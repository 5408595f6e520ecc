import type { EmulatorOptions } from "../emulator-options.js";
import type { SimulatedFaults } from "./fault-plan.js";
import { type Invariant, STANDARD_INVARIANTS } from "./invariants.js";
import { type RunResult, type RunSettings, runWorld, type Scenario } from "./run-world.js";
import { shrink } from "./shrink.js";

/** Settings of a simulation. */
export interface SimulationOptions {
  /** What happens in each world: it is given the world, and ends it by resolving. */
  app: Scenario;
  /** The first seed. Default 1. */
  seed?: number;
  /** How many worlds, each with the next seed. Default 100. */
  runs?: number;
  /** How often what goes wrong. Default `DEFAULT_FAULTS`. */
  faults?: SimulatedFaults;
  /** The most faults in one world; how many there may be, from none on, follows the seed. Default 6. */
  maxFaults?: number;
  /** What must hold beside, or in place of, `STANDARD_INVARIANTS`; `false` leaves one of those out. */
  invariants?: Record<string, Invariant | false>;
  /** A world that goes on for longer, in milliseconds of its own clock, does not come to an end. Default a day. */
  maxVirtualMs?: number;
  /** Settings of the gateway, without its seed. */
  emulator?: Omit<EmulatorOptions, "seed">;
  /** Whether to look for a shorter story of a world that failed. Default true. */
  shrink?: boolean;
  /** Told after each world. */
  onRun?: (run: { seed: number; result: RunResult }) => void;
}

/** A world in which something did not hold. */
export interface SimulationFailure {
  /** `replay` makes the same world of it again. */
  seed: number;
  /** What did not hold. */
  violation: string;
  /** The shortest run of this seed that was found in which the same does not hold, a line for each thing that happened. */
  story: readonly string[];
  /** The faults of that run. */
  faults: readonly string[];
}

/** What a simulation found. */
export interface SimulationReport {
  runs: number;
  /** Requests to the gateway, in all worlds. */
  requests: number;
  /** Faults, in all worlds, by name. */
  faults: Record<string, number>;
  /** Milliseconds on the clocks of the worlds. */
  virtualMs: number;
  /** Milliseconds on the wall. */
  wallMs: number;
  /** The first world that failed; the simulation ends with it. */
  failure?: SimulationFailure;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Runs an application in worlds where everything that can go wrong does: one seed decides every delay, fault, crash and
 * interleaving, so that what failed once fails again. A second of wall time is hours of a world.
 *
 * While a world is there it stands in for the date, chance and, below `world.disk.path`, the disk of this process, and for
 * timers, `fetch` and the console of the code in it. Two simulations cannot run at once.
 *
 * @example
 * const { failure } = await simulate({
 *   runs: 500,
 *   async app(world) {
 *     const gateway = new ModelGateway({ apiKey: world.apiKey, baseURL: world.baseURL, fetch: world.fetch });
 *     await world.intend("picture", () => gateway.images.generate({ model: "local-image", prompt: "a fox" })).catch(() => {});
 *   },
 * });
 * @throws Error when another simulation is under way
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { seed = 1, runs = 100, onRun } = options;
  const report: SimulationReport = { runs: 0, requests: 0, faults: {}, virtualMs: 0, wallMs: 0 };
  const startedAt = performance.now();
  for (let number = 0; number < runs; number++) {
    const settings = settingsOf(options, seed + number);
    const result = await alone(() => runWorld(settings));
    report.runs += 1;
    report.requests += result.requests;
    report.virtualMs += result.virtualMs;
    for (const { name } of result.faults) report.faults[name] = (report.faults[name] ?? 0) + 1;
    onRun?.({ seed: settings.seed, result });
    if (result.violation === undefined) continue;
    const shortest = options.shrink === false ? result : await alone(() => shrink(settings, result));
    const { violation = "", story, faults } = shortest;
    report.failure = { seed: settings.seed, violation, story, faults: faults.map(({ id }) => id) };
    break;
  }
  report.wallMs = performance.now() - startedAt;
  return report;
}

/** Makes the world of one seed again, whole. */
export function replay(options: SimulationOptions, seed: number): Promise<RunResult> {
  return alone(() => runWorld(settingsOf(options, seed)));
}

function settingsOf(options: SimulationOptions, seed: number): RunSettings {
  const { app, faults = {}, maxFaults = 6, maxVirtualMs = DAY_MS, emulator = {}, invariants = {} } = options;
  const held = Object.entries({ ...STANDARD_INVARIANTS, ...invariants });
  return {
    ...{ seed, app, faults, maxFaults, maxVirtualMs, emulator },
    invariants: Object.fromEntries(held.filter((entry): entry is [string, Invariant] => entry[1] !== false)),
  };
}

let isBusy = false;

async function alone<T>(work: () => Promise<T>): Promise<T> {
  if (isBusy)
    throw new Error("Another simulation is under way in this process: wait for it, or use another process.");
  isBusy = true;
  try {
    return await work();
  } finally {
    isBusy = false;
  }
}
