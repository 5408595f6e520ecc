import { AsyncResource } from "node:async_hooks";
import timers from "node:timers";
import timersPromises from "node:timers/promises";
import { promisify } from "node:util";
import type FakeTimers from "@sinonjs/fake-timers";
import { GATEWAY_PID, type Owner, running } from "./owner.js";
import { replace } from "./seeded-globals.js";

type Callback = (...args: unknown[]) => void;
type Schedule = (callback: Callback, ms?: number, ...args: unknown[]) => NodeJS.Timeout;

interface WaitOptions {
  signal?: AbortSignal;
}

/** Those of the simulated clock are numbered from here on; the platform's begin at 1. */
const FIRST_ID = 1e12;

/** Timers of the code of a world. Those of other code of this process stay real, whoever clears them. */
export class SimulatedTimers {
  readonly #clock: FakeTimers.Clock;
  readonly #touch: () => void;
  readonly #ids = new WeakMap<object, number>();
  /** Who has set those that are set. */
  readonly #owners = new Map<number, Owner | undefined>();

  /** @param touch is told that something happens */
  constructor(clock: FakeTimers.Clock, touch: () => void) {
    this.#clock = clock;
    this.#touch = touch;
  }

  /** Those that are set by others than the gateway, which goes on, and the dead. */
  get pending(): number {
    let count = 0;
    for (const owner of this.#owners.values()) if (owner?.pid !== GATEWAY_PID && !owner?.killed) count += 1;
    return count;
  }

  /** @returns puts those of the platform back */
  install(): () => void {
    const { setTimeout, setInterval, clearTimeout, clearInterval } = timers;
    const { setTimeout: pause, setInterval: tick, scheduler } = timersPromises;
    const { timeout } = AbortSignal;
    const set = ofWorld(
      (callback: Callback, ms?: number, ...args: unknown[]) => this.#set(callback, ms, args),
      setTimeout as unknown as Schedule,
    );
    const repeat = ofWorld(
      (callback: Callback, ms?: number, ...args: unknown[]) => this.#repeat(callback, ms, args),
      setInterval as unknown as Schedule,
    );
    Object.defineProperty(set, promisify.custom, { get: () => timersPromises.setTimeout });
    const globals = {
      setTimeout: set,
      setInterval: repeat,
      clearTimeout: (timer: unknown) => this.#clear(timer, clearTimeout),
      clearInterval: (timer: unknown) => this.#clear(timer, clearInterval),
    };
    const restore = Object.entries(globals).flatMap(([name, value]) => [
      replace(globalThis, name, value),
      replace(timers, name, value),
    ]);
    restore.push(
      replace(timersPromises, "setTimeout", ofWorld(wait, pause as typeof wait)),
      replace(timersPromises, "setInterval", ofWorld(ticks, tick as typeof ticks)),
      replace(
        scheduler,
        "wait",
        ofWorld(
          (ms?: number, options?: WaitOptions) => wait(ms, undefined, options),
          scheduler.wait.bind(scheduler) as (ms?: number, options?: WaitOptions) => Promise<unknown>,
        ),
      ),
      replace(AbortSignal, "timeout", ofWorld(abortAfter, timeout.bind(AbortSignal))),
    );
    return () => {
      for (const back of restore.reverse()) back();
    };
  }

  #set(callback: Callback, ms: number | undefined, args: unknown[]): NodeJS.Timeout {
    const call = this.#owned(callback, () => {});
    const timer = this.#clock.setTimeout(() => {
      this.#owners.delete(id);
      call(...args);
    }, ms as number) as NodeJS.Timeout;
    const id = this.#number(timer);
    return timer;
  }

  #repeat(callback: Callback, ms: number | undefined, args: unknown[]): NodeJS.Timeout {
    const call = this.#owned(callback, () => this.#clear(timer, () => {}));
    const timer = this.#clock.setInterval(() => call(...args), ms as number) as NodeJS.Timeout;
    this.#number(timer);
    return timer;
  }

  #number(timer: NodeJS.Timeout): number {
    this.#touch();
    const id = Number(timer);
    this.#ids.set(timer, id);
    this.#owners.set(id, running.getStore()?.owner);
    return id;
  }

  /** Who made it decides, and not who asks: code of a world may clear what was set before it, and the other way round. */
  #clear(timer: unknown, clearReal: (timer: never) => void): void {
    const id = typeof timer === "object" && timer !== null ? this.#ids.get(timer) : Number(timer);
    if (id === undefined || !(id >= FIRST_ID)) clearReal(timer as never);
    else {
      this.#owners.delete(id);
      this.#clock.clearTimeout(id as unknown as NodeJS.Timeout);
    }
  }

  /** What a timer calls belongs to whoever set it, and not to the clock; the dead call nothing. */
  #owned(callback: Callback, ended: () => void): Callback {
    const owner = running.getStore()?.owner;
    const resource = new AsyncResource("SimulatedTimer");
    return (...args) => {
      this.#touch();
      if (owner !== undefined && !owner.alive) ended();
      else resource.runInAsyncScope(callback, undefined, ...args);
    };
  }
}

/** The simulated one for code of a world, the real one for other code. */
function ofWorld<Args extends unknown[], Result>(
  simulated: (...args: Args) => Result,
  real: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => (running.getStore() === undefined ? real(...args) : simulated(...args));
}

/** `setTimeout` of `node:timers/promises`. */
function wait<T>(ms?: number, value?: T, { signal }: WaitOptions = {}): Promise<T> {
  return new Promise((resolve, reject) => {
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
      resolve(value as T);
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** `setInterval` of `node:timers/promises`: what came while nobody asked comes at once. */
async function* ticks<T>(ms?: number, value?: T, { signal }: WaitOptions = {}): AsyncGenerator<T> {
  let due = 0;
  let wake = () => {};
  const timer = setInterval(() => {
    due += 1;
    wake();
  }, ms);
  const onAbort = () => wake();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      if (signal?.aborted) throw abortError(signal);
      if (due > 0) {
        due -= 1;
        yield value as T;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function abortAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new DOMException("The operation timed out", "TimeoutError")), ms);
  return controller.signal;
}

function abortError(signal: AbortSignal): Error {
  const error = new Error("The operation was aborted", { cause: signal.reason });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}
