import { getEventListeners } from "node:events";
import { createEmulator } from "../create-emulator.js";
import type { Emulator } from "../emulator.js";
import type { EmulatorOptions } from "../emulator-options.js";
import type { FaultPlan, InjectedFault } from "./fault-plan.js";
import { SimulatedNetwork, type SimulatedServer } from "./network.js";
import { GATEWAY_PID, never, type Owner, running } from "./owner.js";
import { Purchases } from "./purchases.js";
import { integerFrom, namedRandom, pickFrom, type Random } from "./seeded-random.js";
import { SimulatedDisk } from "./simulated-disk.js";
import { syntheticMedia } from "./synthetic-media.js";
import { Trace } from "./trace.js";
import type { VirtualTime } from "./virtual-time.js";

/** Every world begins at the same moment. */
export const WORLD_BEGINS_AT = Date.UTC(2026, 0, 1);
const MAX_CAUSES = 5;
const LONGEST_DOWNTIME_MS = 10_000;
/** One that fails that often does not come up. */
const MAX_FAILURES = 10;
const SLOWEST_OPERATION_MS = 3;

/** How long a scenario is, as it turned out: what shrinking makes smaller. */
export interface Extent {
  name: string;
  min: number;
  value: number;
}

/** Settings of one world. */
export interface WorldSettings {
  seed: number;
  plan: FaultPlan;
  time: VirtualTime;
  emulator: EmulatorOptions;
  /** Values that `count` gives in place of those of the seed, by name. */
  extents: ReadonlyMap<string, number>;
}

/** A process of the world that starts again when it dies. */
export interface SimulatedService {
  readonly name: string;
  /** Resolves when `main` has; rejects when it has failed too often. */
  readonly ended: Promise<void>;
  /** Kills it as `SIGKILL` does, in the middle of what it does; it starts again later. */
  kill(): void;
}

/**
 * Where a simulated application lives: a gateway, a network, a disk and a clock, all of which follow the seed. Time only
 * passes while everybody waits.
 */
export class World {
  readonly seed: number;
  /** The gateway. What it has charged, its videos and its keys can be looked at. */
  readonly emulator: Emulator;
  /** A key that the gateway takes. */
  readonly apiKey = "sk-emulator";
  /** Base address of the gateway, for clients that are given {@link World.fetch}. */
  readonly baseURL: string;
  readonly disk: SimulatedDisk;
  readonly trace = new Trace(WORLD_BEGINS_AT);
  /** What was written to the console. */
  readonly log: string[] = [];
  /** @internal Where the key of the world went that is not the gateway, a sentence each. */
  readonly leaks: string[] = [];
  /** @internal */
  readonly plan: FaultPlan;
  /** @internal */
  readonly time: VirtualTime;
  /** @internal The gateway as one who sends. */
  readonly gateway: Owner = owner("gateway", GATEWAY_PID, false);
  /** What was bought with `intend`, and what the gateway charged for it. */
  readonly purchases: Purchases;
  readonly #network: SimulatedNetwork;
  readonly #settings: WorldSettings;
  readonly #owners = new Map<number, Owner>();
  readonly #extents = new Map<string, Extent>();
  /** Signals that processes were given, by the names of the processes. */
  readonly #signals: [name: string, signal: AbortSignal][] = [];
  readonly #listenersBefore = processListeners();
  #deaths = 0;
  #pids = 100_000;
  /** Whether the scenario is through: from then on nothing goes wrong. */
  over = false;

  /** @internal */
  constructor(settings: WorldSettings) {
    this.#settings = settings;
    this.seed = settings.seed;
    this.plan = settings.plan;
    this.time = settings.time;
    const options = { seed: settings.seed, ...settings.emulator };
    this.emulator = running.run({ owner: this.gateway }, () =>
      createEmulator(
        // Nobody looks at them, and a hundred worlds pass in a second.
        { journal: { bodies: "short" }, ...options },
        { media: syntheticMedia, threads: false },
      ),
    );
    this.baseURL = this.emulator.url;
    this.purchases = new Purchases(this.emulator);
    this.#network = new SimulatedNetwork(this, this.emulator);
    this.disk = new SimulatedDisk(this);
  }

  /** In place of the global `fetch`, which is this one, too, while a world is there. */
  get fetch(): typeof globalThis.fetch {
    return this.#network.fetch;
  }

  /** Numbers in [0, 1) that follow the seed, for choices of the scenario. */
  random(name: string): Random {
    return namedRandom(this.seed, `scenario ${name}`);
  }

  /**
   * How many of something: from `min` to `max`, by the seed. The same name gives the same number. A failing run is tried with
   * fewer.
   */
  count(name: string, min: number, max: number): number {
    const value = this.#settings.extents.get(name) ?? integerFrom(this.random(`count ${name}`), min, max);
    this.#extents.set(name, { name, min, value });
    return value;
  }

  /** Whether something happens that does in so many of the runs: from 0 to 1. */
  chance(name: string, share: number): boolean {
    return this.random(`chance ${name}`)() < share;
  }

  pick<T>(name: string, items: readonly T[]): T {
    return pickFrom(this.random(`pick ${name}`), items);
  }

  /** Waits on the clock of the world. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }

  /**
   * Names what somebody wants once: what `run` has the gateway do belongs to it. The same name again is the same purchase,
   * asked for once more, as after a crash.
   *
   * @param run rejects with what the buyer is told; an error that has `maybeProcessed: true`, or that
   * one has as its cause, says that it may have been paid
   * @param endpoint what is bought, as a path such as `/images/generations`, where other calls of `run` only help to buy
   * it; without one, everything that `run` pays for is
   */
  async intend<T>(name: string, run: () => Promise<T>, { endpoint }: { endpoint?: string } = {}): Promise<T> {
    const from = running.getStore();
    const purchase = this.purchases.asked(name, endpoint);
    const { owner: asking = this.gateway } = from ?? {};
    let settled = false;
    const onDeath = () => {
      if (!settled) this.purchases.told(purchase, { told: "cut" });
    };
    asking.onDeath.add(onDeath);
    try {
      const result = await running.run({ owner: asking, intent: name }, run);
      this.purchases.told(purchase, { told: "success" });
      return result;
    } catch (error) {
      this.purchases.told(purchase, { told: saysDoubt(error) ? "doubt" : "failure", error });
      throw error;
    } finally {
      settled = true;
      asking.onDeath.delete(onDeath);
    }
  }

  /**
   * Answers requests to an address: where the gateway's callbacks go. Nobody does any more when the process dies that
   * serves it.
   *
   * @returns closes it
   */
  serve(origin: string, server: SimulatedServer): () => void {
    return this.#network.serve(origin, server);
  }

  /**
   * Starts a process that faults may kill, at any read or write, and that then starts again: `main` is called each time.
   * Nothing of the dead one goes on; what it wrote to the disk and sent to the gateway stays. One whose `main` rejects
   * starts again, too, ten times.
   */
  service(name: string, main: (process: { signal: AbortSignal }) => Promise<void>): SimulatedService {
    let current: Owner;
    let failures = 0;
    const ended = new Promise<void>((resolve, reject) => {
      const start = () => {
        current = owner(name, ++this.#pids, true);
        this.#owners.set(current.pid, current);
        const dying = new AbortController();
        this.#signals.push([name, dying.signal]);
        this.trace.add(name, `starts as ${current.pid}`);
        current.onDeath.add(() => {
          dying.abort();
          const random = this.plan.random(`${name} ${current.pid} restart`);
          running.run({ owner: this.gateway }, () =>
            setTimeout(start, integerFrom(random, 1, LONGEST_DOWNTIME_MS)),
          );
        });
        const born = current;
        running
          .run({ owner: current }, () => main({ signal: dying.signal }))
          .then(
            () => {
              if (!born.alive) return;
              this.trace.add(name, "ends");
              born.alive = false;
              resolve();
            },
            (error) => {
              if (!born.alive) return;
              this.trace.add(name, `ends with ${error instanceof Error ? error.message : String(error)}`);
              this.log.push(String(error));
              // As a supervisor does: what failed once may not fail again.
              if (failures++ < MAX_FAILURES) this.#kill(born);
              else reject(error);
            },
          );
      };
      start();
    });
    return { name, ended, kill: () => this.#kill(current) };
  }

  /** Faults that came about. */
  get faults(): readonly InjectedFault[] {
    return this.plan.injected;
  }

  get extents(): readonly Extent[] {
    return [...this.#extents.values()];
  }

  /** What is still under way: requests, answers that nobody reads to the end, timers. */
  pending(): string[] {
    const timers = this.time.pending();
    return [...this.#network.open, ...(timers > 0 ? [`${timers} timers`] : [])];
  }

  /**
   * Who still listens: for events of this process more than before, unless one died with which they would have gone, and for
   * the death of a process that has ended by itself. What listens elsewhere cannot be counted.
   */
  listening(): string[] {
    const ofProcess = Array.from(this.#deaths > 0 ? [] : processListeners(), ([event, count]) => {
      const more = count - (this.#listenersBefore.get(event) ?? 0);
      return more > 0 ? `${more} for ${event} of the process` : [];
    });
    const ofSignals = this.#signals.map(([name, signal]) => {
      const { length } = signal.aborted ? [] : getEventListeners(signal, "abort");
      return length > 0 ? `${length} for the end of ${name}` : [];
    });
    return [...ofProcess, ...ofSignals].flat();
  }

  /** @internal A read or write begins: it takes its time, and its process may die of it. */
  async step(by: Owner, what: string): Promise<void> {
    if (!by.alive) return never();
    by.operations += 1;
    const occasion = `${by.name} operation ${by.operations} of ${by.pid}`;
    await this.sleep(integerFrom(this.plan.random(`${occasion} time`), 0, SLOWEST_OPERATION_MS));
    if (!by.alive) return never();
    if (!by.mortal || this.over) return;
    if (this.plan.decide(occasion, ["crash"]) === undefined) return;
    this.trace.add(by.name, `dies before ${what}`);
    this.#kill(by);
    if (this.plan.decide(`${occasion} power`, ["powerFailure"]) !== undefined) {
      this.trace.add("machine", "loses its power");
      for (const other of this.#owners.values()) if (other.mortal) this.#kill(other);
      this.disk.losePower(this.plan.random(`${occasion} loss`));
    }
    return never();
  }

  /** @internal */
  ownerOf(pid: number): Owner | undefined {
    return this.#owners.get(pid);
  }

  #kill(owner: Owner): void {
    if (!owner.alive) return;
    owner.alive = false;
    owner.killed = true;
    this.#deaths += 1;
    this.time.touch();
    for (const tell of owner.onDeath) tell();
    this.disk.died(owner.pid);
  }
}

function processListeners(): Map<string, number> {
  return new Map(process.eventNames().map((event) => [String(event), process.listenerCount(event)]));
}

/** Also what another library wrapped: as the cause of its error, or the last of several. */
function saysDoubt(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > MAX_CAUSES) return false;
  const { maybeProcessed, cause, lastError } = error as Record<string, unknown>;
  return maybeProcessed === true || saysDoubt(cause, depth + 1) || saysDoubt(lastError, depth + 1);
}

function owner(name: string, pid: number, mortal: boolean): Owner {
  return { name, pid, alive: true, killed: false, mortal, operations: 0, onDeath: new Set() };
}
