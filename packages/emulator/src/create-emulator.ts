import { CHAT_IMAGE_FORMS, type ChatImageForm } from "./chat-images/chat-image-form.js";
import { MediaFiles } from "./media/media-files.js";
import { MediaRendererLease } from "./media/media-renderer-lease.js";
import { BASE_PATHS, type BaseKind } from "./server/base-kinds.js";
import { buildApp } from "./server/build-app.js";
import { type Listener, listen } from "./server/listen.js";
import type { Latency, Services } from "./server/services.js";
import { type Fault, FaultStore } from "./state/fault-store.js";
import { Journal, type JournalEntry, type JournalFilter } from "./state/journal.js";
import { type EmulatorKey, KeyStore } from "./state/key-store.js";
import { VirtualClock } from "./state/virtual-clock.js";
import { type CallbackDelivery, CallbackLog } from "./videos/callback-log.js";
import { taskBody } from "./videos/task-body.js";
import { TaskStore, type VideoTimings } from "./videos/task-store.js";
import type { VideoTaskBody } from "./videos/video-task-body.js";
import type { WrappedTaskBody } from "./videos/wrapped-task-body.js";

/** Settings of an emulator; every one has a default. */
export interface EmulatorOptions {
  /** Integer that decides every choice the local models make. Default 1. */
  seed?: number;
  /** Keys beside `sk-emulator`. */
  keys?: readonly EmulatorKey[];
  /** Real milliseconds before every answer; the events of a stream follow at a tenth of it. Default 0. */
  latency?: number;
  /** Folder in which rendered media are kept as files too; in memory only by default. */
  dataDir?: string;
  /** How `local-chat-image` puts its image into an answer; a marker `[[as:…]]` in a prompt overrides it. Default `markdown`. */
  chatImageForm?: ChatImageForm;
  /** How long a video task takes, in milliseconds of the emulator's clock. Default 500 queued, 2500 running. */
  videoTimings?: Partial<VideoTimings>;
}

/** A task of either video family as its own endpoint shows it. */
export type EmulatorVideo = VideoTaskBody | ({ id: string } & WrappedTaskBody);

/** A local model gateway. */
export interface Emulator {
  /** The general base address, ending in `/v1`. Before `listen` it works with {@link Emulator.fetch} only. */
  readonly url: string;
  /** All four base addresses. */
  readonly urls: Readonly<Record<BaseKind, string>>;
  /** Answers a request in this process; a drop-in for the global `fetch`, with or without a port. */
  readonly fetch: typeof globalThis.fetch;
  /** Opens a port on 127.0.0.1 (0 or none: any free one). @throws Error when the port is in use, or after `close` */
  listen(options?: { port?: number }): Promise<Emulator>;
  /** Frees the port and ends open streams at once. */
  close(): Promise<void>;
  /** Back to the state right after creation: options' keys, real time, no tasks, faults or journal. */
  reset(): void;
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Moves to a point in time; resolves when everything that became due has run. */
    set(ms: number): Promise<void>;
    /** Moves forward; resolves when everything that became due has run, callbacks included. */
    advance(ms: number): Promise<void>;
  };
  readonly keys: {
    add(key: EmulatorKey): void;
    update(key: string, changes: Partial<Omit<EmulatorKey, "key">>): void;
    remove(key: string): boolean;
    list(): EmulatorKey[];
  };
  readonly journal: {
    list(filter?: JournalFilter): JournalEntry[];
    clear(): void;
  };
  readonly faults: {
    /** Puts a fault in force; returns its id. */
    add(fault: Fault): string;
    /** Lifts one fault, or all. */
    clear(id?: string): void;
  };
  readonly videos: {
    /** Every task as `GET` shows it, with its id, oldest first. */
    list(): EmulatorVideo[];
    succeed(id: string): Promise<void>;
    fail(id: string, message?: string): Promise<void>;
  };
  readonly callbacks: {
    list(): CallbackDelivery[];
    resend(id: string): Promise<CallbackDelivery>;
  };
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_TIMINGS: VideoTimings = { queuedMs: 500, runningMs: 2_500 };

/** Where requests go that need no port. The top-level domain is reserved: it never leaves the machine. */
const PORTLESS_ORIGIN = "http://emulator.localhost";

/**
 * Creates a gateway that runs in this process: models that answer usefully, real bookkeeping, a clock that can
 * be moved and failures on demand.
 *
 * @example
 * ```ts
 * const emulator = await createEmulator({ seed: 1 }).listen({ port: 0 });
 * const response = await fetch(`${emulator.url}/models`, { headers: { authorization: "Bearer sk-emulator" } });
 * await emulator.close();
 * ```
 * @throws TypeError for an option out of range
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { seed = 1, latency = 0, keys = [], dataDir, chatImageForm = "markdown" } = options;
  if (!Number.isSafeInteger(seed)) throw new TypeError(`seed must be an integer (got ${seed}).`);
  if (!CHAT_IMAGE_FORMS.includes(chatImageForm)) {
    throw new TypeError(
      `chatImageForm must be one of ${CHAT_IMAGE_FORMS.join(", ")} (got ${chatImageForm}).`,
    );
  }
  const timings = { ...DEFAULT_TIMINGS, ...options.videoTimings };
  for (const [name, ms] of Object.entries({ latency, ...timings })) {
    if (!Number.isFinite(ms) || ms < 0)
      throw new TypeError(`${name} must be milliseconds of at least 0 (got ${ms}).`);
  }

  const closing = new AbortController();
  const clock = new VirtualClock();
  const callbacks = new CallbackLog(clock, closing.signal);
  const files = new MediaFiles(clock, dataDir);
  const tasks = new TaskStore(clock, timings, (task) => {
    const { callbackUrl } = task.settings;
    if (callbackUrl === undefined) return undefined;
    return callbacks.send(task.id, callbackUrl, taskBody(task, services));
  });
  const services: Services = {
    seed,
    latency: latencyOf(latency),
    chatImageForm,
    clock,
    keys: new KeyStore(keys, () => clock.now()),
    journal: new Journal(),
    faults: new FaultStore(),
    tasks,
    callbacks,
    files,
    media: new MediaRendererLease(),
    openExchanges: new Set(),
  };
  const app = buildApp(services);
  let listener: Listener | undefined;
  let origin = PORTLESS_ORIGIN;

  const emulator: Emulator = {
    get url() {
      return origin + BASE_PATHS.general;
    },
    get urls() {
      return {
        general: origin + BASE_PATHS.general,
        cdn: origin + BASE_PATHS.cdn,
        specialized: origin + BASE_PATHS.specialized,
        specializedCdn: origin + BASE_PATHS.specializedCdn,
      };
    },
    async fetch(input, init) {
      const request = new Request(input, init);
      request.signal.throwIfAborted();
      if (closing.signal.aborted) throw new TypeError("fetch failed", { cause: closing.signal.reason });
      try {
        return await app.fetch(request);
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        // What the platform's fetch throws when the network fails.
        throw new TypeError("fetch failed", { cause: error });
      }
    },
    async listen({ port = 0 } = {}) {
      closing.signal.throwIfAborted();
      if (listener) throw new Error(`The emulator already listens on ${origin}.`);
      listener = await listen((request) => app.fetch(request), port);
      origin = `http://127.0.0.1:${listener.port}`;
      return emulator;
    },
    async close() {
      const reason = new Error("The emulator was closed.");
      closing.abort(reason);
      clock.reset();
      await listener?.close();
      listener = undefined;
      for (const exchange of services.openExchanges) exchange.abort(reason);
      await services.media.release();
    },
    reset() {
      clock.reset();
      for (const part of [services.keys, tasks, callbacks, files]) part.reset();
      services.faults.clear();
      services.journal.clear();
    },
    clock: {
      now: () => clock.now(),
      set: (ms) => clock.set(ms),
      advance: (ms) => clock.advance(ms),
    },
    keys: {
      add: (key) => services.keys.add(key),
      update: (key, changes) => services.keys.update(key, changes),
      remove: (key) => services.keys.remove(key),
      list: () => services.keys.list(),
    },
    journal: {
      list: (filter) => services.journal.list(filter),
      clear: () => services.journal.clear(),
    },
    faults: {
      add: (fault) => services.faults.add(fault),
      clear: (id) => services.faults.clear(id),
    },
    videos: {
      list: () => tasks.list().map((task) => ({ id: task.id, ...taskBody(task, services) })),
      succeed: (id) => tasks.succeed(id),
      fail: (id, message) => tasks.fail(id, message),
    },
    callbacks: {
      list: () => callbacks.list(),
      resend: (id) => callbacks.resend(id),
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  };
  return emulator;
}

/** One number serves both: a stream whose every event took as long as the first would be unusable. */
function latencyOf(ms: number): Latency {
  return { responseMs: ms, chunkMs: ms / 10 };
}
