import { syncBuiltinESMExports } from "node:module";
import { format } from "node:util";
import type { EmulatorOptions } from "../emulator-options.js";
import { FaultPlan, type InjectedFault, type SimulatedFaults } from "./fault-plan.js";
import type { Invariant } from "./invariants.js";
import { type Owner, running } from "./owner.js";
import { replace, seedGlobals } from "./seeded-globals.js";
import { integerFrom, namedRandom } from "./seeded-random.js";
import { VirtualTime } from "./virtual-time.js";
import { type Extent, WORLD_BEGINS_AT, World } from "./world.js";

/** What an application does in a world. The world ends when it resolves; what it rejects with is a finding. */
export type Scenario = (world: World) => Promise<void>;

/** One run, whole. */
export interface RunSettings {
  seed: number;
  app: Scenario;
  faults: SimulatedFaults;
  maxFaults: number;
  maxVirtualMs: number;
  emulator: EmulatorOptions;
  invariants: Record<string, Invariant>;
  /** Ids of faults that are left out. */
  without?: ReadonlySet<string>;
  extents?: ReadonlyMap<string, number>;
}

/** How a run went. */
export interface RunResult {
  /** What does not hold; undefined when all does. */
  violation: string | undefined;
  /** What happened, a line each. */
  story: readonly string[];
  /** Equal for equal runs. */
  hash: string;
  faults: readonly InjectedFault[];
  extents: readonly Extent[];
  steps: number;
  virtualMs: number;
  requests: number;
}

const MAX_STEPS = 200_000;
const CONSOLE_METHODS = ["log", "info", "warn", "error", "debug"] as const;

/** Lets one world happen. Only one can be there at a time: it stands in for the clock, the disk and chance of the process. */
export async function runWorld(settings: RunSettings): Promise<RunResult> {
  const { seed, app, faults, maxFaults, maxVirtualMs, emulator, invariants } = settings;
  const { without = new Set<string>(), extents = new Map<string, number>() } = settings;
  const time = new VirtualTime(WORLD_BEGINS_AT);
  const most = integerFrom(namedRandom(seed, "faults"), 0, maxFaults);
  const plan = new FaultPlan(seed, faults, most, without);
  let violation: string | undefined;
  const onRejection = (error: unknown) => {
    violation ??= `a rejection that nobody handles: ${describe(error)}`;
  };
  process.on("unhandledRejection", onRejection);
  const restore = [seedGlobals(seed)];
  time.install();
  const world = new World({ seed, plan, time, emulator, extents });
  restore.push(
    () => time.uninstall(),
    world.disk.install(),
    standInForFetch(world),
    standInForProcess(world),
    ...[process.stdout, process.stderr].map((stream) => listenTo(world, stream)),
    ...CONSOLE_METHODS.map((name) => listenToConsole(world, name)),
  );
  // What was imported by its name from `node:…` follows.
  syncBuiltinESMExports();
  let steps = 0;
  let virtualMs = 0;
  let isMoving = true;
  const next = () => {
    isMoving = time.next();
    return undefined;
  };
  const broken = () => {
    for (const [name, holds] of Object.entries(invariants)) {
      const problem = told(() => holds(world));
      if (problem !== undefined) return `${name}: ${problem}`;
    }
    return undefined;
  };
  try {
    let outcome: { error?: unknown } | undefined;
    const scenario: Owner = { ...world.gateway, name: "scenario", pid: 2, onDeath: new Set() };
    running
      .run({ owner: scenario }, async () => app(world))
      .then(
        () => {
          outcome = {};
        },
        (error) => {
          outcome = { error };
        },
      );
    for (;;) {
      await time.settle();
      violation ??= broken();
      if (violation !== undefined) break;
      if (outcome !== undefined) {
        world.over = true;
        // Sockets and timers end in the moments after those who used them.
        for (let left = 10; left > 0 && world.pending().length > 0 && time.next(); left--)
          await time.settle();
        violation ??= "error" in outcome ? `the scenario failed: ${describe(outcome.error)}` : broken();
        break;
      }
      steps += 1;
      const isLate = Date.now() - WORLD_BEGINS_AT > maxVirtualMs || steps > MAX_STEPS;
      const uncaught = isLate ? undefined : told(next);
      if (uncaught !== undefined) violation = `an error that nobody catches: ${uncaught}`;
      else if (isLate) violation = "it does not come to an end";
      else if (!isMoving) violation = "everybody waits, and nothing is left that could happen";
      if (violation !== undefined) break;
    }
    virtualMs = Date.now() - WORLD_BEGINS_AT;
  } finally {
    process.off("unhandledRejection", onRejection);
    world.over = true;
    await running.run({ owner: world.gateway }, () => world.emulator.close());
    for (const back of restore.reverse()) back();
    syncBuiltinESMExports();
  }
  return {
    violation,
    story: world.trace.lines,
    hash: world.trace.hash(),
    faults: plan.injected,
    extents: world.extents,
    ...{ steps, virtualMs, requests: world.emulator.journal.list().length },
  };
}

/** What was found, also where it was thrown. */
function told(find: () => string | undefined): string | undefined {
  try {
    return find();
  } catch (error) {
    return describe(error);
  }
}

/** Code of the world that was given no `fetch` has that of the world. */
function standInForFetch(world: World): () => void {
  const { fetch } = globalThis;
  return replace(globalThis, "fetch", (...args: Parameters<typeof fetch>) =>
    running.getStore() === undefined ? fetch(...args) : world.fetch(...args),
  );
}

function listenToConsole(world: World, name: (typeof CONSOLE_METHODS)[number]): () => void {
  const tell = console[name];
  return replace(console, name, (...args: unknown[]) => {
    if (running.getStore() === undefined) tell.apply(console, args);
    else world.log.push(format(...args));
  });
}

/** What code of the world writes goes into its log. */
function listenTo(world: World, stream: NodeJS.WriteStream): () => void {
  const { write } = stream;
  return replace(stream, "write", (text: string | Uint8Array, ...rest: never[]) => {
    if (running.getStore() === undefined) return write.call(stream, text, ...rest);
    world.log.push(typeof text === "string" ? text : new TextDecoder().decode(text));
    return true;
  });
}

/** Each process of the world has a number of its own, and can be asked for by it. */
function standInForProcess(world: World): () => void {
  const { pid, kill } = process;
  Object.defineProperty(process, "pid", {
    configurable: true,
    get: () => {
      const owner = running.getStore()?.owner;
      return owner?.mortal ? owner.pid : pid;
    },
  });
  const back = replace(process, "kill", (target: number, signal?: string | number) => {
    const owner = world.ownerOf(target);
    if (owner === undefined) return kill.call(process, target, signal);
    if (owner.alive && signal === 0) return true;
    throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH", errno: -3, syscall: "kill" });
  });
  return () => {
    back();
    Object.defineProperty(process, "pid", { configurable: true, enumerable: true, value: pid });
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
