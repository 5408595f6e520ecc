import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";

const PART = "counters";

/** How many of a kind there were, which is what the next is named after: `fault-3`. */
export class Counters implements KeptStore {
  private readonly counts = new Map<string, number>();
  private readonly changes: PartChanges | undefined;

  constructor(changes?: ChangeLog) {
    this.changes = changes?.of(PART);
  }

  next(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    this.changes?.set(name, () => ({ name, count: this.counts.get(name) }));
    return `${name}-${count}`;
  }

  *save(): Iterable<KeptEntry> {
    for (const [name, count] of this.counts) yield { part: PART, key: name, value: { name, count } };
  }

  load(state: Field): void {
    const read = (entry: Field) =>
      collectMembers<{ name: string; count: number }>(
        entry,
        { name: (field) => field.nonEmptyString(), count: (field) => field.integer({ min: 0 }) },
        { vital: ["name", "count"], complete: true },
      );
    loadPart(state, PART, read, ({ name = "", count = 0 }) => this.counts.set(name, count));
  }
}
