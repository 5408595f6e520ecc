import { randomUUID } from "node:crypto";
import type { EventEmitter } from "node:events";
import { ErrorCode, type FinishedStatus, type Job, Queue } from "bullmq";
import type { VideoTaskBackend } from "./backends.js";
import { forCommands, type VideoTaskConnection } from "./connection-options.js";
import { ASKED_PRIORITY, pollPriority } from "./poll-priority.js";
import { redisWarnings } from "./redis-warnings.js";
import { jobIdOf, type PollData, type SubmissionData, type VideoTaskJob } from "./video-task-job.js";
import { withinMs } from "./within-ms.js";

/** Settings that all connections to the queue share. */
export interface QueueSettings {
  name: string;
  connection: VideoTaskConnection;
  /** Undefined with BullMQ 5, which has Redis alone. */
  backend: VideoTaskBackend | undefined;
  prefix: string | undefined;
  submissionLeaseMs: number;
}

/** Event of the queue that tells of a change of a job's data, which BullMQ has none for. */
export const CHANGED = "record-changed";
/** Where a job is that comes back. */
const OPEN_STATES = ["delayed", "wait", "prioritized", "active"] as const;
/** Looks at jobs that keep moving, before what was seen is taken for all. */
const MAX_PASSES = 20;
/** Name of jobs that hold records. */
const TASK = "video-task";
/** Name of jobs that tell which of two that want a rejected key again at once has it. */
const AGAIN = "video-task-again";
/** Name of jobs that ask for a poll after the one under way. */
export const SOON = "video-task-soon";

/** Name of jobs that are places among the open tasks. */
export const TURN = "video-task-turn";
/** Of their ids. */
export const TURN_PREFIX = "turn-";

/** Name, and id, of the job that tells whether the server still holds what it held. */
export const MARK = "video-task-mark";
/** The mark, and places, are in nobody's way, and come up now and then to be put back. */
export const MARK_MS = 30 * 24 * 60 * 60 * 1_000;

/** No attempt is the last: a task that was paid for is never given up. Also what PostgreSQL has room for. */
export const ENDLESS = 2 ** 31 - 1;
const RETRY_MS = 5_000;
/** Polls on demand are so far from the poll before. */
export const SOON_MS = 1_000;
const MAX_EVENTS = 10_000;
const CLOSE_MS = 3_000;
const READY_MS = 10_000;
/** Windows of the rate limit are about this long: short ones spread the polls. */
const RATE_WINDOW_MS = 100;

/** Data of a job that is about another one. */
export interface About {
  jobId: string;
}

/** The ways to append an event and learn its id: by the backend of BullMQ 6, and by the client of BullMQ 5. */
interface EventAccess {
  getBackend?: () => { publishEvent(fields: Record<string, string>, maxEvents: number): Promise<string> };
  keys: { events: string };
  client: Promise<{
    xadd(
      key: string,
      id: string,
      fields: Record<string, string>,
      options: { MAXLEN: number; approximate: boolean },
    ): Promise<string>;
  }>;
}

/** Data of the mark. */
interface Mark {
  generation: string;
}

/** Data of a place. */
interface Turn {
  /** Tells which of two that wanted it has it. */
  token: string;
}

/** Data of any job of the queue. */
export type AnyJobData = SubmissionData | About | Mark | Turn;

/** What the store asks of BullMQ, through its public API alone, so that every backend of BullMQ does. */
export class VideoTaskQueue {
  private windowMs = 0;

  private constructor(
    private readonly queue: Queue<AnyJobData>,
    private readonly settings: QueueSettings,
  ) {}

  /** @throws an error that says why the server cannot be reached */
  static async connect(settings: QueueSettings, report: (error: Error) => void): Promise<VideoTaskQueue> {
    const { name, backend, prefix } = settings;
    const queue = new Queue<AnyJobData>(
      name,
      {
        connection: forCommands(settings.connection, backend),
        ...(prefix !== undefined && { prefix }),
        streams: { events: { maxLen: MAX_EVENTS } },
        defaultJobOptions: {
          attempts: ENDLESS,
          backoff: { type: "fixed", delay: RETRY_MS, jitter: 0.5 },
          stackTraceLimit: 1,
        },
      },
      // The type says that a backend takes Redis options only; they were checked where they were given.
      backend as never,
    );
    const connected = new VideoTaskQueue(queue, settings);
    const refused = new Promise<never>((_resolve, reject) => queue.once("error", reject));
    queue.on("error", report);
    try {
      // Redis clients try for ever.
      await Promise.race([queue.waitUntilReady(), refused]);
    } catch (error) {
      const closed = connected.close();
      // BullMQ 5 stops listening to its connection first, and then learns what has become of it.
      const { connection } = queue as unknown as { connection?: EventEmitter };
      connection?.on("error", () => undefined);
      await closed;
      throw connected.unreachable(error);
    }
    return connected;
  }

  async close(): Promise<void> {
    await closeSoon(this.queue);
  }

  /** Whether the server answers. */
  answers(): Promise<boolean> {
    return succeedsSoon(this.queue.getRateLimitTtl());
  }

  /** What of the server's settings can lose tasks. */
  warnings(): Promise<string[]> {
    return redisWarnings(this.queue as Queue);
  }

  /** Names what the server holds, if nobody has done so before. @returns the name, which is another one once it was emptied */
  async mark(): Promise<string | undefined> {
    const mark: Mark = { generation: randomUUID() };
    await this.ask(this.queue.add(MARK, mark, { jobId: MARK, delay: MARK_MS }));
    return this.generation();
  }

  /** The name that `mark` gave; undefined when the server holds none. */
  async generation(): Promise<string | undefined> {
    const job = await this.ask(this.queue.getJob(MARK));
    return job !== undefined && "generation" in job.data ? job.data.generation : undefined;
  }

  /** How many polls per second all processes make together. */
  async limitRate(ratePerSecond: number): Promise<void> {
    const { max, durationMs } = rateWindow(ratePerSecond);
    this.windowMs = durationMs;
    await this.queue.setGlobalRateLimit(max, durationMs);
  }

  /** No polls, in no process, for so long at least. */
  async pause(milliseconds: number): Promise<void> {
    if ((await this.queue.getRateLimitTtl()) >= milliseconds) return;
    await this.queue.rateLimit(Math.ceil(milliseconds));
  }

  async pausedForMs(): Promise<number> {
    const remaining = await this.ask(this.queue.getRateLimitTtl());
    return remaining > this.windowMs ? remaining : 0;
  }

  /** Jobs that are due and wait for the rate limit to let them through. */
  async waiting(): Promise<number> {
    const counts = await this.ask(this.queue.getJobCounts("waiting", "prioritized"));
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  async find(key: string): Promise<VideoTaskJob | undefined> {
    return this.findById(jobIdOf(key));
  }

  async findById(id: string): Promise<VideoTaskJob | undefined> {
    const job = await this.ask(this.queue.getJob(id));
    return job && isTask(job) ? job : undefined;
  }

  /** @throws when there is no job for the key */
  async require(key: string): Promise<VideoTaskJob> {
    const job = await this.find(key);
    if (job === undefined) throw new Error(`There is no video task with key ${JSON.stringify(key)}.`);
    return job;
  }

  /**
   * Adds a job, unless there is one for this key; gives the one there is.
   *
   * @param delay milliseconds until it has its first turn
   */
  async add(data: SubmissionData, delay: number): Promise<VideoTaskJob> {
    await this.ask(
      this.queue.add(TASK, data, {
        jobId: jobIdOf(data.key),
        delay,
        priority: pollPriority(Date.now()),
      }),
    );
    return this.require(data.key);
  }

  /**
   * Asks for the right to submit once more under the key of a rejected submission.
   *
   * @returns whether the asking one has it; an unused one is free again after the lease of a submission
   */
  async claim(rejected: VideoTaskJob, data: SubmissionData): Promise<boolean> {
    const jobId = `again-${rejected.data.nonce}`;
    const { submissionLeaseMs: lease } = this.settings;
    await this.ask(this.queue.add(AGAIN, data, { jobId, delay: lease, removeOnComplete: true }));
    const claimed = await this.ask(this.queue.getJob(jobId));
    return claimed !== undefined && "nonce" in claimed.data && claimed.data.nonce === data.nonce;
  }

  /** Takes a place, unless somebody has it. @returns whether the asking one has it */
  async addTurn(id: string, token: string): Promise<boolean> {
    const options = { jobId: id, delay: MARK_MS, removeOnComplete: true };
    await this.ask(this.queue.add(TURN, { token }, options));
    return (await this.findTurn(id))?.data.token === token;
  }

  /** @param token of whoever took it: a place that another one took meanwhile is left alone */
  async removeTurn(id: string, token?: string): Promise<void> {
    const turn = await this.findTurn(id);
    if (turn === undefined || (token !== undefined && turn.data.token !== token)) return;
    await this.ask(this.queue.remove(id));
  }

  /** When a place was taken, in milliseconds since the epoch; undefined when it is free. */
  async turnSince(id: string): Promise<number | undefined> {
    return (await this.findTurn(id))?.timestamp;
  }

  /** Ids of all places that are taken: of one moment, since they rest. */
  async turnIds(): Promise<string[]> {
    return (await this.ask(this.queue.getRanges(["delayed"], 0, -1))).filter(isTurn);
  }

  private async findTurn(id: string): Promise<Job<Turn> | undefined> {
    const job = await this.ask(this.queue.getJob(id));
    return job?.name === TURN ? (job as Job<Turn>) : undefined;
  }

  /** @param by who writes, so that it need not be told */
  async write(job: VideoTaskJob, data: SubmissionData, by: string): Promise<void> {
    await this.ask(job.updateData(data));
    await this.announce(job, by);
  }

  /** BullMQ itself tells of these. */
  async writePolls(job: VideoTaskJob, polls: PollData): Promise<void> {
    await this.ask(job.updateProgress(polls));
  }

  async announce(job: VideoTaskJob, by: string): Promise<void> {
    await this.publish({ jobId: job.id ?? "", by });
  }

  /** @returns the id of the event: those after it have a higher one */
  publish(fields: Record<string, string>): Promise<string> {
    return this.ask(this.appendEvent({ event: CHANGED, ...fields }));
  }

  private async appendEvent(fields: Record<string, string>): Promise<string> {
    const { getBackend, keys, client } = this.queue as unknown as EventAccess;
    if (getBackend !== undefined) return getBackend.call(this.queue).publishEvent(fields, MAX_EVENTS);
    return (await client).xadd(keys.events, "*", fields, { MAXLEN: MAX_EVENTS, approximate: true });
  }

  /** Puts a job that runs right now in its place among those that wait, for when it is due. */
  async rank(job: VideoTaskJob, dueAt: number): Promise<void> {
    await this.ask(job.changePriority({ priority: pollPriority(dueAt) }));
  }

  /** Has the job run in so many milliseconds. One that waits already or runs right now is left alone. */
  async makeDue(
    id: string,
    milliseconds: number,
    priority = pollPriority(Date.now() + milliseconds),
  ): Promise<void> {
    // In this order: what is read of the job is not older than its state.
    const state = await this.ask(this.queue.getJobState(id));
    const job = await this.findById(id);
    if (job === undefined) return;
    await this.ask(job.changePriority({ priority }));
    try {
      if (state === "delayed") await this.ask(job.changeDelay(Math.ceil(milliseconds)));
      else if (job.finishedOn !== undefined) await this.ask(job.retry(state as FinishedStatus));
    } catch (error) {
      // It went on by itself meanwhile.
      if (codeOf(error) !== ErrorCode.JobNotInState) throw error;
    }
  }

  /**
   * Has the job run before its time and before others that wait, but not within a second of when it last ran.
   *
   * @returns false when it runs right now
   */
  async hasten(id: string): Promise<boolean> {
    if ((await this.ask(this.queue.getJobState(id))) === "active") return false;
    const job = await this.findById(id);
    if (job === undefined) return true;
    const { processedOn, delay, timestamp } = job;
    const dueAt = (processedOn ?? timestamp) + delay;
    const soonest = Math.max((processedOn ?? 0) + SOON_MS, Date.now());
    if (soonest < dueAt) await this.makeDue(id, soonest - Date.now(), ASKED_PRIORITY);
    else await this.ask(job.changePriority({ priority: ASKED_PRIORITY }));
    return true;
  }

  /** Hastens a job that runs right now when it is through. */
  async hastenLater(id: string): Promise<void> {
    const options = { jobId: `soon-${id}`, delay: SOON_MS, removeOnComplete: true };
    await this.ask(this.queue.add(SOON, { jobId: id }, options));
  }

  /** @param withFinished whether also those that nobody polls any more */
  async all(withFinished: boolean): Promise<VideoTaskJob[]> {
    const open = await this.openIds();
    const finished = withFinished ? await this.ask(this.queue.getCompleted()) : [];
    const jobs = await Promise.all([...open].filter((id) => !isTurn(id)).map((id) => this.findById(id)));
    const found = new Map<string | undefined, VideoTaskJob>();
    for (const job of [...jobs, ...finished]) if (job !== undefined && isTask(job)) found.set(job.id, job);
    return [...found.values()].sort(bySubmission);
  }

  /**
   * Ids of the jobs that come back. Redis reads all states at one moment; PostgreSQL one after the other, so that a job that
   * moves on slips through now and then: it is read again until there are as many as it counts.
   */
  async openIds(): Promise<Set<string>> {
    const ids = new Set<string>();
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      for (const id of await this.ask(this.queue.getRanges([...OPEN_STATES], 0, -1))) ids.add(id);
      if (ids.size >= (await this.ask(this.queue.getJobCountByTypes(...OPEN_STATES)))) break;
    }
    return ids;
  }

  /** Forgets tasks that ended longer ago. */
  async forgetFinished(finishedForMs: number): Promise<void> {
    const SIZE = 1_000;
    let forgotten: string[];
    do forgotten = await this.ask(this.queue.clean(finishedForMs, SIZE, "completed"));
    while (forgotten.length >= SIZE);
  }

  /** Errors of clients and drivers speak of streams and sockets. */
  private async ask<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (typeof codeOf(error) === "number") throw error;
      throw this.unreachable(error);
    }
  }

  private unreachable(error: unknown): Error {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    const message = `The store of video tasks (queue ${this.settings.name}) failed: ${reason}`;
    return new Error(message, { cause: error });
  }
}

/**
 * Waits for a connection beside that of the queue. A server that went away in this moment is waited for by itself, but a
 * refusal is for good.
 */
export async function readySoon(client: { waitUntilReady(): Promise<unknown> }): Promise<void> {
  await withinMs(READY_MS, client.waitUntilReady());
}

/** Closes what may be connected to a server that does not answer. */
export async function closeSoon(client: {
  close(): Promise<void>;
  disconnect(): Promise<void>;
}): Promise<void> {
  if (await succeedsSoon(client.close())) return;
  // Not waited for: of a connection that is lost already, the end is never told.
  client.disconnect().catch(() => undefined);
}

async function succeedsSoon(attempt: Promise<unknown>): Promise<boolean> {
  const outcome = attempt.then(
    () => true,
    () => false,
  );
  return (await withinMs(CLOSE_MS, outcome)) ?? false;
}

/** BullMQ counts in windows that begin with the first job in them. */
export function rateWindow(ratePerSecond: number): { max: number; durationMs: number } {
  const max = Math.max(1, Math.round((ratePerSecond * RATE_WINDOW_MS) / 1_000));
  return { max, durationMs: Math.ceil((max * 1_000) / ratePerSecond) };
}

/** Whether a job holds a record: others serve it. */
export function isTask(job: Job<AnyJobData>): job is VideoTaskJob {
  return job.name === TASK;
}

/** Whether an id is that of a place. */
export function isTurn(id: string): boolean {
  return id.startsWith(TURN_PREFIX);
}

/** The order of submission. */
export function bySubmission({ data: one }: VideoTaskJob, { data: other }: VideoTaskJob): number {
  return one.createdAt - other.createdAt || one.sequence - other.sequence;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
