import { join } from "node:path";
import type { Field } from "../checks/field.js";
import { APIError } from "../http/api-error.js";
import { ChangeLog } from "../persistence/change-log.js";
import { DataFolder } from "../persistence/data-folder.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import {
  type EmulatorState,
  readStateDocument,
  STATE_FORMAT,
  STATE_VERSION,
  toStateDocument,
} from "../persistence/state-document.js";
import { Refusal } from "../state/refusal.js";
import { SnapshotShelf, type StateSnapshot } from "./snapshot-shelf.js";

/** A state, from when it comes into force until another takes its place. */
export interface LiveState {
  /** In the order in which they are saved. */
  stores: readonly KeptStore[];
  /** What is scheduled happens from now on, what is late at once; listeners of the one before hear of it. */
  enter(previous: LiveState | undefined): void;
  /** Nothing happens in it any more. What calls that are under way still write to it is lost with it. */
  leave(): void;
}

/** Where a state comes from. */
export interface StateOrigin {
  /** What was saved; without it the state is that of the options. Problems are noted at its fields. */
  saved?: Field | undefined;
  /** Whether what options name is added where it is not there. */
  complete: boolean;
  changes: ChangeLog;
}

/** What a keeper needs. */
export interface StateKeeperSettings<S> {
  /** Folder that keeps the state, if any. */
  dataDir: string | undefined;
  /** What to begin with where the folder holds nothing yet. */
  initial: EmulatorState | undefined;
  create(origin: StateOrigin): S;
}

/** A state that is ready to come into force, and what will tell of its changes. */
interface Made<S> {
  live: S;
  changes: ChangeLog;
}

/**
 * Holds the state that is in force. Another one takes its place as a whole: it is made beside it, and whatever is wrong
 * with it shows before anything has changed. Calls under way stay with the state in which they began.
 */
export class StateKeeper<S extends LiveState> {
  private readonly settings: StateKeeperSettings<S>;
  private folder: DataFolder | undefined;
  private readonly shelf: SnapshotShelf;
  private made: Made<S>;
  /** What a reset returns to, as JSON; undefined for the options. */
  private baseline: string | undefined;
  private isFlushScheduled = false;
  /** The folder lacks something, and has to be written anew. */
  private isBehind = false;

  /** @throws Error when the folder cannot be used or read, TypeError when the state makes no sense */
  constructor(settings: StateKeeperSettings<S>) {
    const { dataDir, initial } = settings;
    this.settings = settings;
    this.folder = dataDir === undefined ? undefined : new DataFolder(dataDir);
    this.shelf = new SnapshotShelf(dataDir === undefined ? undefined : join(dataDir, "snapshots"));
    try {
      const saved = this.folder?.saved;
      const what = saved
        ? `The state in the data folder ${dataDir} cannot be read`
        : "The state makes no sense";
      this.made = this.make(saved ? documentOf(saved) : initial, what, { complete: true });
      if (saved) this.baseline = this.folder?.imported;
      else if (initial !== undefined) this.keepBaseline(JSON.stringify(this.export()));
      this.folder?.rewrite(entriesOf(this.made.live));
    } catch (error) {
      this.folder?.close();
      throw error;
    }
    this.made.changes.start();
    this.made.live.enter(undefined);
  }

  get current(): S {
    return this.made.live;
  }

  export(): EmulatorState {
    return toStateDocument(entriesOf(this.made.live));
  }

  /** @throws TypeError that names what is wrong with it; nothing has changed then */
  import(document: EmulatorState): void {
    const next = this.make(document ?? null, "The state cannot be imported, and nothing was changed");
    const { baseline } = this;
    const imported = JSON.stringify(toStateDocument(entriesOf(next.live)));
    try {
      this.keepBaseline(imported);
      this.replaceBy(next);
    } catch (error) {
      next.live.leave();
      if (this.baseline === imported) this.keepBaseline(baseline);
      throw error;
    }
  }

  /** Back to what was imported last, or else to the options. */
  reset(): void {
    const baseline: unknown = this.baseline === undefined ? undefined : JSON.parse(this.baseline);
    this.replaceBy(this.make(baseline, "What was imported cannot be had again"));
  }

  /** @throws TypeError for a name that is none */
  saveSnapshot(name: string): void {
    this.shelf.save(name, JSON.stringify(this.export()));
  }

  /** @throws TypeError when there is none of that name, or it cannot be read; nothing has changed then */
  restoreSnapshot(name: string): void {
    const what = `The snapshot "${name}" cannot be restored, and nothing was changed`;
    this.replaceBy(this.make(parsed(this.shelf.read(name), what), what));
  }

  listSnapshots(): StateSnapshot[] {
    return this.shelf.list();
  }

  /** Returns whether there was one. */
  removeSnapshot(name: string): boolean {
    return this.shelf.remove(name);
  }

  /** Hands to the system what changed, so that it outlives the process. It is with it before a call is answered. */
  flush(): void {
    const { folder, made } = this;
    if (!folder || (made.changes.isEmpty && !this.isBehind)) return;
    try {
      if (this.isBehind || folder.isBloated) {
        made.changes.take();
        folder.rewrite(entriesOf(made.live));
      } else {
        folder.append(made.changes.take());
      }
      this.isBehind = false;
    } catch (error) {
      if (!this.isBehind) warn(folder.path, error);
      this.isBehind = true;
    }
  }

  /** Nothing happens in the state any more; what changed is kept. */
  close(): void {
    this.made.live.leave();
    this.flush();
    this.folder?.close();
    this.folder = undefined;
  }

  private make(document: unknown, what: string, { complete = false } = {}): Made<S> {
    const changes = new ChangeLog(this.folder && (() => this.flushSoon()));
    const create = (saved?: Field) => this.settings.create({ saved, complete, changes });
    if (document === undefined) return { live: create(), changes };
    try {
      return { live: create(readStateDocument(asJSON(document))), changes };
    } catch (error) {
      // A TypeError is about the options.
      if (!(error instanceof APIError)) throw error;
      throw new Refusal(`${what}: ${error.message}`);
    }
  }

  /** The folder first: when it cannot take the next state, the one before goes on. */
  private replaceBy(next: Made<S>): void {
    const previous = this.made;
    try {
      this.folder?.rewrite(entriesOf(next.live));
    } catch (error) {
      next.live.leave();
      throw error;
    }
    this.isBehind = false;
    previous.live.leave();
    this.made = next;
    next.changes.start();
    next.live.enter(previous.live);
  }

  private flushSoon(): void {
    if (this.isFlushScheduled) return;
    this.isFlushScheduled = true;
    setImmediate(() => {
      this.isFlushScheduled = false;
      this.flush();
    });
  }

  private keepBaseline(text: string | undefined): void {
    this.folder?.keepImported(text);
    this.baseline = text;
  }
}

function* entriesOf({ stores }: LiveState): Iterable<KeptEntry> {
  for (const store of stores) yield* store.save();
}

/** What a folder held, which is JSON already. */
function documentOf(entries: readonly KeptEntry[]): Record<string, unknown> {
  const parts = new Map<string, object[]>();
  for (const { part, value } of entries) {
    const values = parts.get(part) ?? [];
    parts.set(part, values);
    values.push(value);
  }
  return { format: STATE_FORMAT, version: STATE_VERSION, ...Object.fromEntries(parts) };
}

/** What is given is looked at as JSON has it: without what only code can hold, and without ties to the caller's. */
function asJSON(document: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(document) ?? "null") as unknown;
  } catch (error) {
    throw APIError.badRequest(`it is no JSON (${error instanceof Error ? error.message : error})`);
  }
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Refusal(`${what}: ${error instanceof Error ? error.message : error}`);
  }
}

function warn(path: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.emitWarning(
    `The emulator goes on, but the data folder ${path} does not take its state (${reason}): what happens from now on is lost when it ends. Make room; it is written whole as soon as that works.`,
    { code: "MODEL_GATEWAY_STATE_NOT_KEPT" },
  );
}
