import { Cluster, Redis, type RedisOptions } from "ioredis";
import { ACCOUNT_KEPT_MS, LEVELS, RESERVATION_KEPT_MS } from "../budget/budget-ledger.js";
import type {
  AccountState,
  BudgetStore,
  HoldRequest,
  Reservation,
  ReserveOutcome,
} from "../budget/budget-store.js";
import { answerWithin } from "../resumable/answer-within.js";
import { HOLD, RENEW, RESERVE, SETTLE, SWEEP } from "./budget-scripts.js";
import { ANSWER_WITHIN_MS, connect } from "./connect.js";
import { runScript } from "./run-script.js";

/** Settings of a `RedisBudgetStore`. */
export interface RedisBudgetStoreOptions {
  /** URL, options of ioredis, or a client of your own, also of a cluster, which is left open. */
  connection: string | RedisOptions | Redis | Cluster;
  /** Before the names of all keys; budgets that share a store have the same. Default `model-gateway`. */
  prefix?: string;
}

/** Accounts of windows that are over are looked for so often. */
const TIDIES_EVERY_MS = 3_600_000;
const NOTHING = "-";

/** How an account stands, as a script tells it: ends, limit, spent, reserved, levels told of before and after. */
type ToldState = readonly [string, string, string, string, number, number];

/**
 * Keeps budgets in Redis (6 or later), for all processes that can reach it. Each step is one script, whose keys lie in one
 * slot of a cluster, and expire some time after the last window. Redis must not throw keys away (`maxmemory-policy
 * noeviction`), and loses what it did not write to its own disk when it falls (`appendfsync always` loses nothing).
 */
export class RedisBudgetStore implements BudgetStore {
  readonly shared = true;
  readonly #client: Redis | Cluster;
  readonly #isOwn: boolean;
  readonly #keys: readonly [accounts: string, open: string];
  #connecting: Promise<unknown> | undefined;
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor({ connection, prefix = "model-gateway" }: RedisBudgetStoreOptions) {
    this.#isOwn = !(connection instanceof Redis || connection instanceof Cluster);
    this.#client =
      connection instanceof Redis || connection instanceof Cluster ? connection : connect(connection);
    // Each command tells what becomes of it.
    this.#client.on("error", ignore);
    this.#keys = [`${prefix}:{budgets}:accounts`, `${prefix}:{budgets}:open`];
  }

  async reserve(reservation: Reservation, limit: number, refuses: boolean): Promise<ReserveOutcome> {
    const { id, amount, leaseUntil, endsAt, account, state: _state, task: _task, ...rest } = reservation;
    const keptMs = Math.max(0, Math.ceil(endsAt - Date.now())) + RESERVATION_KEPT_MS;
    const values = [id, amount, leaseUntil, endsAt, fieldOf(account), JSON.stringify({ account, ...rest })];
    const [granted, ...state] = (await this.#ask(RESERVE, ...values, limit, refuses ? 1 : 0, keptMs)) as [
      number,
      ...ToldState,
    ];
    return { granted: granted === 1, ...readState(account, state) };
  }

  async settle(id: string, amount: number | undefined): Promise<AccountState | undefined> {
    return readChange(await this.#ask(SETTLE, id, amount ?? NOTHING));
  }

  async hold({ id, state, amount, spent, task }: HoldRequest): Promise<AccountState | undefined> {
    const encoded = task === undefined ? NOTHING : fieldOf(task);
    return readChange(await this.#ask(HOLD, id, state, amount, spent, encoded));
  }

  async renew(ids: readonly string[], leaseUntil: number): Promise<void> {
    await this.#ask(RENEW, leaseUntil, ...ids);
  }

  async sweep(now: number): Promise<readonly Reservation[]> {
    const tidies = now - this.#tidiedAt >= TIDIES_EVERY_MS;
    if (tidies) this.#tidiedAt = now;
    const found = await this.#ask(SWEEP, now, ACCOUNT_KEPT_MS, RESERVATION_KEPT_MS, tidies ? 1 : 0);
    return readOpen(found as string[]);
  }

  async list(): Promise<readonly Reservation[]> {
    const found = await this.#send(() => this.#client.hgetall(this.#keys[1]));
    return readOpen(Object.entries(found).flat());
  }

  async look(account: string): Promise<Pick<AccountState, "spent" | "reserved"> | undefined> {
    const found = await this.#send(() => this.#client.hget(this.#keys[0], fieldOf(account)));
    if (found === null) return undefined;
    const [, , spent, reserved] = found.split(" ");
    return { spent: Number(spent), reserved: Number(reserved) };
  }

  async close(): Promise<void> {
    this.#client.off("error", ignore);
    if (this.#isOwn) this.#client.on("error", ignore).disconnect();
  }

  #ask(script: string, ...values: Array<string | number>): Promise<unknown> {
    return this.#send(() => runScript(this.#client, script, this.#keys, values));
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    // A connection that was lost is made again by the client itself; the first one is asked for.
    if (this.#isOwn && this.#client.status === "wait")
      this.#connecting = this.#client.connect().catch(ignore);
    await this.#connecting;
    return answerWithin(ANSWER_WITHIN_MS, send());
  }
}

function readState(
  account: string,
  [endsAt, limit, spent, reserved, before, after]: ToldState,
): AccountState {
  return {
    ...{ account, endsAt: Number(endsAt), limit: Number(limit) },
    ...{ spent: Number(spent), reserved: Number(reserved), reached: LEVELS.slice(before, after) },
  };
}

function readChange(found: unknown): AccountState | undefined {
  if (found === null) return undefined;
  const [field, ...state] = found as [string, ...ToldState];
  return readState(textOf(field), state);
}

/** @param found ids and what is kept of them, in turns */
function readOpen(found: readonly string[]): Reservation[] {
  return found.flatMap((id, index) => (index % 2 === 0 ? [readReservation(id, found[index + 1] ?? "")] : []));
}

function readReservation(id: string, text: string): Reservation {
  const [amount, state, leaseUntil, endsAt, task = NOTHING, , ...rest] = text.split(" ");
  return {
    ...(JSON.parse(rest.join(" ")) as Pick<Reservation, "account" | "at" | "owner" | "call">),
    ...{ id, amount: Number(amount), state: state as Reservation["state"] },
    ...{ leaseUntil: Number(leaseUntil), endsAt: Number(endsAt) },
    ...(task !== NOTHING && { task: textOf(task) }),
  };
}

/** Texts of others' without blanks, and never empty. */
function fieldOf(text: string): string {
  return `=${Buffer.from(text).toString("base64url")}`;
}

function textOf(field: string): string {
  return Buffer.from(field.slice(1), "base64url").toString();
}

function ignore(): void {}
