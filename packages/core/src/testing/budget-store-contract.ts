import assert from "node:assert/strict";
import type { BudgetStore, Reservation } from "../budget/budget-store.js";
import type { StoreContractCase } from "./store-contract-case.js";

/** Longer than any test. */
const NEVER_MS = 600_000;
const DAY_MS = 24 * 3_600_000;
const ENDS_AT = Date.now() + DAY_MS;

/** What a case works with: names that no other case has. */
interface Desk {
  store: BudgetStore;
  /** Another one in the same place where stores are shared, and else the same. */
  other: BudgetStore;
  account: string;
  /** Asks for an amount, as a new call unless it is told which. */
  reserve(
    amount: number,
    limit: number,
    more?: Partial<Reservation> & { refuses?: boolean },
  ): Promise<Reserved>;
}

interface Reserved {
  id: string;
  granted: boolean;
  spent: number;
  reserved: number;
  reached: readonly number[];
}

/**
 * What budgets rely on, for each store that they are to be kept in.
 *
 * @param createStore makes a store; where stores are shared, all that it makes are in the same place
 * @example
 * for (const { title, run } of budgetStoreContract(() => new MyBudgetStore())) it(title, run);
 */
export function budgetStoreContract(
  createStore: () => BudgetStore | Promise<BudgetStore>,
): StoreContractCase[] {
  const withStore = (title: string, run: (desk: Desk) => Promise<void>): StoreContractCase => ({
    title,
    async run() {
      const store = await createStore();
      const other = store.shared ? await createStore() : store;
      const account = `contract/${crypto.randomUUID()}/ü {1}`;
      const reserve: Desk["reserve"] = async (amount, limit, { refuses = true, ...more } = {}) => {
        const reservation = reservationOf(account, amount, more);
        return { id: reservation.id, ...(await store.reserve(reservation, limit, refuses)) };
      };
      try {
        await run({ store, other, account, reserve });
      } finally {
        await store.close?.();
        if (other !== store) await other.close?.();
      }
    },
  });
  const mine = async (store: BudgetStore, account: string) =>
    (await store.list()).filter((reservation) => reservation.account === account);

  return [
    withStore(
      "grants what fits, and not a unit more, however many ask at once",
      async ({ store, other, account }) => {
        const asked = Array.from({ length: 64 }, async (_, index) => {
          const reservation = reservationOf(account, 3);
          const { granted } = await (index % 2 ? store : other).reserve(reservation, 100, true);
          return granted;
        });
        assert.equal((await Promise.all(asked)).filter(Boolean).length, 33);
        for (const each of [store, other]) {
          assert.deepEqual(await each.look(account), { spent: 0, reserved: 99 });
          assert.equal((await mine(each, account)).length, 33);
        }
      },
    ),
    withStore(
      "says how the account stands, also to a call that it refuses",
      async ({ reserve, account, store }) => {
        const granted = await reserve(60, 100);
        assert.deepEqual(pick(granted), { granted: true, spent: 0, reserved: 60 });
        assert.deepEqual(pick(await reserve(41, 100)), { granted: false, spent: 0, reserved: 60 });
        assert.deepEqual(pick(await reserve(40, 100)), { granted: true, spent: 0, reserved: 100 });
        assert.deepEqual(pick(await reserve(0, 100)), { granted: true, spent: 0, reserved: 100 });
        assert.deepEqual(await store.settle(granted.id, 10), {
          ...{ account, endsAt: ENDS_AT, limit: 100, spent: 10, reserved: 40, reached: [] },
        });
      },
    ),
    withStore(
      "counts what was spent, less or more than was reserved, and once",
      async ({ reserve, store, account }) => {
        const [low, high, same] = [await reserve(30, 100), await reserve(30, 100), await reserve(40, 100)];
        assert.equal((await store.settle(low.id, 5))?.spent, 5);
        assert.equal(await store.settle(low.id, 5), undefined);
        assert.equal((await store.settle(high.id, 50))?.spent, 55);
        assert.equal((await store.settle(same.id, undefined))?.spent, 95);
        assert.deepEqual(await store.look(account), { spent: 95, reserved: 0 });
        assert.deepEqual(await mine(store, account), []);
        assert.equal((await reserve(6, 100)).granted, false);
        assert.equal((await reserve(5, 100)).granted, true);
      },
    ),
    withStore(
      "raises what a call has reserved, or leaves it as it was",
      async ({ reserve, store, account }) => {
        const { id } = await reserve(30, 100);
        for (const amount of [60, 60, 40])
          assert.deepEqual(pick(await reserve(amount, 100, { id })), {
            granted: true,
            spent: 0,
            reserved: 60,
          });
        assert.deepEqual(pick(await reserve(101, 100, { id })), { granted: false, spent: 0, reserved: 60 });
        const [found, ...others] = await mine(store, account);
        assert.equal(others.length, 0);
        assert.equal(found?.amount, 60);
        assert.deepEqual((await store.settle(id, 31))?.reserved, 0);
      },
    ),
    withStore("keeps all that is said of a reservation", async ({ store, other, account }) => {
      const reservation = {
        ...reservationOf(account, 7),
        ...{ model: 'm"\\ü\n', requestKey: "r1 🚀", tag: "t:{1}", call: "videos.create" },
      };
      await store.reserve(reservation, 100, true);
      assert.deepEqual(await mine(other, account), [reservation]);
    }),
    withStore("keeps accounts apart", async ({ store, account }) => {
      await store.reserve(reservationOf(account, 100), 100, true);
      const { granted } = await store.reserve(reservationOf(`${account}2`, 100), 100, true);
      assert.equal(granted, true);
      assert.equal(await store.look(`${account}3`), undefined);
    }),
    withStore("adds parts of units up to what they are", async ({ reserve, store, account }) => {
      const calls = [];
      for (let count = 0; count < 10; count++) calls.push(await reserve(0.1, 1));
      assert.ok(calls.every(({ granted }) => granted));
      assert.equal((await reserve(0.000001, 1)).granted, false);
      for (const { id } of calls) await store.settle(id, 0.1);
      assert.deepEqual(await store.look(account), { spent: 1, reserved: 0 });
    }),
    withStore("holds what is settled later", async ({ reserve, store, other, account }) => {
      const [film, doubt] = [await reserve(20, 100), await reserve(30, 100)];
      const state = await store.hold({ id: film.id, state: "task", amount: 10, spent: 5, task: "t1" });
      assert.deepEqual([state?.spent, state?.reserved], [5, 40]);
      await store.hold({ id: doubt.id, state: "unresolved", amount: 15, spent: 0 });
      assert.deepEqual(await other.look(account), { spent: 20, reserved: 10 });
      const held = (await mine(other, account)).sort((a, b) => a.amount - b.amount);
      assert.deepEqual(
        held.map(({ state, task, amount }) => [state, task, amount]),
        [
          ["task", "t1", 10],
          ["unresolved", undefined, 15],
        ],
      );
      await other.settle(film.id, 8);
      await other.settle(doubt.id, 0);
      assert.deepEqual(await store.look(account), { spent: 13, reserved: 0 });
      assert.equal(await store.hold({ id: film.id, state: "task", amount: 10, spent: 5 }), undefined);
      assert.deepEqual(await store.look(account), { spent: 13, reserved: 0 });
    }),
    withStore("counts as spent what a dead process had reserved, and tells it once", async (desk) => {
      const { reserve, store, other, account } = desk;
      const now = Date.now();
      const dead = await reserve(20, 100, { leaseUntil: now - 1 });
      const film = await reserve(30, 100, { leaseUntil: now - 1 });
      await store.hold({ id: film.id, state: "task", amount: 30, spent: 0 });
      await reserve(40, 100);
      const told = await Promise.all([store, other, store].map((each) => each.sweep(now)));
      const found = told.flat().filter((reservation) => reservation.account === account);
      assert.deepEqual(
        found.map(({ id, state, amount }) => [id, state, amount]),
        [[dead.id, "unresolved", 20]],
      );
      assert.deepEqual(await store.look(account), { spent: 20, reserved: 70 });
      assert.equal((await reserve(11, 100)).granted, false);
      assert.equal((await other.settle(dead.id, 1))?.spent, 1);
      assert.equal((await reserve(11, 100)).granted, true);
    }),
    withStore("believes a process that it lives, also late", async ({ reserve, store, other, account }) => {
      const now = Date.now();
      const late = await reserve(20, 100, { leaseUntil: now - 1 });
      const intime = await reserve(20, 100, { leaseUntil: now - 1 });
      await store.renew([intime.id, "unknown"], now + NEVER_MS);
      assert.deepEqual(
        (await other.sweep(now)).filter((found) => found.account === account).map(({ id }) => id),
        [late.id],
      );
      await store.renew([late.id, intime.id], now + NEVER_MS);
      assert.deepEqual(await other.look(account), { spent: 0, reserved: 40 });
      assert.deepEqual(
        await mine(await Promise.resolve(other), account).then((all) => all.map((r) => r.state)),
        ["running", "running"],
      );
      await other.sweep(now);
      assert.deepEqual(await store.look(account), { spent: 0, reserved: 40 });
    }),
    withStore("lets a call go on whose lease had ended", async ({ reserve, store, account }) => {
      const now = Date.now();
      const { id } = await reserve(20, 100, { leaseUntil: now - 1 });
      await store.sweep(now);
      assert.deepEqual(pick(await reserve(40, 100, { id })), { granted: true, spent: 0, reserved: 40 });
      await store.sweep(now);
      assert.deepEqual(await store.look(account), { spent: 0, reserved: 40 });
    }),
    withStore("tells of each level once", async ({ reserve, store, other }) => {
      const calls = [];
      for (const amount of [40, 10, 35, 15]) calls.push(await reserve(amount, 100));
      const reached = [];
      for (const [index, { id }] of calls.entries())
        reached.push((await (index % 2 ? store : other).settle(id, undefined))?.reached);
      assert.deepEqual(reached, [[], [0.5], [0.8], [1]]);
      assert.deepEqual((await reserve(1, 100)).reached, []);
      assert.deepEqual(
        calls.flatMap((call) => call.reached),
        [],
      );
    }),
    withStore("has reached its limit when a call is refused that alone would fit", async ({ reserve }) => {
      await reserve(60, 100);
      assert.deepEqual((await reserve(101, 100)).reached, []);
      assert.deepEqual((await reserve(50, 100, { refuses: false })).reached, []);
      assert.deepEqual((await reserve(50, 100)).reached, [0.5, 0.8, 1]);
      assert.deepEqual((await reserve(50, 100)).reached, []);
    }),
    withStore("holds calls to the limit that they come with", async ({ reserve }) => {
      assert.equal((await reserve(60, 100)).granted, true);
      assert.equal((await reserve(1, 50)).granted, false);
      assert.equal((await reserve(50, 110)).granted, true);
    }),
    withStore(
      "forgets windows that are long over, and keeps what is open in them for a while",
      async (desk) => {
        const { store, account } = desk;
        const endsAt = Date.now() - 2 * DAY_MS;
        await store.reserve({ ...reservationOf(account, 1), endsAt }, 100, true);
        const { id } = reservationOf(account, 1);
        const over = `${account} over`;
        await store.reserve({ ...reservationOf(over, 1), id, endsAt }, 100, true);
        await store.settle(id, 1);
        // A step of another account, which some stores tidy up with.
        await store.reserve(
          { ...reservationOf(`${account} new`, 1), at: Date.now() + 2 * DAY_MS },
          100,
          true,
        );
        await store.sweep(Date.now() + 1);
        assert.equal(await store.look(over), undefined);
        assert.equal((await mine(store, account)).length, 1);
        await store.sweep(Date.now() + 31 * DAY_MS);
        assert.deepEqual(await mine(store, account), []);
      },
    ),
  ];
}

function reservationOf(account: string, amount: number, more: Partial<Reservation> = {}): Reservation {
  return {
    ...{ id: crypto.randomUUID(), account, endsAt: ENDS_AT, amount, state: "running", at: Date.now() },
    ...{ leaseUntil: Date.now() + NEVER_MS, owner: "contract", call: "chat.completions.create", ...more },
  };
}

function pick({ granted, spent, reserved }: Reserved) {
  return { granted, spent, reserved };
}
