import type { AccountState, BudgetStore, HoldRequest, Reservation, ReserveOutcome } from "./budget-store.js";

/** Shares of a limit that are told of. */
export const LEVELS = [0.5, 0.8, 1] as const;
/** Clocks of processes differ, and what was reserved last is settled later: an account is kept so long after its window. */
export const ACCOUNT_KEPT_MS = 3_600_000;
const NONE: readonly number[] = [];
/** A video may take days, and what is unresolved is looked at by people. */
export const RESERVATION_KEPT_MS = 30 * 24 * 3_600_000;
/** How often old windows are looked for. */
const FORGETS_EVERY_MS = 60_000;

/** What is kept of an account. */
export interface Account {
  endsAt: number;
  limit: number;
  spent: number;
  reserved: number;
  /** How many levels have been told of. */
  told: number;
}

/** Plain JSON. */
export interface LedgerState {
  accounts: [account: string, state: Account][];
  reservations: Reservation[];
}

/**
 * The books of budgets, in memory: what every store comes to. The same steps in the same order lead to the same books, in
 * whatever process, so it looks at no clock.
 */
export class BudgetLedger implements BudgetStore {
  readonly shared: boolean = false;
  readonly #accounts: Map<string, Account>;
  readonly #reservations: Map<string, Reservation>;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor({ accounts, reservations }: LedgerState = { accounts: [], reservations: [] }) {
    this.#accounts = new Map(accounts);
    this.#reservations = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  }

  reserve(wanted: Reservation, limit: number, refuses: boolean): ReserveOutcome {
    const known = this.#reservations.get(wanted.id);
    const { account: name } = known ?? wanted;
    const account = this.#open(known ?? wanted, limit);
    const more = Math.max(0, wanted.amount - (known?.amount ?? 0));
    if (more > 0 && exact(account.spent + account.reserved + more) > limit)
      return { granted: false, ...stateOf(name, account, refuses && wanted.amount <= limit) };
    if (known === undefined) this.#reservations.set(wanted.id, { ...wanted });
    else {
      this.#revive(known);
      known.amount = exact(known.amount + more);
      known.leaseUntil = wanted.leaseUntil;
    }
    account.reserved = exact(account.reserved + more);
    return { granted: true, ...stateOf(name, account) };
  }

  settle(id: string, amount: number | undefined): AccountState | undefined {
    const known = this.#reservations.get(id);
    if (known === undefined) return undefined;
    this.#reservations.delete(id);
    return this.#move(known, undefined, amount ?? known.amount);
  }

  hold({ id, state, amount, spent, task }: HoldRequest): AccountState | undefined {
    const known = this.#reservations.get(id);
    if (known === undefined) return undefined;
    const held = { ...known, state, amount, ...(task !== undefined && { task }) };
    this.#reservations.set(id, held);
    return this.#move(known, held, spent);
  }

  renew(ids: readonly string[], leaseUntil: number): void {
    for (const id of ids) {
      const known = this.#reservations.get(id);
      if (known === undefined) continue;
      this.#revive(known);
      known.leaseUntil = leaseUntil;
    }
  }

  sweep(now: number): Reservation[] {
    this.#forget(now);
    const found: Reservation[] = [];
    for (const known of this.#reservations.values()) {
      if (known.state !== "running" || known.leaseUntil > now) continue;
      const held: Reservation = { ...known, state: "unresolved" };
      this.#reservations.set(known.id, held);
      this.#move(known, held, 0);
      found.push(held);
    }
    return found;
  }

  list(): Reservation[] {
    return Array.from(this.#reservations.values(), (reservation) => ({ ...reservation }));
  }

  look(name: string): Pick<AccountState, "spent" | "reserved"> | undefined {
    const account = this.#accounts.get(name);
    return account && { spent: account.spent, reserved: account.reserved };
  }

  /** What another ledger may go on from. */
  get state(): LedgerState {
    return { accounts: [...this.#accounts], reservations: this.list() };
  }

  #open({ account: name, endsAt, at }: Reservation, limit: number): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      this.#forget(at);
      account = { endsAt, limit, spent: 0, reserved: 0, told: 0 };
      this.#accounts.set(name, account);
    }
    account.limit = limit;
    return account;
  }

  /** The call goes on: its lease ended because its process was halted, or was cut off from here. */
  #revive(known: Reservation): void {
    if (known.state !== "unresolved") return;
    const before = { ...known };
    known.state = "running";
    this.#move(before, known, 0);
  }

  /** Puts into the account what has become of a reservation. */
  #move(before: Reservation, after: Reservation | undefined, spent: number): AccountState | undefined {
    const account = this.#accounts.get(before.account);
    if (account === undefined) return undefined;
    put(account, before, -1);
    if (after !== undefined) put(account, after, 1);
    account.spent = exact(account.spent + spent);
    return stateOf(before.account, account);
  }

  #forget(now: number): void {
    if (now < this.#forgotAt + FORGETS_EVERY_MS) return;
    this.#forgotAt = now;
    const open = new Set<string>();
    for (const [id, { account, endsAt }] of this.#reservations) {
      if (endsAt + RESERVATION_KEPT_MS < now) this.#reservations.delete(id);
      else open.add(account);
    }
    for (const [name, { endsAt }] of this.#accounts)
      if (endsAt + ACCOUNT_KEPT_MS < now && !open.has(name)) this.#accounts.delete(name);
  }
}

/** @param isFull whether the limit is reached because something that would fit into it did not */
function stateOf(name: string, account: Account, isFull = false): AccountState {
  const { endsAt, limit, spent, reserved, told } = account;
  const levels = isFull ? LEVELS.length : levelsOf(spent, limit);
  if (levels <= told) return { account: name, endsAt, limit, spent, reserved, reached: NONE };
  account.told = levels;
  return { account: name, endsAt, limit, spent, reserved, reached: LEVELS.slice(told, levels) };
}

function put(account: Account, { state, amount }: Reservation, sign: 1 | -1): void {
  const kind = state === "unresolved" ? "spent" : "reserved";
  account[kind] = exact(account[kind] + sign * amount);
}

function levelsOf(spent: number, limit: number): number {
  let count = 0;
  while (count < LEVELS.length && spent >= (LEVELS[count] ?? 0) * limit) count++;
  return count;
}

/** Whole units stay whole; parts of one, which some gateways count, are not added up to less or more than they are. */
function exact(units: number): number {
  return Number.isInteger(units) ? units : Math.round(units * 1e6) / 1e6;
}
