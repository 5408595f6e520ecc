import type { KeptEntry } from "./kept-entry.js";

/** Where a store tells which entries of a part changed. */
export interface PartChanges {
  /** @param value what the entry is by the time that it is written */
  set(key: string, value: () => object): void;
  delete(key: string): void;
}

/** An entry that changed; without a value it is gone. */
export type KeptChange = Omit<KeptEntry, "value"> & Partial<Pick<KeptEntry, "value">>;

interface Pending {
  /** It was taken away before it came again: its place is the last. */
  deleted: boolean;
  value: (() => object) | undefined;
}

/** What of the state changed and is still to be written: each entry once, however often it changed. */
export class ChangeLog {
  private pending = new Map<string, Map<string, Pending>>();
  private readonly onChange: (() => void) | undefined;
  private open = false;

  /** @param onChange told of each change once somebody listens; without it stores need not tell of any */
  constructor(onChange?: () => void) {
    this.onChange = onChange;
  }

  /** @returns undefined when nobody will ever ask */
  of(part: string): PartChanges | undefined {
    if (!this.onChange) return undefined;
    return {
      set: (key, value) => this.note(part, key, value),
      delete: (key) => this.note(part, key, undefined),
    };
  }

  /** From here on changes count: what the stores held before is written otherwise. */
  start(): void {
    this.open = true;
  }

  get isEmpty(): boolean {
    return this.pending.size === 0;
  }

  /** What changed since the last time. */
  take(): KeptChange[] {
    const { pending } = this;
    this.pending = new Map();
    const changes: KeptChange[] = [];
    for (const [part, entries] of pending) {
      for (const [key, { deleted, value }] of entries) {
        if (deleted) changes.push({ part, key });
        if (value) changes.push({ part, key, value: value() });
      }
    }
    return changes;
  }

  private note(part: string, key: string, value: (() => object) | undefined): void {
    if (!this.open) return;
    const entries = this.pending.get(part) ?? new Map<string, Pending>();
    this.pending.set(part, entries);
    const deleted = value === undefined || entries.get(key)?.deleted === true;
    entries.set(key, { deleted, value });
    this.onChange?.();
  }
}
