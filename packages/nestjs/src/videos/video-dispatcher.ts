import { GatewayError, RateLimitError, type VideoSubmission, type VideoTask } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { filter, firstValueFrom, fromEvent, merge, of, Subject, type Subscription, timeout } from "rxjs";
import { insist } from "../streams/insist.js";
import { earliest } from "./earliest.js";
import { isTurnedAway } from "./is-turned-away.js";
import { nextInLine } from "./next-in-line.js";
import type { TenantGateways } from "./tenant-gateways.js";
import { VideoNotKeptError } from "./video-not-kept-error.js";
import { videoProblem } from "./video-problem.js";
import type { VideoSubmitter } from "./video-submitter.js";
import { isOpen, isWaiting, type VideoTaskRecord, type VideoTaskWait } from "./video-task-record.js";
import type { VideoTaskLimits, VideoTaskLine, VideoTaskStore, WaitingVideo } from "./video-task-store.js";

/** How submissions wait for their turn. */
export interface QueueSettings {
  limits: VideoTaskLimits;
  /** Wait after the gateway turned a submission away for the first time, in milliseconds; doubles with each. */
  firstMs: number;
}

/** What the dispatcher works with. */
export interface DispatcherParts {
  store: VideoTaskStore;
  submitter: VideoSubmitter;
  gateways: TenantGateways;
  /** A task as it is written down when the gateway took it. */
  shown(task: VideoTask): VideoTask;
  /** Keeps the store open until something is written down. */
  finish<T>(work: Promise<T>): Promise<T>;
}

/** Since the gateway turned somebody away: whose submissions are sent one at a time, and not before. */
interface Hold {
  until: number;
  refusals: number;
  underWay: number;
}

/** A submission that waits, taken to be sent. */
type Taken = VideoTaskRecord & { waiting: VideoTaskWait };

const MAX_WAIT_MS = 60_000;
/** A gateway that asks for more is asked again after this. */
const MAX_RETRY_AFTER_MS = 3_600_000;
/** A store that is shared may not tell of a place that another process left free, or died with. */
const LOOK_AGAIN_MS = 10_000;
/** Several processes that want the last place at once all step back; at random, so that one of them is first. */
const FIRST_CONTENDED_MS = 50;
const MAX_CONTENDED_MS = 1_000;
const WRITE_AGAIN_MS = 1_000;
const TURN_MS = 0.001;

/** Sends submissions that wait, as places become free: fair between tenants, by priority within one. */
export class VideoDispatcher {
  private readonly logger = new Logger("VideosService");
  private readonly closing = new AbortController();
  private readonly woken = new Subject<void>();
  private readonly lastTurns = new Map<string | undefined, number>();
  private readonly holds = new Map<string | undefined, Hold>();
  private readonly changes: Subscription;
  private running: Promise<void> | undefined;
  private lastTurn = 0;
  private isStale = true;
  private contendedMs = FIRST_CONTENDED_MS;
  private lastFailure = "";

  constructor(
    private readonly settings: QueueSettings,
    private readonly parts: DispatcherParts,
  ) {
    this.changes = parts.store.changes$
      // What goes on as it was neither leaves a place free nor wants one.
      .pipe(filter((record) => isWaiting(record) || record.status === "submitting" || !isOpen(record)))
      .subscribe((record) => this.hear(record));
  }

  /** From now on what waits is sent. */
  start(): void {
    this.running ??= this.run(this.closing.signal);
  }

  /** Sends nothing more. What is being sent is written down all the same. */
  async close(): Promise<void> {
    this.changes.unsubscribe();
    this.closing.abort();
    await this.running;
  }

  private hear({ tenant, status, updatedAt, watchedSince }: VideoTaskRecord): void {
    // Also a turn that another process gave, of which only the end may be heard.
    const at = status === "submitting" ? updatedAt : watchedSince;
    if (at !== undefined) this.noteTurn(tenant, at);
    this.isStale = true;
    this.woken.next();
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.isStale = false;
      const waitMs = await this.pass().catch((error: unknown) => this.failed(error));
      if (!this.isStale && !signal.aborted) await this.rest(waitMs);
    }
  }

  private rest(milliseconds: number): Promise<unknown> {
    const early = merge(this.woken, fromEvent(this.closing.signal, "abort"));
    const inTime =
      milliseconds === Number.POSITIVE_INFINITY
        ? early
        : early.pipe(timeout({ first: milliseconds, with: () => of(undefined) }));
    return firstValueFrom(inTime, { defaultValue: undefined });
  }

  /** Sends what may be sent. @returns milliseconds until it is worth looking again by itself */
  private async pass(): Promise<number> {
    const { store } = this.parts;
    const { limits } = this.settings;
    let line = await store.line();
    this.keepTurns(line);
    while (!this.closing.signal.aborted) {
      const next = nextInLine(line, {
        limits,
        lastTurns: this.lastTurns,
        now: Date.now(),
        isHeld: (tenant) => this.isHeld(tenant),
      });
      if (next === undefined) break;
      const taken = await store.take(next.key, limits);
      if (taken === undefined || !isWaiting(taken)) return this.stepBack();
      this.contendedMs = FIRST_CONTENDED_MS;
      const { tenant } = taken;
      // Later than all before, also those of this millisecond.
      this.lastTurn = Math.max(this.lastTurn + TURN_MS, Date.now());
      this.noteTurn(tenant, this.lastTurn);
      void this.parts.finish(this.send(taken));
      line = {
        waiting: line.waiting.filter(({ key }) => key !== next.key),
        open: [...line.open, tenant],
      };
    }
    this.lastFailure = "";
    return this.untilNext(line);
  }

  private stepBack(): number {
    const waitMs = Math.random() * this.contendedMs;
    this.contendedMs = Math.min(this.contendedMs * 2, MAX_CONTENDED_MS);
    return waitMs;
  }

  private failed(error: unknown): number {
    const reason = String(error);
    if (reason !== this.lastFailure)
      this.logger.error(
        `The store does not tell which videos wait: ${reason}. Nothing is lost or sent; it is asked again.`,
      );
    this.lastFailure = reason;
    return WRITE_AGAIN_MS;
  }

  private noteTurn(tenant: string | undefined, at: number): void {
    this.lastTurns.set(tenant, Math.max(this.lastTurns.get(tenant) ?? 0, at));
  }

  private keepTurns({ waiting, open }: VideoTaskLine): void {
    // Of turns that nobody here has heard of.
    for (const tenant of open) if (!this.lastTurns.has(tenant)) this.noteTurn(tenant, 0);
    const present = new Set([...waiting.map(({ tenant }) => tenant), ...open]);
    for (const tenant of [...this.lastTurns.keys()]) if (!present.has(tenant)) this.lastTurns.delete(tenant);
  }

  private untilNext({ waiting }: VideoTaskLine): number {
    const now = Date.now();
    const times = [
      ...waiting.flatMap(({ waiting: { nextAttemptAt } }: WaitingVideo) => nextAttemptAt ?? []),
      ...[...this.holds.values()].map(({ until }) => until),
    ].filter((time) => time > now);
    const first = waiting.length === 0 ? Number.POSITIVE_INFINITY : earliest(times) - now;
    return this.parts.store.shared ? Math.min(first, LOOK_AGAIN_MS) : first;
  }

  private async send(record: Taken): Promise<void> {
    const { key } = record;
    const { submitter, store, shown } = this.parts;
    await submitter.whilePaying(key, async () => {
      const hold = this.holds.get(this.laneOf(record.tenant));
      if (hold !== undefined) hold.underWay += 1;
      let write: () => Promise<void>;
      try {
        const task = await submitter.send(sendingOf(record), { once: true });
        this.goOn(record.tenant);
        write = () =>
          store.accept(key, shown(task)).catch((error: unknown) => {
            throw new VideoNotKeptError(key, task.handle, error);
          });
      } catch (error) {
        write = this.afterFailure(record, error);
      } finally {
        if (hold !== undefined) hold.underWay -= 1;
      }
      await insist(write, {
        againMs: WRITE_AGAIN_MS,
        signal: this.closing.signal,
        failed: (error) =>
          this.logger.error(
            `The store did not take what became of video ${key}, which had its turn: ${String(error)} The write is repeated.`,
          ),
      });
    });
    this.isStale = true;
    this.woken.next();
  }

  /** How it is written down that the gateway did not take a submission. */
  private afterFailure({ key, tenant, waiting }: Taken, error: unknown): () => Promise<void> {
    const { store } = this.parts;
    const problem = videoProblem(error);
    if (!GatewayError.isInstance(error) || error.maybeProcessed) return () => store.lose(key, problem);
    if (!isTurnedAway(error)) {
      this.goOn(tenant);
      return () => store.refuse(key, problem);
    }
    const asked = RateLimitError.isInstance(error) ? (error.retryAfterMs ?? 0) : 0;
    const askedMs = Math.min(asked, MAX_RETRY_AFTER_MS);
    this.holdBack(tenant, askedMs);
    const attempts = waiting.attempts + 1;
    const waitMs = Math.max(this.backoffMs(attempts), askedMs);
    const nextAttemptAt = Math.ceil(Date.now() + waitMs);
    return () => store.putBack(key, { ...waiting, attempts, nextAttemptAt, problem });
  }

  private backoffMs(attempts: number): number {
    return Math.min(this.settings.firstMs * 2 ** Math.min(attempts - 1, 30), MAX_WAIT_MS);
  }

  /** Those who share a key are turned away together. */
  private laneOf(tenant: string | undefined): string | undefined {
    return this.parts.gateways.areApart ? tenant : undefined;
  }

  private isHeld(tenant: string | undefined): boolean {
    const hold = this.holds.get(this.laneOf(tenant));
    return hold !== undefined && (hold.until > Date.now() || hold.underWay > 0);
  }

  private holdBack(tenant: string | undefined, askedMs: number): void {
    const lane = this.laneOf(tenant);
    const hold = this.holds.get(lane) ?? { until: 0, refusals: 0, underWay: 0 };
    const now = Date.now();
    // Those who were on their way together count once.
    if (hold.until <= now) hold.refusals += 1;
    hold.until = Math.max(hold.until, now + Math.max(this.backoffMs(hold.refusals), askedMs));
    this.holds.set(lane, hold);
  }

  private goOn(tenant: string | undefined): void {
    this.holds.delete(this.laneOf(tenant));
  }
}

function sendingOf({ key, tenant, createdAt, submission, waiting }: Taken) {
  // What was written down of it may be cut.
  const whole = { family: submission.family, body: JSON.parse(waiting.body) } as VideoSubmission;
  return { key, tenant, createdAt, submission: whole };
}
