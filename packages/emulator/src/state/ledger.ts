import type { Field } from "../checks/field.js";
import { collectMembers, type Readers } from "../checks/read-members.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import { Counters } from "./counters.js";
import { maskKey, type StoredKey } from "./key-store.js";
import { matchesFilter } from "./matches-filter.js";

/** How many units make one unit of the currency. */
export const UNITS_PER_CURRENCY_UNIT = 500_000;

/** What of a call is paid for, by how it is counted. */
export interface CountedUsage {
  /** Of text and of given images. */
  inputTokens?: number;
  /** Of text and of made images: their pixels in tokens. */
  outputTokens?: number;
  /** Made images, which are paid by their tokens. */
  images?: number;
  /** Width × height × frames ÷ 1024. */
  videoTokens?: number;
  /** Of spoken text. */
  characters?: number;
}

/** One line of the ledger. */
export interface LedgerEntry {
  id: string;
  /** A video task that ends without a video is refunded, in an entry of its own with negative units. */
  kind: "charge" | "refund";
  /** Milliseconds since the epoch on the emulator's clock. */
  time: number;
  /** The key, masked. */
  key: string;
  group: string;
  model: string;
  /** Path below the base address, such as `/chat/completions`. */
  endpoint: string;
  counted: CountedUsage;
  /** What it cost, in units of 1/500000 of a currency unit. */
  units: number;
  /** The `x-request-id` of the call, as in the journal. */
  requestId: string;
  /** The video task that the call made. */
  taskId?: string;
}

/** Every given member must hold. */
export interface LedgerFilter {
  kind?: LedgerEntry["kind"];
  /** A whole key, as a client sends it. */
  key?: string;
  group?: string;
  model?: string;
  endpoint?: string;
  requestId?: string;
  taskId?: string;
}

/** The sum of a ledger, refunds taken off. */
export interface LedgerTotal {
  /** Calls that were charged, refunded ones too. */
  calls: number;
  units: number;
  /** The units in the currency. */
  amount: number;
}

/** A charge as a call hands it in. */
export interface NewCharge
  extends Pick<LedgerEntry, "model" | "endpoint" | "counted" | "units" | "requestId"> {
  key: StoredKey;
  taskId?: string;
}

/** Units set aside for a call that is being answered. */
export interface Hold {
  key: string;
  units: number;
}

/** An entry with the whole key that it is about. */
interface KeptLedgerEntry {
  entry: LedgerEntry;
  key: string;
}

/** What a key spent in all. */
interface Spent {
  key: string;
  calls: number;
  units: number;
}

const KEPT_ENTRIES = 10_000;
const ENTRIES = "ledger";
const SUMS = "spent";

const COUNTED: Readers<CountedUsage> = {
  inputTokens: readCount,
  outputTokens: readCount,
  images: readCount,
  videoTokens: readCount,
  characters: readCount,
};
const ENTRY: Readers<LedgerEntry & { owner: string }> = {
  id: (field) => field.nonEmptyString(),
  kind: (field) => field.oneOf(["charge", "refund"]),
  time: (field) => field.number(),
  key: (field) => field.string(),
  group: (field) => field.string(),
  model: (field) => field.string(),
  endpoint: (field) => field.string(),
  counted: (field) => (field.object() === undefined ? undefined : collectMembers(field, COUNTED)),
  units: (field) => field.number(),
  requestId: (field) => field.string(),
  taskId: (field) => field.string(),
  owner: (field) => field.nonEmptyString(),
};
const SPENT: Readers<Spent> = {
  key: (field) => field.nonEmptyString(),
  calls: (field) => field.integer({ min: 0 }),
  units: (field) => field.number(),
};

/** What every key has spent: all of it as sums, the last ten thousand charges and refunds as entries. */
export class Ledger implements KeptStore {
  private readonly entries: KeptLedgerEntry[] = [];
  private readonly sums = new Map<string, { calls: number; units: number }>();
  private readonly holds = new Set<Hold>();
  private readonly now: () => number;
  private readonly counters: Counters;
  private readonly changes: { entries: PartChanges | undefined; sums: PartChanges | undefined };

  constructor(now: () => number, counters = new Counters(), changes?: ChangeLog) {
    this.now = now;
    this.counters = counters;
    this.changes = { entries: changes?.of(ENTRIES), sums: changes?.of(SUMS) };
  }

  list(filter: LedgerFilter = {}): LedgerEntry[] {
    return this.entries
      .filter(({ entry, key }) => matchesFilter({ ...entry, key }, filter))
      .map(({ entry }) => ({ ...entry, counted: { ...entry.counted } }));
  }

  /** The sum of one key, or of all. */
  total(key?: string): LedgerTotal {
    let calls = 0;
    let units = 0;
    for (const [owner, sum] of this.sums) {
      if (key !== undefined && owner !== key) continue;
      calls += sum.calls;
      units += sum.units;
    }
    return { calls, units, amount: units / UNITS_PER_CURRENCY_UNIT };
  }

  /** What the key may still spend: its quota less what it spent and what is set aside; infinite without a quota. */
  available({ key, quota }: StoredKey): number {
    if (quota === undefined) return Number.POSITIVE_INFINITY;
    let units = quota - this.total(key).units;
    for (const hold of this.holds) if (hold.key === key) units -= hold.units;
    return units;
  }

  /** Sets units aside until {@link release}. */
  hold(key: string, units: number): Hold {
    const hold = { key, units };
    this.holds.add(hold);
    return hold;
  }

  release(hold: Hold): void {
    this.holds.delete(hold);
  }

  charge({ key, taskId, ...charge }: NewCharge): void {
    const about = { kind: "charge", key: maskKey(key.key), group: key.group } as const;
    this.append(key.key, { ...about, ...charge, ...(taskId === undefined ? {} : { taskId }) });
  }

  /** Gives back what a video task cost; nothing when it was not charged, or already given back. */
  refund(taskId: string): void {
    const ofTask = this.entries.filter(({ entry }) => entry.taskId === taskId);
    const [charged] = ofTask;
    if (!charged || ofTask.length > 1) return;
    const { id: _, time: __, ...entry } = charged.entry;
    this.append(charged.key, { ...entry, kind: "refund", units: -entry.units });
  }

  /** What is set aside is not kept: the calls that it is for end with the process. */
  *save(): Iterable<KeptEntry> {
    for (const kept of this.entries) yield { part: ENTRIES, key: kept.entry.id, value: saved(kept) };
    for (const [key, sum] of this.sums) yield { part: SUMS, key, value: { key, ...sum } };
  }

  load(state: Field): void {
    const vital = Object.keys(ENTRY).filter((name) => name !== "taskId") as (keyof typeof ENTRY)[];
    const readEntry = (field: Field) =>
      collectMembers(field, ENTRY, { vital, complete: true }) as LedgerEntry & { owner: string };
    loadPart(state, ENTRIES, readEntry, ({ owner, ...entry }) => this.entries.push({ entry, key: owner }));
    const readSum = (field: Field) =>
      collectMembers(field, SPENT, { vital: ["key", "calls", "units"], complete: true }) as Spent;
    loadPart(state, SUMS, readSum, ({ key, calls, units }) => this.sums.set(key, { calls, units }));
  }

  private append(key: string, entry: Omit<LedgerEntry, "id" | "time">): void {
    const kept = { entry: { id: this.counters.next("ledger"), time: this.now(), ...entry }, key };
    this.entries.push(kept);
    this.changes.entries?.set(kept.entry.id, () => saved(kept));
    if (this.entries.length > KEPT_ENTRIES) {
      const oldest = this.entries.shift();
      if (oldest) this.changes.entries?.delete(oldest.entry.id);
    }
    const { calls, units } = this.sums.get(key) ?? { calls: 0, units: 0 };
    const sum = { calls: calls + (entry.kind === "charge" ? 1 : 0), units: units + entry.units };
    this.sums.set(key, sum);
    this.changes.sums?.set(key, () => ({ key, ...sum }));
  }
}

function saved({ entry, key }: KeptLedgerEntry): object {
  return { ...entry, owner: key };
}

function readCount(field: Field): number | undefined {
  return field.number({ min: 0 });
}
