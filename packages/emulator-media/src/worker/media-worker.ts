import type { Worker } from "node:worker_threads";
import type { MediaJobOutcome, MediaJobs } from "./media-job.js";

interface QueuedJob {
  job: { kind: keyof MediaJobs; input: MediaJobs[keyof MediaJobs]["input"] };
  /** Takes the output of the job's own kind, which the type of a queue of all kinds cannot say. */
  resolve: (output: never) => void;
  reject: (error: Error) => void;
}

/**
 * Runs media jobs on one thread, one after the other, so that the caller's event loop stays free. The thread
 * starts with the first job, holds the process only while there is work, and is replaced after a crash.
 */
export class MediaWorker {
  readonly #startThread: () => Worker;
  readonly #queue: QueuedJob[] = [];
  #running: QueuedJob | undefined;
  #thread: Worker | undefined;

  constructor(startThread: () => Worker) {
    this.#startThread = startThread;
  }

  /**
   * Queues a job.
   *
   * @throws RangeError when the thread finds the input invalid.
   * @throws Error when the job fails, when the thread crashes while at it, and when {@link close} comes first.
   */
  run<Kind extends keyof MediaJobs>(
    kind: Kind,
    input: MediaJobs[Kind]["input"],
  ): Promise<MediaJobs[Kind]["output"]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ job: { kind, input }, resolve, reject });
      this.#runNext();
    });
  }

  /** Ends the thread and rejects what it has not finished. A later job starts a new thread. */
  async close(): Promise<void> {
    const unfinished = [...(this.#running ? [this.#running] : []), ...this.#queue.splice(0)];
    const thread = this.#thread;
    this.#running = undefined;
    this.#thread = undefined;
    for (const { job, reject } of unfinished) {
      reject(new Error(`The ${job.kind} was not rendered: the media worker was closed first.`));
    }
    await thread?.terminate();
  }

  #runNext(): void {
    if (this.#running) return;
    this.#running = this.#queue.shift();
    if (!this.#running) {
      this.#thread?.unref();
      return;
    }
    try {
      this.#thread ??= this.#watch(this.#startThread());
      this.#thread.ref();
      this.#thread.postMessage(this.#running.job);
    } catch (error) {
      this.#settle({ error });
    }
  }

  #watch(thread: Worker): Worker {
    thread.on("message", (outcome: MediaJobOutcome) => {
      if (thread === this.#thread) this.#settle(outcome);
    });
    thread.on("error", (error) => this.#replace(thread, error));
    thread.on("exit", (code) =>
      this.#replace(thread, new Error(`the media thread ended with exit code ${code}`)),
    );
    return thread;
  }

  #replace(thread: Worker, error: unknown): void {
    if (thread !== this.#thread) return;
    this.#thread = undefined;
    if (this.#running) this.#settle({ error });
  }

  #settle(outcome: MediaJobOutcome): void {
    const finished = this.#running;
    this.#running = undefined;
    if (finished) {
      if ("output" in outcome) finished.resolve(outcome.output as never);
      else finished.reject(failure(finished.job, outcome));
    }
    this.#runNext();
  }
}

function failure({ kind }: QueuedJob["job"], outcome: Exclude<MediaJobOutcome, { output: unknown }>): Error {
  if ("invalidInput" in outcome) return new RangeError(outcome.invalidInput);
  const { error } = outcome;
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(`The ${kind} could not be rendered: ${reason}`, { cause: error });
}
