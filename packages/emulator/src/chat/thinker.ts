import type { Worker } from "node:worker_threads";
import type { ChatRequest } from "./chat-request.js";
import { composeReply, type ModelSettings } from "./compose-reply.js";
import type { Reply } from "./reply.js";
import { startThinkingThread } from "./start-thinking-thread.js";

/** Characters of a request whose reply takes so long that other calls would wait for it. */
const LONG = 16_000;

/** What the thread is asked. */
export interface ThoughtRequest {
  id: number;
  request: ChatRequest;
  settings: ModelSettings;
}

/** What it answers. */
export type ThoughtOutcome = { id: number; reply: Reply } | { id: number; error: unknown };

interface Waiting {
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
}

/**
 * Has replies composed: short ones at once, long ones on a thread of the process, so that nobody else waits for them. The thread
 * starts with the first long one, holds the process only while there is work, and is replaced after a crash.
 */
export class Thinker {
  readonly #startThread: () => Worker;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #count = 0;

  constructor(startThread = startThinkingThread) {
    this.#startThread = startThread;
  }

  /** @throws what composing throws, and an Error when the thread ends before it has answered */
  compose(request: ChatRequest, settings: ModelSettings): Reply | Promise<Reply> {
    if (lengthOf(request) < LONG) return composeReply(request, settings);
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      this.#thread ??= this.#watch(this.#startThread());
      this.#thread.postMessage({ id, request, settings } satisfies ThoughtRequest);
      this.#thread.ref();
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #watch(thread: Worker): Worker {
    thread.on("message", (outcome: ThoughtOutcome) => {
      const waiting = this.#waiting.get(outcome.id);
      this.#waiting.delete(outcome.id);
      if (this.#waiting.size === 0) thread.unref();
      if ("reply" in outcome) waiting?.resolve(outcome.reply);
      else waiting?.reject(outcome.error);
    });
    thread.on("error", (error) => this.#lose(thread, error));
    thread.on("exit", (code) => this.#lose(thread, new Error(`the thread ended with exit code ${code}`)));
    return thread;
  }

  #lose(thread: Worker, cause: unknown): void {
    if (thread !== this.#thread) return;
    this.#thread = undefined;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of lost)
      reject(new Error("The reply could not be composed: its thread ended.", { cause }));
  }
}

/** The one of the process: composing takes all of a core, so more threads would only wait for each other. */
export const sharedThinker = new Thinker();

function lengthOf({ messages }: ChatRequest): number {
  return messages.reduce((sum, { text }) => sum + text.length, 0);
}
