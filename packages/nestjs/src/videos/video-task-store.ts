import type { VideoTask } from "@model-gateway/core";
import { EMPTY, type Observable } from "rxjs";
import type { VideoDelivery, VideoHandlerStatus } from "./video-delivery.js";
import {
  isOpen,
  isWaiting,
  type KeptResult,
  type VideoTaskIntent,
  type VideoTaskKeeping,
  type VideoTaskProblem,
  type VideoTaskRecord,
  type VideoTaskRecordStatus,
  type VideoTaskStall,
  type VideoTaskWait,
} from "./video-task-record.js";

/** How handlers are told of the ends of tasks. */
export interface VideoTaskDelivering {
  /** Submissions whose handlers are called at once in this process, at most; 0 while there are no handlers. */
  readonly concurrency: number;

  /** Names of the handlers that are to be told of a status: to be written into the record together with that status. */
  handlersOf(status: VideoHandlerStatus): readonly string[];

  /**
   * Calls the handlers of one record until none is due any more, at the pace of this process, and writes to the store what
   * comes of it. For stores of one process. Resolves soon after `signal` aborts, and never rejects.
   */
  toEnd(record: VideoTaskRecord, options: { signal: AbortSignal }): Promise<void>;

  /**
   * Calls the handlers of one record that are due now, each once, and writes to the store what comes of it. For stores that
   * share tasks between processes: called by the one that has the task.
   *
   * @returns milliseconds until a handler is due again; undefined when none is
   */
  once(record: VideoTaskRecord, options: { signal: AbortSignal }): Promise<number | undefined>;
}

/** What a store is opened with: how its tasks are polled, and who is told of their ends. */
export interface VideoTaskPolling {
  /** Polls per second, over everything that shares the store. */
  readonly ratePerSecond: number;

  /** Default: there are no handlers. */
  readonly delivering?: VideoTaskDelivering;

  /**
   * Polls one task to its end, at the pace of this process, and writes what it sees to the store. For stores of
   * one process. Resolves when the task is settled, or soon after `signal` aborts; a write that the store refuses is
   * repeated until it is taken.
   *
   * @param options `soon`: each value asks for a poll ahead of time
   */
  toEnd(record: VideoTaskRecord, options: { signal: AbortSignal; soon: Observable<unknown> }): Promise<void>;

  /**
   * Polls one task once, now, and writes what it saw to the store. For stores that schedule the polls of several
   * processes. A poll that fails is no verdict on the task. Rejects only when the store refused a write.
   *
   * @param options `failedPolls`: as the poll before gave it, at first 0
   */
  once(record: VideoTaskRecord, options: { signal: AbortSignal; failedPolls: number }): Promise<PolledOnce>;
}

/** When to poll a task again. */
export interface PolledOnce {
  /** Milliseconds until the next poll; undefined when the task needs none. After an abort 0. */
  nextPollMs?: number;
  /** Failed polls in a row, to be handed to the next poll of this task. */
  failedPolls: number;
  /** The gateway asked to slow down: no poll of any task for so many milliseconds. */
  pauseMs?: number;
  /** This process gets no answer to any poll: it should make one in so many milliseconds, whichever task it is of. */
  probeMs?: number;
}

/** Which records `list` gives: those that all given conditions hold for. */
export interface VideoTaskFilter {
  /** Whose submissions. */
  tenant?: string;
  status?: VideoTaskRecordStatus;
  /** Whether it waits for its turn here. */
  waiting?: boolean;
  /** Whether the task cannot be read at the moment. */
  stalled?: boolean;
  /** Whether nobody has to do anything about it any more: over and delivered, `rejected`, or given up by `cancelWatch`. */
  finished?: boolean;
  /** Whether a handler is still to be told of its end (`due`), was (`delivered`), or failed at every attempt (`dead`). */
  delivery?: VideoDelivery["state"];
}

/** A filter that may ask for a page: the latest submissions that are left. */
export interface VideoTaskQuery extends VideoTaskFilter {
  /** Key of a submission: only those that were submitted before it. The first of a page leads to the page before. */
  before?: string;
  /** The latest so many. Default: all. */
  limit?: number;
}

/** How many tasks may be open at once: see `isOpen`. */
export interface VideoTaskLimits {
  /** Of all tenants together. Default: any number. */
  maxOpen?: number;
  /** Of each tenant; what has none is one more. Default: any number. */
  perTenant?: number;
}

/** A submission in line. */
export type WaitingVideo = Pick<VideoTaskRecord, "key" | "tenant" | "createdAt"> & {
  waiting: Omit<VideoTaskWait, "body">;
};

/** What waits, and what it waits for. */
export interface VideoTaskLine {
  /** In the order of submission. */
  waiting: WaitingVideo[];
  /** Whose the open tasks are, one entry for each. */
  open: Array<string | undefined>;
}

/**
 * Where video tasks are kept, so that none that was paid for is lost and none is paid for twice. Abstract class
 * and not interface: it is also the token under which an instance provides its store.
 *
 * Writes have happened durably when their promise resolves. A write to a key that is not there rejects. Nothing
 * but `deliver` and `redeliver` changes a record that is over. `videoTaskStoreContract` of `@model-gateway/nestjs/testing` tests all of this.
 */
export abstract class VideoTaskStore {
  /** Whether records outlive the process. Stores that are not durable are refused in production. */
  abstract readonly durable: boolean;

  /** Whether several processes may share it. Then a change that another one makes may go unheard once in a while. */
  readonly shared: boolean = false;

  /**
   * Every change, of every process that shares the store, after it was written. Hot; does not complete, since
   * a store may be opened again. Of changes that another process makes in quick succession, the last is enough.
   */
  abstract readonly changes$: Observable<VideoTaskRecord>;

  /**
   * Tells when the store lost records that it had acknowledged, as when its server was emptied. Watches of those that are
   * gone end with the error. Default: never.
   */
  readonly lost$: Observable<Error> = EMPTY;

  /**
   * Makes the store ready, turns submissions that a dead process left behind into `unknown`, and from now on has
   * every accepted task polled until it is settled, those it finds and those accepted later. A task is with one process
   * at a time; after a crash another poll takes it up.
   */
  abstract open(polling: VideoTaskPolling): Promise<void>;

  /** Has no more tasks polled here, aborts the polls of this process and waits for them. Writes still work. */
  abstract stop(): Promise<void>;

  /** Frees what the store holds. `stop` has been called; nothing is called after it but `open`. */
  abstract close(): Promise<void>;

  /**
   * Writes an intent, as `submitting`, or as `queued` when it waits. Atomic: of two calls with one key, one gets false.
   * @returns false, and writes nothing, when there is a record with this key that is not `rejected`
   */
  abstract begin(intent: VideoTaskIntent): Promise<boolean>;

  /**
   * The gateway has the task: writes its handle and has it polled. Also brings back one that is `unknown`,
   * `rejected` or not polled any more. It is `stalled` no more.
   */
  abstract accept(key: string, task: VideoTask): Promise<void>;

  /**
   * A submission that waits has its turn: writes it as `submitting`. Atomic, over everything that shares the store: of two
   * calls with one key one gets it, and never are more tasks open than the limits say.
   *
   * @returns the record as it waited; undefined, with nothing changed, when it does not wait any more, not before
   * `nextAttemptAt`, and when the limits leave no room, also for a moment in which several ask for the same
   */
  abstract take(key: string, limits: VideoTaskLimits): Promise<VideoTaskRecord | undefined>;

  /**
   * What was taken surely did not come to the gateway, or was turned away: it waits again. Does nothing once something came of
   * it, or once it has had another turn than the one that `waiting.attempts` counts last.
   */
  abstract putBack(key: string, waiting: VideoTaskWait): Promise<void>;

  /** The gateway refused for good what was taken: writes it as `failed`. Does nothing when it is known that it has the task. */
  abstract refuse(key: string, problem: VideoTaskProblem): Promise<void>;

  /**
   * Writes a submission that waits as `cancelled`. Atomic: what was cancelled is never taken.
   * @returns false, with nothing changed, when it does not wait any more
   */
  abstract cancel(key: string): Promise<boolean>;

  /** The gateway surely did not take the task. Does nothing when it is known that it did. */
  abstract reject(key: string, problem: VideoTaskProblem): Promise<void>;

  /** Nobody knows whether the gateway took the task. Does nothing when it is known that it did. */
  abstract lose(key: string, problem: VideoTaskProblem): Promise<void>;

  /**
   * Writes what a poll saw. The task is `stalled` no more, and its files are not being kept any more.
   *
   * @param kept what became of the files of a task that succeeded, if they are to be kept
   */
  abstract update(key: string, task: VideoTask, kept?: KeptResult): Promise<void>;

  /**
   * Writes that the files of a task are being kept, so that a crash leaves their addresses; what else the record says stays,
   * but for `stalled`. It is a change, and told, when that begins, or the kind of its problem is another one.
   */
  abstract keep(key: string, keeping: VideoTaskKeeping): Promise<void>;

  /**
   * Writes that a poll failed. It is a change, and told, when the task was not stalled or the kind of the problem is
   * another one; else the next `get` and `list` show it, and that is all: it need not outlive the process.
   */
  abstract stall(key: string, stalled: VideoTaskStall): Promise<void>;

  /**
   * Writes that a call of a handler began, or how it ended. Does nothing when the record holds no such delivery, or it was
   * delivered. A record becomes due for handlers in the write that brings it to its status (`withDueDeliveries`).
   */
  abstract deliver(key: string, delivery: VideoDelivery): Promise<void>;

  /** Makes deliveries that are `dead` due again, from their first attempt. */
  abstract redeliver(key: string): Promise<void>;

  /**
   * Has this task polled no more, in no process, also after a restart, until it is accepted again.
   *
   * @param problem why, when not the application wanted it so; such a record is not forgotten
   */
  abstract cancelWatch(key: string, problem?: VideoTaskProblem): Promise<void>;

  /**
   * Asks for a poll of this task ahead of time, wherever it is polled: at once, or a second after its last poll
   * if that comes later, and before polls that nobody asked for. Does nothing for a task that is not polled.
   */
  abstract pollSoon(key: string): Promise<void>;

  abstract get(key: string): Promise<VideoTaskRecord | undefined>;

  /** In the order of submission, also within a page. Rejects when there is no record with the key `before`. */
  abstract list(query?: VideoTaskQuery): Promise<VideoTaskRecord[]>;

  /** What waits and what is open, for those who decide whose turn it is; may lag behind, since `take` judges. */
  async line(): Promise<VideoTaskLine> {
    const records = await this.list({ finished: false });
    return {
      waiting: records.filter(isWaiting),
      open: records.filter(isOpen).map(({ tenant }) => tenant),
    };
  }

  /** What is wrong with the store right now, a sentence each, for health checks: no address, no key, no foreign words. */
  async troubles(): Promise<string[]> {
    return [];
  }
}
