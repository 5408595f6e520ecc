import type { BaseKind } from "../http/base-kinds.js";
import { matchesFilter } from "./matches-filter.js";
import { type RecordedExchange, Recording } from "./recording.js";

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

interface KeptEntry {
  entry: JournalEntry;
  key: string | null;
  recording: Recording | undefined;
}

const KEPT_ENTRIES = 1_000;

/** The last thousand requests, oldest first. */
export class Journal {
  readonly bodies: KeptBodies;
  private entries: KeptEntry[] = [];
  private bytes = 0;
  private readonly maxBytes: number;
  private readonly listeners = new Set<(change: JournalChange) => void>();

  constructor({ bodies, maxBytes }: JournalSettings) {
    this.bodies = bodies;
    this.maxBytes = maxBytes;
  }

  /** @returns what keeps the bodies, where they are kept whole */
  add(entry: JournalEntry, key: string | null, request: Request): Recording | undefined {
    const recording =
      this.bodies === "whole" ? new Recording(request, (bytes) => this.makeRoom(bytes)) : undefined;
    this.entries.push({ entry, key, recording });
    if (this.entries.length > KEPT_ENTRIES) this.bytes -= this.entries.shift()?.recording?.drop() ?? 0;
    this.changed(entry);
    return recording;
  }

  /** Tells that an entry has changed. */
  changed(entry: JournalEntry): void {
    this.tell({ type: "entry", entry });
  }

  list(filter: JournalFilter = {}): JournalEntry[] {
    return this.entries
      .filter(({ entry, key }) => matchesFilter({ ...entry, key }, filter))
      .map(({ entry }) => ({ ...entry }));
  }

  /** What came and went, whole. @returns undefined for what is not kept, or not kept whole */
  exchange(id: string): RecordedExchange | undefined {
    return this.entries.find(({ entry }) => entry.id === id)?.recording?.content;
  }

  /** @returns a function that ends it */
  subscribe(listener: (change: JournalChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  clear(): void {
    // What is still under way must not count again.
    for (const { recording } of this.entries) recording?.drop();
    this.entries = [];
    this.bytes = 0;
    this.tell({ type: "cleared" });
  }

  /** Nothing more happens: the emulator has closed. */
  close(): void {
    this.tell({ type: "closed" });
    this.listeners.clear();
  }

  private makeRoom(bytes: number): void {
    this.bytes += bytes;
    for (const { recording } of this.entries) {
      if (this.bytes <= this.maxBytes) break;
      this.bytes -= recording?.drop() ?? 0;
    }
  }

  private tell(change: JournalChange): void {
    for (const listener of [...this.listeners]) listener(change);
  }
}
