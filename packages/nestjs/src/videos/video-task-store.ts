import type { VideoTask } from "@model-gateway/core";
import type { Observable } from "rxjs";
import type {
  VideoTaskIntent,
  VideoTaskProblem,
  VideoTaskRecord,
  VideoTaskRecordStatus,
} from "./video-task-record.js";

/**
 * Polls one task and writes what it sees to the store. Resolves when the task is settled, or soon after
 * `signal` aborts; rejects only when the store refused a write.
 */
export type PollVideoTask = (record: VideoTaskRecord, signal: AbortSignal) => Promise<void>;

/**
 * Where video tasks are kept, so that none that was paid for is lost and none is paid for twice. Abstract class
 * and not interface: it is also the token under which an instance provides its store.
 *
 * Writes have happened durably when their promise resolves. A write to a key that is not there rejects.
 */
export abstract class VideoTaskStore {
  /** Whether records outlive the process. Stores that are not durable are refused in production. */
  abstract readonly durable: boolean;

  /**
   * Every change, of every process that shares the store, after it was written. Hot; does not complete, since
   * a store may be opened again.
   */
  abstract readonly changes$: Observable<VideoTaskRecord>;

  /**
   * Makes the store ready, turns submissions that a dead process left behind into `unknown`, and from now on
   * hands every accepted task that is not over to `poll`: those it finds, `unknown` ones with a handle
   * included, and those accepted later. A task is with one process at a time; after a crash it is handed out
   * again.
   */
  abstract open(poll: PollVideoTask): Promise<void>;

  /** Hands out no more tasks, aborts the polls of this process and waits for them. Writes still work. */
  abstract stop(): Promise<void>;

  /** Frees what the store holds. `stop` has been called; nothing is called after it but `open`. */
  abstract close(): Promise<void>;

  /**
   * Writes an intent, as `submitting`. Atomic: of two calls with one key, one gets false.
   * @returns false, and writes nothing, when there is a record with this key that is not `rejected`
   */
  abstract begin(intent: VideoTaskIntent): Promise<boolean>;

  /** The gateway took the task: writes its handle and hands it out for polling. */
  abstract accept(key: string, task: VideoTask): Promise<void>;

  /** The gateway surely did not take the task. */
  abstract reject(key: string, problem: VideoTaskProblem): Promise<void>;

  /** Nobody knows how the task stands. What was known of it (handle, last poll) stays. Changes none that is over. */
  abstract lose(key: string, problem: VideoTaskProblem): Promise<void>;

  /** Writes what a poll saw. Changes none that is over. */
  abstract update(key: string, task: VideoTask): Promise<void>;

  abstract get(key: string): Promise<VideoTaskRecord | undefined>;

  /** In the order of submission. */
  abstract list(filter?: { status?: VideoTaskRecordStatus }): Promise<VideoTaskRecord[]>;
}
