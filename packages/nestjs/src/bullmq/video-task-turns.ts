import { createHash, randomUUID } from "node:crypto";
import { isOpen, isWaiting, type VideoTaskRecord, type VideoTaskWait } from "../videos/video-task-record.js";
import type { VideoTaskLimits, VideoTaskLine, WaitingVideo } from "../videos/video-task-store.js";
import { jobIdOf, recordOf, type VideoTaskJob } from "./video-task-job.js";
import { isTurn, TURN_PREFIX, type VideoTaskQueue } from "./video-task-queue.js";

/** After so long all that is waiting is read anew, whatever was heard of it. */
const LOOK_AGAIN_MS = 30_000;

/** A submission in line, with its place among those of the same millisecond. */
type Waiting = WaitingVideo & { sequence: number };

/**
 * Who has a place among the open tasks, and who waits for one.
 *
 * A place is a job of its own, whose id names the tenant and the task: taking one is atomic, and one look at the ids of the
 * queue counts all. Whoever wants a place takes it first and counts then, so that two who come at once both see both: there are
 * never too many, whatever stands still in between.
 */
export class VideoTaskTurns {
  /** What is known of jobs without a place, by id; undefined of those that neither wait nor are open. */
  private readonly known = new Map<string, Waiting | undefined>();
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly queue: VideoTaskQueue,
    /** A place whose task still waits after so long was left behind by a process that died. */
    private readonly leaseMs: number,
  ) {}

  /** A record has changed: what is known of it is not true any more. */
  forget({ key }: VideoTaskRecord): void {
    this.known.delete(jobIdOf(key));
  }

  /** What waits and what is open. Frees the places of tasks that have ended, and gives one to open tasks that have none. */
  async line(): Promise<VideoTaskLine> {
    if (performance.now() - this.lookedAt > LOOK_AGAIN_MS) {
      this.known.clear();
      this.lookedAt = performance.now();
    }
    const ids = await this.queue.openIds();
    const open: Array<string | undefined> = [];
    const placed = new Map<string, string[]>();
    for (const turn of [...ids].filter(isTurn))
      placed.set(jobOf(turn), [...(placed.get(jobOf(turn)) ?? []), turn]);
    await Promise.all(
      [...placed].map(async ([id, turns]) => {
        const record = await this.keep(id, turns);
        if (record === undefined) placed.delete(id);
        else open.push(record.tenant);
      }),
    );
    const others = [...ids].filter((id) => !isTurn(id) && !placed.has(id));
    const bare: VideoTaskJob[] = [];
    for (const id of this.known.keys()) if (!ids.has(id)) this.known.delete(id);
    await Promise.all(
      others.map(async (id) => {
        if (this.known.has(id)) return;
        const job = await this.queue.findById(id);
        if (job === undefined) return;
        const record = recordOf(job);
        if (!isOpen(record)) {
          this.known.set(id, isWaiting(record) ? waitingOf(record, job.data.sequence) : undefined);
          return;
        }
        open.push(record.tenant);
        bare.push(job);
      }),
    );
    await this.place(bare);
    const waiting = others.flatMap((id) => this.known.get(id) ?? []);
    waiting.sort((one, other) => one.createdAt - other.createdAt || one.sequence - other.sequence);
    return { waiting, open };
  }

  /**
   * Does something with a submission that waits, as the only one who does.
   *
   * @param limits what leaves a place for it; undefined for one that needs none, and gives it back
   * @returns what comes of it; undefined when it does not wait, another one is at it, or there is no place
   */
  async claim<T>(
    { id = "" }: VideoTaskJob,
    limits: VideoTaskLimits | undefined,
    work: (job: VideoTaskJob, record: VideoTaskRecord) => Promise<T>,
  ): Promise<T | undefined> {
    const startedAt = performance.now();
    const before = await this.queue.findById(id);
    if (before === undefined || !isWaiting(recordOf(before))) return undefined;
    const turn = turnOf(before.data.tenant, before);
    const token = randomUUID();
    if (!(await this.queue.addTurn(turn, token))) return undefined;
    const job = await this.mayGo(before, turn, limits).catch(async (error: unknown) => {
      await this.queue.removeTurn(turn, token).catch(() => undefined);
      throw error;
    });
    // After the lease, another one may have taken the place for left behind.
    if (job === undefined || performance.now() - startedAt > this.leaseMs / 2) {
      await this.queue.removeTurn(turn, token);
      return undefined;
    }
    // The place stays when this fails: whether it was written is not known.
    const done = await work(job, recordOf(job));
    if (limits === undefined) await this.queue.removeTurn(turn, token);
    return done;
  }

  /** Frees the place of a task that is in the line again; one that it gets from now on is another one. */
  async leave(job: VideoTaskJob): Promise<void> {
    const next = turnOf(job.data.tenant, job);
    const turns = await this.queue.turnIds();
    const left = turns.filter((turn) => jobOf(turn) === job.id && turn !== next);
    await Promise.all(left.map((turn) => this.queue.removeTurn(turn)));
  }

  /** The job as it is now, with its place taken; undefined when it has to step back. */
  private async mayGo(
    before: VideoTaskJob,
    turn: string,
    limits: VideoTaskLimits = {},
  ): Promise<VideoTaskJob | undefined> {
    const { maxOpen = Number.POSITIVE_INFINITY, perTenant = Number.POSITIVE_INFINITY } = limits;
    const turns = await this.queue.turnIds();
    const ofTenant = turns.filter((other) => tenantOf(other) === tenantOf(turn));
    if (turns.length > maxOpen || ofTenant.length > perTenant) return undefined;
    const job = await this.queue.findById(before.id ?? "");
    return job?.data.revision === before.data.revision && isWaiting(recordOf(job)) ? job : undefined;
  }

  /** Gives open tasks a place that had none when they were looked at; by now they may have been seen to take one. */
  private async place(bare: VideoTaskJob[]): Promise<void> {
    if (bare.length === 0) return;
    const placed = new Set((await this.queue.turnIds()).map(jobOf));
    const left = bare.filter(({ id = "" }) => !placed.has(id));
    await Promise.all(left.map((job) => this.queue.addTurn(turnOf(job.data.tenant, job), randomUUID())));
  }

  /** @returns the record that a place is held for; undefined when it is free now */
  private async keep(id: string, turns: string[]): Promise<VideoTaskRecord | undefined> {
    const job = await this.queue.findById(id);
    const record = job && recordOf(job);
    if (record !== undefined && isOpen(record)) {
      if (turns.length > 1) await this.keepNewest(turns);
      return record;
    }
    if (record !== undefined && isWaiting(record)) {
      // It is being taken right now, or was by a process that has died.
      const times = await Promise.all(turns.map((turn) => this.queue.turnSince(turn)));
      if (times.some((since) => since !== undefined && Date.now() - since < this.leaseMs)) return record;
    }
    await Promise.all(turns.map((turn) => this.queue.removeTurn(turn)));
    return undefined;
  }

  /** A crash on the way back into the line, or two who gave a place at once, may have left a task with two. */
  private async keepNewest(turns: string[]): Promise<void> {
    const dated = await Promise.all(
      turns.map(async (turn) => ({ turn, since: (await this.queue.turnSince(turn)) ?? 0 })),
    );
    dated.sort((one, other) => other.since - one.since || (one.turn < other.turn ? -1 : 1));
    await Promise.all(dated.slice(1).map(({ turn }) => this.queue.removeTurn(turn)));
  }
}

/** The same for whoever wants it at the same attempt; another one at each attempt and for each submission under a key. */
function turnOf(tenant: string | undefined, { id = "", data }: VideoTaskJob): string {
  const attempt = digest([data.nonce, data.revision]);
  return `${TURN_PREFIX}${digest([tenant ?? null])}.${id}.${attempt}`;
}

function tenantOf(turn: string): string {
  return turn.slice(0, turn.indexOf("."));
}

function jobOf(turn: string): string {
  return turn.split(".")[1] ?? "";
}

function digest(value: unknown[]): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 12);
}

function waitingOf(
  { key, tenant, createdAt, waiting }: VideoTaskRecord & { waiting: VideoTaskWait },
  sequence: number,
): Waiting {
  const { body: _large, ...wait } = waiting;
  return { key, ...(tenant !== undefined && { tenant }), createdAt, waiting: wait, sequence };
}
