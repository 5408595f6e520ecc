import perfHooks from "node:perf_hooks";
import FakeTimers from "@sinonjs/fake-timers";
import { replace } from "./seeded-globals.js";
import { SimulatedTimers } from "./simulated-timers.js";
import { ThreadWork } from "./thread-work.js";

const turn = setImmediate;
/** Some turns in a row without news: then only time can bring any. */
const QUIET_TURNS = 2;
/** What a process may hold without anything being under way. */
const AT_REST = new Set([
  ...["Timeout", "TTYWrap", "PipeWrap", "MessagePort", "TCPSocketWrap", "TCPServerWrap", "ProcessWrap"],
  ...["SignalWrap", "StatWatcher", "FSEventWrap"],
]);
/** What is over soon, and is no rest also when it was under way before. */
const BRIEF = ["Immediate", "CloseReq", "FSReqCallback", "FSReqPromise"];

/**
 * Time that only moves when nothing else does: `Date` and `performance` of this process stand still but for `next`, and with
 * them the timers of the world's code.
 */
export class VirtualTime {
  #clock: FakeTimers.Clock | undefined;
  #timers: SimulatedTimers | undefined;
  readonly #work = new ThreadWork();
  #restore: (() => void) | undefined;
  #activity = 0;
  readonly #startAt: number;
  readonly #atRest = new Set([...AT_REST, ...process.getActiveResourcesInfo()]);

  /** @param startAt milliseconds since the epoch */
  constructor(startAt: number) {
    this.#startAt = startAt;
    for (const brief of BRIEF) this.#atRest.delete(brief);
  }

  install(): void {
    const clock = FakeTimers.install({ now: this.#startAt, toFake: ["Date", "performance", "hrtime"] });
    this.#clock = clock;
    this.#timers = new SimulatedTimers(clock, () => this.touch());
    const restore = [
      () => clock.uninstall(),
      this.#timers.install(),
      this.#work.install(),
      replace(perfHooks, "performance", globalThis.performance),
    ];
    this.#restore = () => {
      for (const back of restore.reverse()) back();
    };
  }

  uninstall(): void {
    this.#restore?.();
    this.#restore = undefined;
  }

  /** Says that something happened that no timer shows. */
  touch(): void {
    this.#activity++;
  }

  /** Waits until nothing more happens by itself. */
  async settle(): Promise<void> {
    let seen = -1;
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await new Promise((resolve) => turn(resolve));
      const isBusy =
        this.#work.isUnderWay ||
        process.getActiveResourcesInfo().some((resource) => !this.#atRest.has(resource));
      quiet = isBusy || this.#activity !== seen ? 0 : quiet + 1;
      seen = this.#activity;
    }
  }

  /** Moves to the next timer and calls it. @returns false when there is none */
  next(): boolean {
    const clock = this.#clock;
    if (clock === undefined || clock.countTimers() === 0) return false;
    clock.next();
    return true;
  }

  /** Timers that are set by others than the gateway, which goes on. */
  pending(): number {
    return this.#timers?.pending ?? 0;
  }
}
