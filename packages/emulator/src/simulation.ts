export {
  DEFAULT_FAULTS,
  type FaultName,
  type InjectedFault,
  type SimulatedFaults,
} from "./simulation/fault-plan.js";
export { type Invariant, STANDARD_INVARIANTS } from "./simulation/invariants.js";
export type { SimulatedServer } from "./simulation/network.js";
export type { Outcome, Purchase, Purchases } from "./simulation/purchases.js";
export type { RunResult, Scenario } from "./simulation/run-world.js";
export {
  replay,
  type SimulationFailure,
  type SimulationOptions,
  type SimulationReport,
  simulate,
} from "./simulation/simulate.js";
export type { SimulatedDisk } from "./simulation/simulated-disk.js";
export type { Extent, SimulatedService, World } from "./simulation/world.js";
