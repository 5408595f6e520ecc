import type { GatewayTracer } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { firstValueFrom, fromEvent, map, merge, NEVER, of, Subject, timeout } from "rxjs";
import type { MetricsEvent } from "../metrics/metrics-event.js";
import { insist } from "../streams/insist.js";
import { pause } from "../streams/pause.js";
import { abridge } from "./abridge.js";
import { Turnstile } from "./turnstile.js";
import {
  deliveryIdOf,
  hasDueDeliveries,
  type VideoDelivery,
  type VideoHandlerStatus,
} from "./video-delivery.js";
import type { VideoHandler } from "./video-handler.js";
import { videoProblem } from "./video-problem.js";
import type { VideoTaskProblem, VideoTaskRecord } from "./video-task-record.js";
import type { VideoTaskDelivering, VideoTaskStore } from "./video-task-store.js";

/** How handlers are called. Durations are milliseconds. */
export interface DeliverySettings {
  concurrency: number;
  attempts: number;
  firstMs: number;
  maxMs: number;
  closeMs: number;
  tracer: GatewayTracer | undefined;
  /** Is told what came of each call. */
  events: Subject<MetricsEvent>;
}

/** A store that refuses a write is asked again after so long. */
const WRITE_AGAIN_MS = 1_000;
/** Other processes that share the store may know the handler; this one looks rarely. */
const MISSING_MS = 300_000;
/** Before the application has started, and while it closes, somebody else may call. */
const NOT_NOW_MS = 1_000;
/** What is still running when the application closes has so long to end with the process, before another one calls. */
const LEFT_MS = 60_000;
const DIED: VideoTaskProblem = {
  kind: "other",
  message: "The process ended, or was taken for dead, while the handler ran.",
};

/** Calls the handlers of submissions that came to their end; which, where and when is the store's business. */
export class VideoDeliverer implements VideoTaskDelivering {
  private readonly logger = new Logger("VideosService");
  private readonly handlers = new Map<string, VideoHandler>();
  private readonly turnstile: Turnstile;
  private readonly closing = new AbortController();
  /** Aborts when handlers under way are waited for no more. */
  private readonly left = new AbortController();
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly woken = new Subject<void>();
  private started = false;
  /** By handler: the same failure over and over, of thousands of tasks, is said once. */
  private readonly lastFailures = new Map<string, string>();

  constructor(
    private readonly store: VideoTaskStore,
    private readonly settings: DeliverySettings,
  ) {
    this.turnstile = new Turnstile(settings.concurrency);
  }

  get concurrency(): number {
    return this.handlers.size === 0 ? 0 : this.settings.concurrency;
  }

  /** Takes a handler in. What waits for it is delivered. */
  add(handler: VideoHandler): void {
    this.handlers.set(handler.name, handler);
    this.woken.next();
  }

  remove({ name }: VideoHandler): void {
    this.handlers.delete(name);
  }

  /** From now on handlers are called. */
  start(): void {
    this.started = true;
    this.woken.next();
  }

  /** Calls no handler any more, and waits for those under way, for a bounded time. */
  async close(): Promise<void> {
    this.closing.abort();
    if (this.underWay.size > 0) {
      await Promise.race([
        Promise.allSettled([...this.underWay]),
        pause(this.settings.closeMs, { ref: false }),
      ]);
    }
    if (this.underWay.size > 0) {
      this.logger.warn(
        `${this.underWay.size} handlers of videos were still running after ${this.settings.closeMs} ms, and are left. They ` +
          "are called again, by the next process or another one.",
      );
    }
    this.left.abort();
  }

  handlersOf(status: VideoHandlerStatus): readonly string[] {
    return [...this.handlers.values()].filter(({ statuses }) => statuses.has(status)).map(({ name }) => name);
  }

  /** Whether this process could call it. */
  knows(handler: string): boolean {
    return this.handlers.has(handler);
  }

  async toEnd(first: VideoTaskRecord, { signal }: { signal: AbortSignal }): Promise<void> {
    const ending = AbortSignal.any([signal, this.closing.signal]);
    let record: VideoTaskRecord | undefined = first;
    while (record !== undefined && hasDueDeliveries(record) && !ending.aborted) {
      const waitMs = await this.pass(record, signal);
      if (waitMs !== undefined) await this.rest(waitMs, ending);
      record = await this.store.get(first.key).catch(() => record);
    }
    // The store may not begin anew with what this one will not do.
    if (!signal.aborted && this.closing.signal.aborted) await aborted(signal);
  }

  async once(record: VideoTaskRecord, { signal }: { signal: AbortSignal }): Promise<number | undefined> {
    const waits: number[] = [];
    for (const delivery of record.deliveries ?? []) {
      if (delivery.state !== "due") continue;
      const waitMs = await this.callSoon(record, delivery, signal);
      if (waitMs !== undefined) waits.push(waitMs);
    }
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  /** One round of calls, when it is its turn. @returns milliseconds until the next */
  private async pass(record: VideoTaskRecord, signal: AbortSignal): Promise<number | undefined> {
    const due = (record.deliveries ?? []).filter(({ state }) => state === "due");
    const waitMs = Math.min(...due.map((delivery) => this.untilCall(delivery)));
    // Whoever only waits stands in nobody's way.
    if (waitMs > 0) return waitMs;
    try {
      return await this.turnstile.pass(() => this.once(record, { signal }));
    } catch (error) {
      this.logger.error(
        `The store did not take that handlers of video ${record.key} are called: ${String(error)}. It is tried again.`,
      );
      return WRITE_AGAIN_MS;
    }
  }

  private rest(milliseconds: number, ending: AbortSignal): Promise<unknown> {
    const early = merge(this.woken, fromEvent(ending, "abort"), ending.aborted ? of(undefined) : NEVER);
    return firstValueFrom(early.pipe(timeout({ first: milliseconds, with: () => of(undefined) })));
  }

  /** @returns milliseconds until it may be called */
  private untilCall({ handler, nextAttemptAt = 0 }: VideoDelivery): number {
    if (!this.started || this.closing.signal.aborted) return NOT_NOW_MS;
    if (!this.handlers.has(handler)) return MISSING_MS;
    return nextAttemptAt - Date.now();
  }

  private async callSoon(
    record: VideoTaskRecord,
    delivery: VideoDelivery,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const waitMs = this.untilCall(delivery);
    const handler = this.handlers.get(delivery.handler);
    if (waitMs > 0 || handler === undefined || signal.aborted) return Math.max(waitMs, 0);
    const { attempts, handler: name, status } = delivery;
    if (attempts >= this.settings.attempts) {
      // Nobody lived to write down how the last one ended.
      return this.failed(record, delivery, delivery.problem ?? DIED, signal);
    }
    const begun: VideoDelivery = {
      handler: name,
      status,
      state: "due",
      attempts: attempts + 1,
      problem: DIED,
    };
    await this.store.deliver(record.key, begun);
    const running = this.call(handler, record, begun, signal);
    this.underWay.add(running);
    return running.finally(() => this.underWay.delete(running));
  }

  private async call(
    handler: VideoHandler,
    record: VideoTaskRecord,
    begun: VideoDelivery,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const attempt = {
      id: deliveryIdOf(record, begun),
      handler: begun.handler,
      status: begun.status,
      attempt: begun.attempts,
      signal: AbortSignal.any([signal, this.left.signal]),
    };
    const work = this.within(record, async () => handler.handle(record, attempt));
    const outcome = work.then(
      () => ({ returned: true as const }),
      (error: unknown) => ({ returned: false as const, error }),
    );
    // And not a race of promises: what waits for the end of the process would hold on to each call until then.
    const left = fromEvent(this.left.signal, "abort").pipe(map(() => undefined));
    const ended = await firstValueFrom(this.left.signal.aborted ? of(undefined) : merge(outcome, left));
    if (ended === undefined) return LEFT_MS;
    if (!ended.returned) return this.failed(record, begun, problemOf(ended.error), signal);
    const { handler: name, status, attempts } = begun;
    const delivered: VideoDelivery = {
      handler: name,
      status,
      state: "delivered",
      attempts,
      deliveredAt: Date.now(),
    };
    this.lastFailures.delete(name);
    await this.write(record, delivered, signal);
    return undefined;
  }

  private async failed(
    { key }: VideoTaskRecord & { key: string },
    { handler, status, attempts }: VideoDelivery,
    problem: VideoTaskProblem,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { attempts: maxAttempts, firstMs, maxMs } = this.settings;
    const isDead = attempts >= maxAttempts;
    const waitMs = Math.min(firstMs * 2 ** (attempts - 1), maxMs);
    this.say(key, { handler, attempts, problem, isDead });
    const delivery: VideoDelivery = isDead
      ? { handler, status, state: "dead", attempts, problem }
      : { handler, status, state: "due", attempts, problem, nextAttemptAt: Math.ceil(Date.now() + waitMs) };
    await this.write({ key }, delivery, signal);
    return isDead ? undefined : waitMs;
  }

  private say(
    key: string,
    {
      handler,
      attempts,
      problem,
      isDead,
    }: { handler: string; attempts: number; problem: VideoTaskProblem; isDead: boolean },
  ): void {
    const what = `Handler ${handler} failed for video ${key} at attempt ${attempts}: ${problem.message}`;
    if (isDead) {
      this.logger.error(
        `${what}. It is not called again: once that is mended, videos.redeliver(${JSON.stringify(key)}) calls it.`,
      );
    } else if (this.lastFailures.get(handler) !== problem.message) {
      this.logger.warn(`${what}. It is called again.`);
    }
    this.lastFailures.set(handler, problem.message);
  }

  /** What came of a call is written until the store takes it: else the handler would be called again. */
  private async write(
    { key }: Pick<VideoTaskRecord, "key">,
    delivery: VideoDelivery,
    signal: AbortSignal,
  ): Promise<void> {
    // Whoever took the submission over may have written more by now.
    if (signal.aborted) return;
    const { handler, status, state, attempts } = delivery;
    const outcome = state === "due" ? "threw" : state;
    this.settings.events.next({ type: "video_delivery", key, handler, status, attempt: attempts, outcome });
    await insist(() => this.store.deliver(key, delivery), {
      againMs: WRITE_AGAIN_MS,
      signal: AbortSignal.any([signal, this.left.signal]),
      failed: (error) =>
        this.logger.error(
          `The store did not take how handler ${handler} ended for video ${key}: ${String(error)}. The write is repeated.`,
        ),
    });
  }

  /** Inside the trace of the submission, where there is one; a tracer that throws disturbs nothing. */
  private within<T>({ handle }: VideoTaskRecord, run: () => Promise<T>): Promise<T> {
    const { tracer } = this.settings;
    let begun: Promise<T> | undefined;
    const once = () => {
      begun ??= run();
      return begun;
    };
    if (handle?.trace === undefined || tracer?.within === undefined) return once();
    try {
      tracer.within(handle.trace, once);
    } catch (error) {
      this.logger.warn(`The tracer failed: ${String(error)}`);
    }
    return once();
  }
}

function problemOf(error: unknown): VideoTaskProblem {
  return abridge(videoProblem(error));
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
