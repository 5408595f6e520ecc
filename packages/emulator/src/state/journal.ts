import type { Field } from "../checks/field.js";
import { collectMembers, type Readers, readStrings } from "../checks/read-members.js";
import { BASE_KINDS, type BaseKind } from "../http/base-kinds.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import { matchesFilter } from "./matches-filter.js";
import { type RecordedExchange, Recording } from "./recording.js";
import { readExchange, saveExchange } from "./saved-exchange.js";

/** One request as the emulator saw it. */
export interface JournalEntry {
  /** The `x-request-id` of the response. */
  id: string;
  /** Milliseconds since the epoch on the emulator's clock. */
  time: number;
  method: string;
  /** The path below the base address, such as `/chat/completions`; the whole path when under no base address. */
  path: string;
  /** The base address that was used, or null for files and unknown paths. */
  base: BaseKind | null;
  /** The key, masked, or null when none was sent. */
  key: string | null;
  model: string | null;
  /** The status answered, or null when a fault dropped the connection or the client left first. */
  status: number | null;
  /** Real milliseconds until the end of the response body. Grows no more once `complete`. */
  durationMs: number;
  /** Whether the whole response body was handed over. */
  complete: boolean;
  /** The parsed JSON body with long strings cut, or undefined when there was none. */
  body?: unknown;
  /** What it cost, in units of 1/500000 of a currency unit; left out for what is not paid for. */
  units?: number;
  /** The scripted reply that it got. */
  reply?: string;
  /** Why the scripted replies that there are were not for it, one each. */
  misses?: string[];
  /** Why it was answered as it was: what decided, what was weighed, a line each. */
  why?: string[];
  /** What went wrong inside the emulator, for an unexpected 500. */
  failure?: string;
}

/** Every given member must hold. */
export interface JournalFilter {
  method?: string;
  path?: string;
  base?: BaseKind;
  model?: string;
  status?: number;
  /** A whole key, as a client sends it. */
  key?: string;
}

/**
 * What the journal keeps of bodies: `whole`, as they came and went; `short`, those that came, with long strings cut;
 * `none`.
 */
export const KEPT_BODIES = ["whole", "short", "none"] as const;
export type KeptBodies = (typeof KEPT_BODIES)[number];

/** What the journal keeps. */
export interface JournalSettings {
  /** Default `whole`. */
  bodies: KeptBodies;
  /** Bytes of whole bodies in all; the oldest are forgotten first. Default 64 MiB. */
  maxBytes: number;
}

/** What happens to the journal. */
export type JournalChange = { type: "entry"; entry: JournalEntry } | { type: "cleared" } | { type: "closed" };

interface JournaledCall {
  entry: JournalEntry;
  key: string | null;
  recording: Recording | undefined;
  /** Nothing of it changes any more. */
  ended: boolean;
}

/** A call as it is kept. */
interface SavedCall {
  entry: JournalEntry;
  owner: string | null;
  exchange?: RecordedExchange;
}

const KEPT_ENTRIES = 1_000;
const PART = "journal";

const ENTRY: Readers<JournalEntry> = {
  id: (field) => field.nonEmptyString(),
  time: (field) => field.number(),
  method: (field) => field.string(),
  path: (field) => field.string(),
  base: (field) => nullable(field, () => field.oneOf(BASE_KINDS)),
  key: (field) => nullable(field, () => field.string()),
  model: (field) => nullable(field, () => field.string()),
  status: (field) => nullable(field, () => field.integer()),
  durationMs: (field) => field.number(),
  complete: (field) => field.boolean(),
  body: (field) => field.value,
  units: (field) => field.number(),
  reply: (field) => field.string(),
  misses: readStrings,
  why: readStrings,
  failure: (field) => field.string(),
};
const OPTIONAL: readonly (keyof JournalEntry)[] = ["units", "reply", "misses", "why", "failure"];
const CALL: Readers<SavedCall> = {
  entry: (field) => {
    const vital = (Object.keys(ENTRY) as (keyof JournalEntry)[]).filter((name) => !OPTIONAL.includes(name));
    return collectMembers(field, ENTRY, { vital, complete: true }) as JournalEntry;
  },
  owner: (field) => nullable(field, () => field.string()),
  exchange: readExchange,
};

/** The last thousand requests, oldest first. Those that have ended are kept. */
export class Journal implements KeptStore {
  readonly bodies: KeptBodies;
  private readonly calls = new Map<string, JournaledCall>();
  private bytes = 0;
  private readonly maxBytes: number;
  private listeners = new Set<(change: JournalChange) => void>();
  private readonly changes: PartChanges | undefined;

  constructor({ bodies, maxBytes }: JournalSettings, changes?: ChangeLog) {
    this.bodies = bodies;
    this.maxBytes = maxBytes;
    this.changes = changes?.of(PART);
  }

  /** @returns what keeps the bodies, where they are kept whole */
  add(entry: JournalEntry, key: string | null, request: Request): Recording | undefined {
    const recording =
      this.bodies === "whole" ? Recording.of(request, (bytes) => this.makeRoom(bytes)) : undefined;
    this.put({ entry, key, recording, ended: false });
    this.changed(entry);
    return recording;
  }

  /** Tells that an entry has changed for the last time. */
  ended(entry: JournalEntry): void {
    const call = this.calls.get(entry.id);
    if (call) {
      call.ended = true;
      this.changes?.set(entry.id, () => saved(call));
    }
    this.changed(entry);
  }

  /** Tells that an entry has changed. */
  changed(entry: JournalEntry): void {
    this.tell({ type: "entry", entry });
  }

  list(filter: JournalFilter = {}): JournalEntry[] {
    return [...this.calls.values()]
      .filter(({ entry, key }) => matchesFilter({ ...entry, key }, filter))
      .map(({ entry }) => ({ ...entry }));
  }

  /** What came and went, whole. @returns undefined for what is not kept, or not kept whole */
  exchange(id: string): RecordedExchange | undefined {
    return this.calls.get(id)?.recording?.content;
  }

  /** @returns a function that ends it */
  subscribe(listener: (change: JournalChange) => void): () => void {
    const { listeners } = this;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Takes the place of another one, in front of those who listen to it. */
  replace(other: Journal): void {
    this.listeners = other.listeners;
    other.listeners = new Set();
    this.tell({ type: "cleared" });
    for (const { entry } of this.calls.values()) this.changed(entry);
  }

  clear(): void {
    // What is still under way must not count again.
    for (const [id, { recording }] of this.calls) {
      recording?.drop();
      this.changes?.delete(id);
    }
    this.calls.clear();
    this.bytes = 0;
    this.tell({ type: "cleared" });
  }

  /** Nothing more happens: the emulator has closed. */
  close(): void {
    this.tell({ type: "closed" });
    this.listeners.clear();
  }

  *save(): Iterable<KeptEntry> {
    for (const [key, call] of this.calls) {
      if (call.ended) yield { part: PART, key, value: saved(call) };
    }
  }

  load(state: Field): void {
    const read = (field: Field) =>
      collectMembers(field, CALL, { vital: ["entry", "owner"], complete: true }) as SavedCall;
    loadPart(state, PART, read, ({ entry, owner, exchange }) => {
      const recording = exchange && Recording.restored(exchange);
      this.put({ entry, key: owner, recording, ended: true });
      this.makeRoom(recording?.bytes ?? 0);
    });
  }

  private put(call: JournaledCall): void {
    this.calls.set(call.entry.id, call);
    if (this.calls.size <= KEPT_ENTRIES) return;
    for (const [id, { recording }] of this.calls) {
      this.bytes -= recording?.drop() ?? 0;
      this.calls.delete(id);
      this.changes?.delete(id);
      break;
    }
  }

  private makeRoom(bytes: number): void {
    this.bytes += bytes;
    for (const [id, call] of this.calls) {
      if (this.bytes <= this.maxBytes) break;
      if (!call.recording || call.recording.content.dropped) continue;
      this.bytes -= call.recording.drop();
      if (call.ended) this.changes?.set(id, () => saved(call));
    }
  }

  private tell(change: JournalChange): void {
    for (const listener of [...this.listeners]) listener(change);
  }
}

function saved({ entry, key, recording }: JournaledCall): object {
  return { entry, owner: key, ...(recording && { exchange: saveExchange(recording.content) }) };
}

function nullable<T>(field: Field, read: () => T | undefined): T | null | undefined {
  return field.value === null ? null : read();
}
