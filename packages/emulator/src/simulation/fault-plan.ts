import { namedRandom, type Random } from "./seeded-random.js";

/**
 * What may go wrong, each as the share of the occasions on which it does, from 0 to 1. What is left out has the share in
 * `DEFAULT_FAULTS`.
 */
export interface SimulatedFaults {
  /** The connection is refused: nothing reaches the gateway. */
  refuse?: number;
  /** The connection breaks after the request was sent and before the gateway acted on it. */
  resetBefore?: number;
  /** The gateway acts, and the connection breaks before its answer arrives. */
  resetAfter?: number;
  /** The answer breaks off anywhere, told or not. */
  cut?: number;
  /** Something before the gateway answers in its place: 408, 429, 500, 502, 503, or a page of HTML. */
  refusedByProxy?: number;
  /** The gateway acts, and something before it answers in its place: 408, 500, 502, 503, 504, or a page of HTML. */
  replacedByProxy?: number;
  /** The answer takes up to two minutes. */
  delay?: number;
  /** A callback gets lost, comes twice, late, or beside a forged one. */
  callback?: number;
  /** A process dies at a read or write, and starts again later. */
  crash?: number;
  /** With the process, the machine goes down: what was not synced is lost or torn. */
  powerFailure?: number;
  /** A write finds no room on the disk. */
  diskFull?: number;
  /** The disk does not confirm that it wrote. */
  syncFails?: number;
}

export type FaultName = keyof SimulatedFaults;

export const DEFAULT_FAULTS: Required<SimulatedFaults> = {
  refuse: 0.04,
  resetBefore: 0.04,
  resetAfter: 0.06,
  cut: 0.06,
  refusedByProxy: 0.06,
  replacedByProxy: 0.03,
  delay: 0.05,
  callback: 0.3,
  crash: 0.02,
  powerFailure: 0.5,
  diskFull: 0.01,
  syncFails: 0.005,
};

/** A fault that came about. */
export interface InjectedFault {
  /** Names the occasion: what shrinking leaves out. */
  id: string;
  name: FaultName;
}

/** Decides what goes wrong: each occasion by its own name, so that leaving one fault out changes no other. */
export class FaultPlan {
  readonly injected: InjectedFault[] = [];
  readonly #seed: number;
  readonly #shares: Required<SimulatedFaults>;
  readonly #without: ReadonlySet<string>;
  #left: number;

  /**
   * @param most faults in one run
   * @param without ids of faults that are left out
   */
  constructor(seed: number, faults: SimulatedFaults, most: number, without: ReadonlySet<string>) {
    this.#seed = seed;
    this.#shares = { ...DEFAULT_FAULTS, ...faults };
    this.#left = most;
    this.#without = without;
  }

  /**
   * Whether one of these faults comes about on this occasion, and which.
   *
   * @param occasion a name that comes once in a run
   */
  decide(occasion: string, names: readonly FaultName[]): FaultName | undefined {
    const roll = this.random(occasion)();
    let share = 0;
    for (const name of names) {
      share += this.#shares[name];
      if (roll >= share) continue;
      if (this.#left === 0) return undefined;
      const id = `${name} at ${occasion}`;
      // Counted all the same: otherwise another fault would take its place.
      this.#left -= 1;
      if (this.#without.has(id)) return undefined;
      this.injected.push({ id, name });
      return name;
    }
    return undefined;
  }

  /** Numbers for the details of what happens on an occasion. */
  random(occasion: string): Random {
    return namedRandom(this.#seed, occasion);
  }
}
