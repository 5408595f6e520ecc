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

const KEPT_ENTRIES = 10_000;

/** What every key has spent: all of it as sums, the last ten thousand charges and refunds as entries. */
export class Ledger {
  private entries: { entry: LedgerEntry; key: string }[] = [];
  private readonly sums = new Map<string, { calls: number; units: number }>();
  private readonly holds = new Set<Hold>();
  private count = 0;
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
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

  /** Returns whether it was still set aside: a reset forgets the calls that it overtakes. */
  release(hold: Hold): boolean {
    return this.holds.delete(hold);
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

  reset(): void {
    this.entries = [];
    this.sums.clear();
    this.holds.clear();
    this.count = 0;
  }

  private append(key: string, entry: Omit<LedgerEntry, "id" | "time">): void {
    this.entries.push({ entry: { id: `ledger-${++this.count}`, time: this.now(), ...entry }, key });
    if (this.entries.length > KEPT_ENTRIES) this.entries.shift();
    const { calls, units } = this.sums.get(key) ?? { calls: 0, units: 0 };
    this.sums.set(key, { calls: calls + (entry.kind === "charge" ? 1 : 0), units: units + entry.units });
  }
}
