import { AsyncLocalStorage } from "node:async_hooks";

/** Of the gateway, for which all that it does belongs to the world and not to an application. */
export const GATEWAY_PID = 1;

/** A process of the simulated world: whose code runs, and whether it still may. */
export interface Owner {
  name: string;
  /** Of this incarnation: one that starts again gets another. */
  pid: number;
  alive: boolean;
  /** Whether it was killed: what it had under way is gone with it. One that ends by itself leaves it behind. */
  killed: boolean;
  /** Whether faults may kill it. */
  mortal: boolean;
  /** Reads and writes so far: what moments of its death are named by. */
  operations: number;
  /** Told when it dies. */
  onDeath: Set<() => void>;
}

/** What runs right now. */
export interface Running {
  owner: Owner;
  /** The purchase that the work belongs to. */
  intent?: string;
}

export const running = new AsyncLocalStorage<Running>();

/** Work of a process that is dead comes here and goes no further. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
