import assert from "node:assert/strict";
import type { StreamEnd } from "../resumable/stream-end.js";
import type { StreamStore } from "../resumable/stream-store.js";
import type { StoreContractCase } from "./store-contract-case.js";

/** Longer than any test. */
const NEVER_MS = 600_000;
const COMPLETE: StreamEnd = { outcome: "complete" };
const REFUSED: StreamEnd = {
  outcome: "refused",
  problem: {
    ...{ name: "RateLimitError", kind: "rate_limit", message: "Slow down: ü 🚀", status: 429, code: "busy" },
    ...{ requestId: "request-1", retryable: true, maybeProcessed: false },
  },
};

/**
 * What the module relies on, for each store that streams with a key are to be kept in.
 *
 * @param createStore makes a new store. In a shared one keys are those of earlier cases: each case has its own.
 * @example
 * for (const { title, run } of streamStoreContract(() => new MyStreamStore())) it(title, run);
 */
export function streamStoreContract(
  createStore: () => StreamStore | Promise<StreamStore>,
): StoreContractCase[] {
  const withStore = (
    title: string,
    run: (store: StreamStore, key: string) => Promise<void>,
  ): StoreContractCase => ({
    title,
    async run() {
      const store = await createStore();
      await store.open();
      try {
        await run(store, `${title} {1} ü`);
      } finally {
        await store.close();
      }
    },
  });
  const begun = async (store: StreamStore, key: string, events: readonly string[] = []) => {
    assert.equal(await store.begin(key, "a1", NEVER_MS), true);
    for (const [index, event] of events.entries())
      assert.equal(await store.append(key, "a1", index + 1, event), true);
  };
  const readAll = async (store: StreamStore, key: string, after = 0) => {
    const events: string[] = [];
    for (;;) {
      const page = await store.read(key, after + events.length, NEVER_MS);
      assert.ok(page);
      events.push(...page.events);
      if (after + events.length >= page.count) return { ...page, events };
      assert.notEqual(page.events.length, 0, "A page that is not the last has events.");
    }
  };

  return [
    withStore("knows nothing of a key that nobody began", async (store, key) => {
      assert.equal(await store.read(key, 0, NEVER_MS), undefined);
      assert.equal(await store.append(key, "a1", 1, "1"), false);
      assert.equal(await store.finish(key, undefined, COMPLETE, NEVER_MS), false);
      assert.equal((await store.renew(key, "a1", NEVER_MS)).held, false);
      assert.equal(await store.read(key, 0, NEVER_MS), undefined);
    }),
    withStore("gives a key to one of many that want it at once", async (store, key) => {
      const runs = ["a1", "b2", "c3", "d4"];
      const results = await Promise.all(runs.map((run) => store.begin(key, run, NEVER_MS)));
      assert.equal(results.filter(Boolean).length, 1);
      const page = await store.read(key, 0, NEVER_MS);
      assert.equal(page?.run, runs[results.indexOf(true)]);
      assert.deepEqual([page?.events, page?.count, page?.end], [[], 0, undefined]);
      assert.equal(await store.begin(key, page?.run ?? "", NEVER_MS), true, "Asked again by its owner.");
    }),
    withStore("gives every reader exactly what follows, byte for byte", async (store, key) => {
      const events = ['{"a":"ü 🚀 \\u0000"}', '""', '"\\r\\n"', `"${"x".repeat(300_000)}"`, "5"];
      await begun(store, key, events);
      for (let after = 0; after <= events.length; after++)
        assert.deepEqual((await readAll(store, key, after)).events, events.slice(after));
      assert.deepEqual((await store.read(key, 99, NEVER_MS))?.events, []);
    }),
    withStore("adds an event once, however often it is told", async (store, key) => {
      await begun(store, key, ["1", "2"]);
      assert.equal(await store.append(key, "a1", 2, "2"), true);
      assert.equal(await store.append(key, "a1", 1, "1"), true);
      assert.equal(await store.append(key, "a1", 3, "3"), true);
      assert.deepEqual((await readAll(store, key)).events, ["1", "2", "3"]);
    }),
    withStore("takes events from the owner alone", async (store, key) => {
      await begun(store, key, ["1"]);
      assert.equal(await store.append(key, "b2", 2, "2"), false);
      assert.equal(await store.finish(key, "b2", COMPLETE, NEVER_MS), false);
      assert.equal((await store.renew(key, "b2", NEVER_MS)).held, false);
      assert.equal((await store.renew(key, "a1", NEVER_MS)).held, true);
      assert.deepEqual((await readAll(store, key)).events, ["1"]);
    }),
    withStore("ends a stream once, and keeps it whole", async (store, key) => {
      await begun(store, key, ["1", "2"]);
      assert.equal(await store.finish(key, "a1", COMPLETE, NEVER_MS), true);
      assert.equal(await store.finish(key, undefined, { outcome: "stopped" }, NEVER_MS), false);
      assert.equal(await store.append(key, "a1", 3, "3"), false);
      assert.equal(await store.begin(key, "b2", NEVER_MS), false);
      const { run, events, count, end } = await readAll(store, key);
      assert.deepEqual(
        { run, events, count, end },
        { run: "a1", events: ["1", "2"], count: 2, end: COMPLETE },
      );
    }),
    withStore("lets anybody end a stream, and its owner know", async (store, key) => {
      await begun(store, key, ["1"]);
      assert.equal(await store.finish(key, undefined, { outcome: "stopped" }, NEVER_MS), true);
      assert.equal((await store.renew(key, "a1", NEVER_MS)).held, false);
      assert.equal(await store.append(key, "a1", 2, "2"), false);
      assert.deepEqual((await readAll(store, key)).end, { outcome: "stopped" });
    }),
    withStore("keeps the words of an error, and frees the key of what was refused", async (store, key) => {
      await begun(store, key);
      assert.equal(await store.finish(key, "a1", REFUSED, NEVER_MS), true);
      assert.deepEqual((await readAll(store, key)).end, REFUSED);
      assert.equal(await store.begin(key, "b2", NEVER_MS), true);
      assert.equal(await store.append(key, "b2", 1, "1"), true);
      const { run, events, end } = await readAll(store, key);
      assert.deepEqual({ run, events, end }, { run: "b2", events: ["1"], end: undefined });
      assert.equal(await store.append(key, "a1", 2, "2"), false);
    }),
    withStore("lets the next call have the key of one that is over, and of no other", async (store, key) => {
      await begun(store, key, ["1"]);
      assert.equal(await store.begin(key, "b2", NEVER_MS, "a1"), false, "It runs.");
      assert.equal(await store.finish(key, "a1", COMPLETE, NEVER_MS), true);
      assert.equal(await store.begin(key, "b2", NEVER_MS, "c3"), false, "It is another.");
      assert.deepEqual((await readAll(store, key)).events, ["1"]);
      const results = await Promise.all(["b2", "c3"].map((run) => store.begin(key, run, NEVER_MS, "a1")));
      assert.equal(results.filter(Boolean).length, 1);
      const owner = results[0] ? "b2" : "c3";
      assert.equal(await store.append(key, "a1", 2, "2"), false);
      assert.equal(await store.append(key, owner, 1, "3"), true);
      const { run, events, end } = await readAll(store, key);
      assert.deepEqual({ run, events, end }, { run: owner, events: ["3"], end: undefined });
    }),
    withStore("forgets a stream some time after its end", async (store, key) => {
      await begun(store, key, ["1"]);
      await store.finish(key, "a1", COMPLETE, 20);
      while ((await store.read(key, 0, NEVER_MS)) !== undefined) await pause(10);
      assert.equal(await store.begin(key, "b2", NEVER_MS), true);
      assert.deepEqual((await readAll(store, key)).events, []);
    }),
    withStore("tells how long nobody has read", async (store, key) => {
      await begun(store, key);
      while ((await store.renew(key, "a1", NEVER_MS)).unreadMs < 40) await pause(10);
      const unread = (await store.renew(key, "a1", NEVER_MS)).unreadMs;
      await store.read(key, 0, NEVER_MS);
      // Whatever time passes between these two: what passed before the read is no part of it.
      const before = Date.now();
      const { unreadMs } = await store.renew(key, "a1", NEVER_MS);
      assert.ok(unreadMs < unread || Date.now() - before >= unread - 1);
    }),
    withStore("tells of each change, and whether it was the end", async (store, key) => {
      await begun(store, key);
      const told = { more: 0, end: 0 };
      const unwatch = store.watch(key, ({ ended }) => {
        told[ended ? "end" : "more"]++;
      });
      const unheard = { ...told };
      store.watch(key, () => {
        unheard.more++;
      })();
      // The first may be told of before a shared store listens.
      for (let number = 1; told.more === 0; number++) {
        await store.append(key, "a1", number, String(number));
        await pause(1);
      }
      const before = told.end;
      await store.finish(key, "a1", COMPLETE, NEVER_MS);
      while (told.end === before) await pause(1);
      assert.equal(unheard.more, 0, "A listener that was taken off is told of nothing.");
      unwatch();
    }),
    withStore(
      "takes the stream of an owner that is silent for cut, where others could see it",
      async (store, key) => {
        // However long a call takes: the owner is silent from here on.
        await begun(store, key, ["1"]);
        await store.renew(key, "a1", 1);
        const other = `${key} never heard of`;
        assert.equal(await store.begin(other, "a1", 1), true);
        if (!store.shared) {
          await pause(50);
          for (const silent of [key, other])
            assert.equal((await store.read(silent, 0, NEVER_MS))?.end, undefined);
          return;
        }
        for (const silent of [key, other])
          while ((await store.read(silent, 0, NEVER_MS))?.end === undefined) await pause(10);
        const { events, end } = await readAll(store, key);
        assert.deepEqual({ events, end }, { events: ["1"], end: { outcome: "cut" } });
        assert.equal((await store.renew(key, "a1", NEVER_MS)).held, false);
        assert.equal(await store.append(key, "a1", 2, "2"), false);
        assert.equal(await store.finish(key, "a1", COMPLETE, NEVER_MS), false);
        assert.equal(await store.begin(key, "b2", NEVER_MS), false);
      },
    ),
    withStore("keeps the stream of an owner that says it lives", async (store, key) => {
      assert.equal(await store.begin(key, "a1", NEVER_MS), true);
      assert.equal((await store.renew(key, "a1", NEVER_MS)).held, true);
      assert.equal((await store.read(key, 0, NEVER_MS))?.end, undefined);
      if (!store.shared) return;
      assert.equal((await store.renew(key, "a1", 1)).held, true);
      while ((await store.read(key, 0, NEVER_MS))?.end === undefined) await pause(10);
      assert.equal((await store.renew(key, "a1", NEVER_MS)).held, false);
    }),
  ];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
