import type { BaseKind } from "./http/base-kinds.js";
import type { StateSnapshot } from "./keeper/snapshot-shelf.js";
import type { EmulatorState } from "./persistence/state-document.js";
import type { RecordingEntry } from "./recordings/tape.js";
import type { ActiveFault, Fault } from "./state/fault-store.js";
import type { EmulatorGroup } from "./state/group-store.js";
import type { JournalChange, JournalEntry, JournalFilter } from "./state/journal.js";
import type { EmulatorKey, StoredKey } from "./state/key-store.js";
import type { LedgerEntry, LedgerFilter, LedgerTotal } from "./state/ledger.js";
import type { EmulatorModel, ServedModel } from "./state/model-store.js";
import type { RecordedCall } from "./state/recorded-call.js";
import type { ActiveReply, ReplyRule } from "./state/reply-store.js";
import type { CallbackDelivery, CallbackFilter } from "./tasks/callback-log.js";
import type { VideoFilter } from "./tasks/task-store.js";
import type { VideoTaskStep } from "./tasks/video-task.js";
import type { FlatTaskBody } from "./videos/flat-task-body.js";
import type { WrappedTaskBody } from "./videos/wrapped-task-body.js";

/** A task of either video family as its own endpoint shows it. */
export type EmulatorVideo = FlatTaskBody | ({ id: string } & WrappedTaskBody);

/** Where an emulator listens. */
export interface ListenOptions {
  /** 0, the default: any free one. */
  port?: number;
  /** Address to listen on. Default `127.0.0.1`; `0.0.0.0` for other machines and containers, which then control it too. */
  host?: string;
  /** Where others reach it, such as `http://emulator:4010`: what `url` and `urls` tell. Default: the address and the port. */
  advertise?: string;
}

/** A local model gateway. */
export interface Emulator {
  /** The general base address, ending in `/v1`. Before `listen` it works with {@link Emulator.fetch} only. */
  readonly url: string;
  /** All four base addresses. */
  readonly urls: Readonly<Record<BaseKind, string>>;
  /** Answers a request in this process; a drop-in for the global `fetch`, with or without a port. */
  readonly fetch: typeof globalThis.fetch;
  /** Opens a port. @throws Error when the port is in use, or after `close` */
  listen(options?: ListenOptions): Promise<Emulator>;
  /** Frees the port and ends open streams at once. @throws Error when recordings could not be written */
  close(): Promise<void>;
  /**
   * Back to what was imported last; without it, to the state right after creation: options' keys and groups, real time,
   * nothing done and nothing spent.
   */
  reset(): void;
  /** All that it holds, keys whole. */
  readonly state: {
    /** As JSON. Calls under way are not in it. */
    export(): EmulatorState;
    /**
     * Puts it in the place of what there is, at once. Calls under way are answered, and what they still do is lost with the
     * state that they began in. What is due by now happens.
     *
     * @throws TypeError that names what makes no sense in it; nothing has changed then
     */
    import(state: EmulatorState): void;
  };
  /** States put aside under names: in `dataDir` where there is one, else in memory. */
  readonly snapshots: {
    /** In place of the one of that name. @throws TypeError for a name of other than `a-z 0-9 . _ -` */
    save(name: string): void;
    /** As `state.import`, but `reset` still returns to what it returned to. @throws TypeError also when there is none */
    restore(name: string): void;
    list(): StateSnapshot[];
    /** Returns whether there was one. */
    remove(name: string): boolean;
  };
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Moves to a point in time; resolves when everything that became due has run. */
    set(ms: number): Promise<void>;
    /** Moves forward; resolves when everything that became due has run, callbacks included. */
    advance(ms: number): Promise<void>;
    /** When something happens next by itself; undefined when nothing is due. */
    nextAt(): number | undefined;
  };
  /** Every change throws a TypeError when it makes no sense. */
  readonly keys: {
    add(key: EmulatorKey): void;
    /** Changes the members that are given; `undefined` takes one away. */
    update(key: string, changes: Partial<Omit<EmulatorKey, "key">>): void;
    remove(key: string): boolean;
    list(): StoredKey[];
  };
  /** Token groups; the three that are built in cannot be changed. Changes throw as those of keys. */
  readonly groups: {
    add(group: EmulatorGroup): void;
    update(name: string, changes: Partial<Omit<EmulatorGroup, "name">>): void;
    /** @throws TypeError also while a key is in the group */
    remove(name: string): boolean;
    list(): EmulatorGroup[];
  };
  /** What it serves; the built-in models cannot be removed. Changes throw as those of keys. */
  readonly models: {
    /** Serves a model under another id, such as `gpt-4o`. */
    add(model: EmulatorModel): void;
    /** @throws TypeError also while a key or a group of one's own names it */
    remove(id: string): boolean;
    list(): ServedModel[];
  };
  /** What the keys have spent, by the emulator's own prices. */
  readonly ledger: {
    /** The last ten thousand charges and refunds, oldest first. */
    list(filter?: LedgerFilter): LedgerEntry[];
    /** What one key spent, or all. */
    total(key?: string): LedgerTotal;
  };
  readonly journal: {
    list(filter?: JournalFilter): JournalEntry[];
    /** A call whole: headers without the key, bodies, events with their times. Undefined for what is not kept so. */
    get(id: string): RecordedCall | undefined;
    /** The bytes of its answer, as far as they were sent. */
    bytes(id: string): Uint8Array | undefined;
    /** Calls `listener` at each change, until the function is called that it returns. */
    subscribe(listener: (change: JournalChange) => void): () => void;
    clear(): void;
  };
  readonly faults: {
    /** Puts a fault in force; returns its id. */
    add(fault: Fault): string;
    /** The faults in force, in the order in which they were added. */
    list(): ActiveFault[];
    /** Lifts one fault, or all. */
    clear(id?: string): void;
  };
  /** Answers that are written by hand. */
  readonly replies: {
    /** Adds one after those that are there; returns its id. @throws TypeError when it makes no sense */
    add(rule: ReplyRule): string;
    /** All, with how often each was given. */
    list(): ActiveReply[];
    /** Takes one away, or all. */
    clear(id?: string): void;
  };
  /** What is recorded, or replayed. */
  readonly recordings: {
    /** All that are there. Empty where nothing is recorded or replayed. */
    list(): RecordingEntry[];
    /**
     * Those that were not given, or not made anew, since the emulator was created, whatever was reset: what they were made for
     * is no more.
     */
    unused(): RecordingEntry[];
    /**
     * Has the calls that follow recorded, or looked for, in a folder of their own, such as that of a test by its name; null for the
     * folder itself. @throws TypeError where nothing is recorded or replayed
     */
    use(group: string | null): void;
    /** What is recorded or replayed, and where, in words; undefined where nothing is. */
    about(): string | undefined;
  };
  readonly videos: {
    /** Every task as `GET` shows it, with its id, oldest first. */
    list(filter?: VideoFilter): EmulatorVideo[];
    succeed(id: string): Promise<void>;
    fail(id: string, message?: string): Promise<void>;
    /** Each status that a task has had, and since when, by the emulator's clock. @throws TypeError when there is none */
    timeline(id: string): VideoTaskStep[];
  };
  readonly callbacks: {
    list(filter?: CallbackFilter): CallbackDelivery[];
    resend(id: string): Promise<CallbackDelivery>;
  };
  [Symbol.asyncDispose](): Promise<void>;
}
