import type { BaseKind } from "../http/base-kinds.js";
import { matchesFilter } from "./matches-filter.js";

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
  /** The scripted reply that it got. */
  reply?: string;
  /** Why the scripted replies that there are were not for it, one each. */
  misses?: string[];
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

const KEPT_ENTRIES = 1_000;

/** The last thousand requests, oldest first. */
export class Journal {
  private entries: { entry: JournalEntry; key: string | null }[] = [];

  add(entry: JournalEntry, key: string | null): void {
    this.entries.push({ entry, key });
    if (this.entries.length > KEPT_ENTRIES) this.entries.shift();
  }

  list(filter: JournalFilter = {}): JournalEntry[] {
    return this.entries
      .filter(({ entry, key }) => matchesFilter({ ...entry, key }, filter))
      .map(({ entry }) => ({ ...entry }));
  }

  clear(): void {
    this.entries = [];
  }
}
