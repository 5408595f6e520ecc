import { AsyncResource } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import perfHooks from "node:perf_hooks";
import timersPromises from "node:timers/promises";
import FakeTimers from "@sinonjs/fake-timers";
import { GATEWAY_PID, running } from "./owner.js";

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
 * Time that only moves when nothing else does: `Date`, `performance`, timers and `AbortSignal.timeout` of this process
 * stand still but for `next`.
 */
export class VirtualTime {
  #clock: FakeTimers.Clock | undefined;
  #restore: (() => void) | undefined;
  #activity = 0;
  readonly #ofGateway = new Set<NodeJS.Timeout>();
  readonly #startAt: number;
  readonly #atRest = new Set([...AT_REST, ...process.getActiveResourcesInfo()]);

  /** @param startAt milliseconds since the epoch */
  constructor(startAt: number) {
    this.#startAt = startAt;
    for (const brief of BRIEF) this.#atRest.delete(brief);
  }

  install(): void {
    const clock = FakeTimers.install({
      now: this.#startAt,
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance", "hrtime"],
      ignoreMissingTimers: true,
    });
    this.#clock = clock;
    const { timeout } = AbortSignal;
    const { performance } = perfHooks;
    const wait = timersPromises.setTimeout;
    const schedule = globalThis.setTimeout;
    const repeat = globalThis.setInterval;
    const clear = globalThis.clearTimeout;
    // What a timer calls belongs to whoever set it, and not to the clock; the dead call nothing.
    globalThis.setTimeout = ((callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      this.#activity++;
      const timer = schedule(
        this.#bound((...given) => {
          this.#ofGateway.delete(timer);
          callback(...given);
        }),
        ms,
        ...args,
      );
      if (running.getStore()?.owner.pid === GATEWAY_PID) this.#ofGateway.add(timer);
      return timer;
    }) as typeof setTimeout;
    globalThis.clearTimeout = ((timer: NodeJS.Timeout) => {
      this.#ofGateway.delete(timer);
      clear(timer);
    }) as typeof clearTimeout;
    globalThis.setInterval = ((callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      this.#activity++;
      const timer = repeat(
        this.#bound(callback, () => clearInterval(timer)),
        ms,
        ...args,
      );
      return timer;
    }) as typeof setInterval;
    timersPromises.setTimeout = ((ms?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(abortError(signal));
          return;
        }
        const onAbort = () => {
          clearTimeout(timer);
          reject(abortError(signal as AbortSignal));
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener("abort", onAbort);
          resolve(value as never);
        }, ms);
        signal?.addEventListener("abort", onAbort, { once: true });
      })) as typeof timersPromises.setTimeout;
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new DOMException("The operation timed out", "TimeoutError")), ms);
      return controller.signal;
    };
    Object.assign(perfHooks, { performance: globalThis.performance });
    syncBuiltinESMExports();
    this.#restore = () => {
      AbortSignal.timeout = timeout;
      timersPromises.setTimeout = wait;
      globalThis.setTimeout = schedule;
      globalThis.clearTimeout = clear;
      globalThis.setInterval = repeat;
      Object.assign(perfHooks, { performance });
      clock.uninstall();
      syncBuiltinESMExports();
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
      const isBusy = process.getActiveResourcesInfo().some((resource) => !this.#atRest.has(resource));
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
    return (this.#clock?.countTimers() ?? 0) - this.#ofGateway.size;
  }

  #bound(callback: (...args: unknown[]) => void, ended?: () => void): (...args: unknown[]) => void {
    const owner = running.getStore()?.owner;
    const bound = AsyncResource.bind(callback);
    return (...args) => {
      this.#activity++;
      if (owner !== undefined && !owner.alive) ended?.();
      else bound(...args);
    };
  }
}

function abortError(signal: AbortSignal): Error {
  const error = new Error("The operation was aborted", { cause: signal.reason });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}
