import assert from "node:assert/strict";
import type { VideoTask } from "@model-gateway/core";
import type { StoreContractCase } from "@model-gateway/core/testing";
import { filter, firstValueFrom, Subject, take, toArray } from "rxjs";
import type { VideoDelivery } from "../videos/video-delivery.js";
import type { VideoTaskKeeping, VideoTaskRecord, VideoTaskStall } from "../videos/video-task-record.js";
import type { VideoTaskDelivering, VideoTaskPolling, VideoTaskStore } from "../videos/video-task-store.js";

export type { StoreContractCase };

const SUBMISSION = {
  family: "content" as const,
  body: { model: "some-video-model", content: [{ type: "text" as const, text: "A boat" }] },
};
const WAIT = { since: 1_000, priority: 0, body: JSON.stringify(SUBMISSION.body), attempts: 0 };
const PROBLEM = { kind: "connection", message: "The connection broke." };
const HANDLER = "Mailer.send";
/** Longer than any test. */
const NEVER_MS = 600_000;

type CreateStore = () => VideoTaskStore | Promise<VideoTaskStore>;

/**
 * What the module relies on, for each store it is to run on.
 *
 * @param createStore makes a new, empty store
 * @example
 * for (const { title, run } of videoTaskStoreContract(() => new MyVideoTaskStore())) it(title, run);
 */
export function videoTaskStoreContract(createStore: CreateStore): StoreContractCase[] {
  const withStore = (
    title: string,
    run: (store: VideoTaskStore, polled: PolledTasks) => Promise<void>,
  ): StoreContractCase => ({
    title,
    async run() {
      const store = await createStore();
      const polled = new PolledTasks();
      await store.open(polled);
      try {
        await run(store, polled);
      } finally {
        await store.stop();
        await store.close();
      }
    },
  });

  return [
    withStore("keeps an intent before anything is paid", async (store) => {
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), true);
      const record = await store.get("a");
      assert.equal(record?.status, "submitting");
      assert.deepEqual(record?.submission, SUBMISSION);
      assert.equal(record?.handle, undefined);
      assert.ok(record.createdAt > 0);
    }),
    withStore("takes a key once", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), false);
      await store.accept("a", task("queued"));
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), false);
      assert.equal((await store.get("a"))?.status, "queued");
    }),
    withStore("gives a key to one of two that want it at once", async (store) => {
      const begun = await Promise.all([1, 2].map(() => store.begin({ key: "a", submission: SUBMISSION })));
      assert.deepEqual(begun.sort(), [false, true]);
    }),
    withStore("frees the key of a rejected submission", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.reject("a", PROBLEM);
      const rejected = await store.get("a");
      assert.equal(rejected?.status, "rejected");
      assert.deepEqual(rejected?.problem, PROBLEM);
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), true);
      const begun = await store.get("a");
      assert.equal(begun?.status, "submitting");
      assert.equal(begun?.problem, undefined);
      assert.ok(begun.version > rejected.version);
    }),
    withStore("does not free the key of a lost submission", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.lose("a", PROBLEM);
      assert.equal((await store.get("a"))?.status, "unknown");
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), false);
    }),
    withStore("keeps the handle and the last poll", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("queued"));
      await store.update("a", task("running", 40));
      const record = await store.get("a");
      assert.equal(record?.status, "running");
      assert.deepEqual(record?.handle, task("running").handle);
      assert.deepEqual(record?.task, task("running", 40));
    }),
    withStore(
      "knows that a task with a handle was paid for, whatever is said of its submission",
      async (store) => {
        await begun(store, "a");
        await store.accept("a", task("running"));
        const before = await store.get("a");
        await store.lose("a", PROBLEM);
        await store.reject("a", PROBLEM);
        assert.deepEqual(await store.get("a"), before);
      },
    ),
    withStore(
      "keeps what is known of files that are being kept, and tells when that begins",
      async (store, polled) => {
        await polledOnce(store, polled, "a", 40);
        await store.stall("a", stall(1));
        const told = firstValueFrom(store.changes$.pipe(take(2), toArray()));
        await store.keep("a", keeping(0));
        const record = await store.get("a");
        assert.deepEqual(record?.keeping, keeping(0));
        assert.deepEqual(
          [record.status, record.task, record.stalled],
          ["running", task("running", 40), undefined],
        );
        await store.keep("a", keeping(1));
        assert.deepEqual((await store.get("a"))?.keeping, keeping(1));
        const changes = await told;
        assert.deepEqual(
          changes.map((change) => change.keeping?.failedAttempts),
          [0, 1],
        );
        assert.ok((changes[1]?.version ?? 0) > (changes[0]?.version ?? 0));
        assert.deepEqual(keys(await store.list({ finished: false })), ["a"]);
      },
    ),
    withStore("keeps what became of the files of a task, with its end", async (store, polled) => {
      await polledOnce(store, polled, "a");
      await store.keep("a", keeping(1));
      await store.update("a", task("succeeded"), { files: [FILE], problem: PROBLEM });
      const record = await store.get("a");
      assert.deepEqual([record?.status, record?.files, record?.problem], ["succeeded", [FILE], PROBLEM]);
      assert.equal(record?.keeping, undefined);
      await store.keep("a", keeping(2));
      assert.deepEqual(await store.get("a"), record);
    }),
    withStore("keeps no files of a task that is not polled any more", async (store, polled) => {
      await polledOnce(store, polled, "a");
      await store.keep("a", keeping(1));
      await store.cancelWatch("a");
      assert.equal((await store.get("a"))?.keeping, undefined);
      await store.accept("a", task("running"));
      assert.equal((await store.get("a"))?.keeping, undefined);
    }),
    withStore(
      "tells that a task cannot be read, when the reason is another one, and when it can again",
      async (store, polled) => {
        await polledOnce(store, polled, "a", 40);
        const told = firstValueFrom(store.changes$.pipe(take(3), toArray()));
        await store.stall("a", stall(1));
        assert.deepEqual((await store.get("a"))?.stalled, stall(1));
        assert.equal((await store.get("a"))?.status, "running");
        await store.stall("a", stall(2));
        assert.deepEqual((await store.get("a"))?.stalled, stall(2));
        const refused = { ...stall(3), problem: { kind: "authentication", message: "No such key." } };
        await store.stall("a", refused);
        await store.update("a", task("running", 40));
        const changes = await told;
        assert.deepEqual(
          changes.map(({ stalled }) => stalled),
          [stall(1), refused, undefined],
        );
        assert.deepEqual(await store.get("a"), changes.at(-1));
        assert.deepEqual(changes.at(-1)?.task, task("running", 40));
      },
    ),
    withStore(
      "keeps what cannot be read when it is opened again, and has it polled",
      async (store, polled) => {
        await polledOnce(store, polled, "a");
        await store.stall("a", stall(1));
        await store.stop();
        await store.close();
        const again = polled.next("a");
        await store.open(polled);
        await store.pollSoon("a");
        assert.deepEqual((await again).stalled, stall(1));
        await store.accept("a", task("running"));
        assert.equal((await store.get("a"))?.stalled, undefined);
      },
    ),
    withStore("calls nothing stalled that is over or polled no more", async (store, polled) => {
      for (const key of ["over", "cancelled"]) {
        await polledOnce(store, polled, key);
        await store.stall(key, stall(1));
      }
      await store.update("over", task("succeeded"));
      await store.stall("over", stall(2));
      await store.cancelWatch("cancelled");
      assert.deepEqual(keys(await store.list({ stalled: true })), []);
      assert.equal((await store.get("over"))?.stalled, undefined);
      assert.equal((await store.get("cancelled"))?.stalled, undefined);
    }),
    withStore("finds a lost task again", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.lose("a", PROBLEM);
      await store.accept("a", task("running"));
      const record = await store.get("a");
      assert.equal(record?.status, "running");
      assert.equal(record?.problem, undefined);
    }),
    withStore("changes nothing that is over", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("queued"));
      await store.update("a", task("succeeded"));
      await store.update("a", task("running"));
      await store.stall("a", stall(1));
      await store.cancelWatch("a");
      await store.lose("a", PROBLEM);
      assert.equal((await store.get("a"))?.status, "succeeded");
    }),
    withStore("refuses writes to a key that is not there", async (store) => {
      await assert.rejects(store.accept("nobody", task("queued")));
      await assert.rejects(store.update("nobody", task("queued")));
      await assert.rejects(store.reject("nobody", PROBLEM));
      await assert.rejects(store.lose("nobody", PROBLEM));
      await assert.rejects(store.stall("nobody", stall(1)));
      await assert.rejects(store.deliver("nobody", delivery("due")));
      await assert.rejects(store.redeliver("nobody"));
      assert.equal(await store.get("nobody"), undefined);
    }),
    withStore("lists in the order of submission, by status on demand", async (store) => {
      for (const key of ["a", "b", "c"]) await store.begin({ key, submission: SUBMISSION });
      await store.accept("b", task("queued"));
      assert.deepEqual(keys(await store.list()), ["a", "b", "c"]);
      assert.deepEqual(keys(await store.list({ status: "submitting" })), ["a", "c"]);
      assert.deepEqual(keys(await store.list({ status: "failed" })), []);
    }),
    withStore("keeps whose a submission is and what belongs to it, to its end", async (store) => {
      const label = { tenant: "acme", metadata: { order: 7, tags: ["a", null], owner: { name: "Zoë" } } };
      await store.begin({ key: "a", submission: SUBMISSION, ...label });
      await begun(store, "b");
      await store.accept("a", task("running"));
      await store.update("a", task("succeeded"));
      await store.stop();
      await store.close();
      await store.open(new PolledTasks());
      const { tenant, metadata } = (await store.get("a")) ?? {};
      assert.deepEqual({ tenant, metadata }, label);
      assert.deepEqual(keys(await store.list({ tenant: "acme" })), ["a"]);
      assert.deepEqual(keys(await store.list({ tenant: "acme", status: "submitting" })), []);
      assert.equal((await store.get("b"))?.tenant, undefined);
    }),
    withStore("lists by the page, the latest first of all", async (store) => {
      for (const key of ["a", "b", "c", "d", "e"])
        await store.begin({ key, submission: SUBMISSION, tenant: key === "b" ? "other" : "acme" });
      assert.deepEqual(keys(await store.list({ limit: 2 })), ["d", "e"]);
      assert.deepEqual(keys(await store.list({ limit: 2, before: "d" })), ["b", "c"]);
      assert.deepEqual(keys(await store.list({ limit: 2, before: "d", tenant: "acme" })), ["a", "c"]);
      assert.deepEqual(keys(await store.list({ before: "b" })), ["a"]);
      assert.deepEqual(keys(await store.list({ before: "a", limit: 10 })), []);
      await store.accept("d", task("succeeded"));
      // One that a condition leaves out is a place in the order all the same.
      assert.deepEqual(keys(await store.list({ finished: false, before: "d", limit: 1 })), ["c"]);
      await assert.rejects(store.list({ before: "nobody" }));
    }),
    withStore(
      "lists what cannot be read, and what somebody may have to look after",
      async (store, polled) => {
        for (const key of ["over", "rejected", "cancelled", "late", "stalled", "lost", "open"]) {
          if (["rejected", "lost"].includes(key)) await begun(store, key);
          else await polledOnce(store, polled, key);
        }
        await store.update("over", task("succeeded"));
        await store.reject("rejected", PROBLEM);
        await store.cancelWatch("cancelled");
        await store.cancelWatch("late", PROBLEM);
        await store.stall("stalled", stall(1));
        await store.lose("lost", PROBLEM);
        assert.deepEqual(keys(await store.list({ stalled: true })), ["stalled"]);
        assert.deepEqual(keys(await store.list({ finished: true })), ["over", "rejected", "cancelled"]);
        assert.deepEqual(keys(await store.list({ finished: false })), ["late", "stalled", "lost", "open"]);
        assert.deepEqual(keys(await store.list({ finished: false, stalled: false, status: "running" })), [
          "late",
          "open",
        ]);
        const late = await store.get("late");
        assert.deepEqual(late?.problem, PROBLEM);
        assert.ok((late?.watchCancelledAt ?? 0) > 0);
        await store.accept("late", task("running"));
        assert.equal((await store.get("late"))?.problem, undefined);
        assert.equal((await store.get("late"))?.watchCancelledAt, undefined);
      },
    ),
    withStore("tells of every change after it was written, with growing versions", async (store) => {
      const told = firstValueFrom(store.changes$.pipe(take(4), toArray()));
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("queued"));
      await store.update("a", task("running"));
      await store.update("a", task("succeeded"));
      const changes = await told;
      assert.deepEqual(
        changes.map(({ status }) => status),
        ["submitting", "queued", "running", "succeeded"],
      );
      const versions = changes.map(({ version }) => version);
      assert.deepEqual(
        versions,
        [...new Set(versions)].sort((one, other) => one - other),
      );
      assert.deepEqual(await store.get("a"), changes.at(-1));
    }),
    withStore(
      "writes together with the end of a task who is to be told, and keeps it until all are",
      async (store, polled) => {
        polled.delivering.handlers = [HANDLER, "other"];
        await polledOnce(store, polled, "a");
        const told = firstValueFrom(store.changes$.pipe(filter(({ status }) => status === "succeeded")));
        const handed = polled.delivering.next("a");
        await store.update("a", task("succeeded"));
        const other = { ...delivery("due"), handler: "other" };
        assert.deepEqual((await told).deliveries, [delivery("due"), other]);
        assert.deepEqual((await handed).deliveries, [delivery("due"), other]);
        assert.deepEqual(keys(await store.list({ delivery: "due" })), ["a"]);
        await store.deliver("a", delivery("due", 1));
        assert.deepEqual((await store.get("a"))?.deliveries, [delivery("due", 1), other]);
        await store.deliver("a", delivery("delivered", 1));
        await store.deliver("a", delivery("due", 2));
        await store.deliver("a", { ...delivery("delivered", 1), handler: "nobody's" });
        assert.deepEqual((await store.get("a"))?.deliveries, [delivery("delivered", 1), other]);
        assert.deepEqual(keys(await store.list({ finished: true })), []);
        await store.deliver("a", { ...other, state: "delivered", attempts: 1 });
        assert.deepEqual(keys(await store.list({ finished: true })), ["a"]);
        assert.deepEqual(keys(await store.list({ delivery: "due" })), []);
        assert.equal((await store.get("a"))?.status, "succeeded");
      },
    ),
    withStore("has nobody told of a task that nobody waits for", async (store, polled) => {
      await polledOnce(store, polled, "a");
      await store.update("a", task("succeeded"));
      assert.equal((await store.get("a"))?.deliveries, undefined);
    }),
    withStore("has handlers called that were due when it was opened again", async (store, polled) => {
      polled.delivering.handlers = [HANDLER];
      await polledOnce(store, polled, "a");
      const first = polled.delivering.next("a");
      await store.update("a", task("succeeded"));
      await first;
      await store.deliver("a", { ...delivery("due", 3), problem: PROBLEM });
      await store.stop();
      await store.close();
      const again = polled.delivering.next("a");
      await store.open(polled);
      await store.redeliver("a");
      assert.deepEqual((await store.get("a"))?.deliveries, [{ ...delivery("due", 3), problem: PROBLEM }]);
      if (!store.shared) assert.equal((await again).key, "a");
    }),
    withStore("calls what is dead again on demand, and keeps it until then", async (store, polled) => {
      polled.delivering.handlers = [HANDLER];
      await polledOnce(store, polled, "a");
      const first = polled.delivering.next("a");
      await store.update("a", task("succeeded"));
      await first;
      await store.deliver("a", { ...delivery("dead", 5), problem: PROBLEM });
      polled.delivering.end("a");
      assert.deepEqual(keys(await store.list({ delivery: "dead" })), ["a"]);
      assert.deepEqual(keys(await store.list({ finished: false })), ["a"]);
      const second = polled.delivering.next("a");
      await store.redeliver("a");
      assert.deepEqual((await second).deliveries, [{ ...delivery("due"), problem: PROBLEM }]);
      await store.deliver("a", { ...delivery("dead", 5), problem: PROBLEM });
      assert.deepEqual(keys(await store.list({ delivery: "dead" })), ["a"]);
    }),
    withStore("tells handlers of a lost submission, unless it was found meanwhile", async (store, polled) => {
      polled.delivering.handlers = [HANDLER];
      await begun(store, "a");
      const handed = polled.delivering.next("a");
      await store.lose("a", PROBLEM);
      const lost = { ...delivery("due"), status: "unknown" as const };
      assert.deepEqual((await handed).deliveries, [lost]);
      await store.accept("a", task("running"));
      assert.equal((await store.get("a"))?.deliveries, undefined);
      await store.deliver("a", { ...lost, state: "delivered", attempts: 1 });
      assert.equal((await store.get("a"))?.deliveries, undefined);
    }),
    withStore("has an accepted task polled, and one that is over never", async (store, polled) => {
      await begun(store, "over");
      await store.accept("over", task("succeeded"));
      await begun(store, "a");
      const seen = polled.next("a");
      await store.accept("a", task("queued"));
      assert.deepEqual((await seen).handle, task("queued").handle);
      assert.deepEqual(polled.keys(), ["a"]);
    }),
    withStore("has a task polled ahead of time on demand", async (store, polled) => {
      await begun(store, "a");
      const first = polled.next("a");
      await store.accept("a", task("queued"));
      await first;
      const second = polled.next("a");
      await store.pollSoon("a");
      await second;
      await store.pollSoon("nobody");
    }),
    withStore("has a task polled no more on demand, until it is accepted again", async (store, polled) => {
      await begun(store, "a");
      const first = polled.next("a");
      await store.accept("a", task("running", 10));
      await first;
      await store.cancelWatch("a");
      const cancelled = await store.get("a");
      assert.equal(cancelled?.status, "running");
      assert.ok((cancelled.watchCancelledAt ?? 0) > 0);
      await store.stop();
      await store.close();
      await store.open(polled);
      await begun(store, "b");
      const other = polled.next("b");
      await store.accept("b", task("queued"));
      await other;
      assert.deepEqual(polled.keys(), ["a", "b"]);
      const again = polled.next("a");
      await store.accept("a", task("running", 20));
      await again;
      const resumed = await store.get("a");
      assert.equal(resumed?.watchCancelledAt, undefined);
      assert.ok((resumed?.watchedSince ?? 0) >= (cancelled.watchCancelledAt ?? 0));
    }),
    withStore(
      "stops polling, still takes writes, and has polled what is open when it is opened again",
      async (store, polled) => {
        polled.nextPollMs = 20;
        await begun(store, "a");
        const first = polled.next("a");
        await store.accept("a", task("running"));
        await first;
        await begun(store, "b");
        await store.stop();
        assert.equal(polled.active, 0);
        await store.accept("b", task("queued"));
        assert.deepEqual(polled.keys(), ["a"]);
        await store.close();
        const both = Promise.all([polled.next("a"), polled.next("b")]);
        await store.open(polled);
        await both;
      },
    ),
    withStore(
      "keeps what waits, with all that it will send, and forgets that when it is sent",
      async (store) => {
        const waiting = { ...WAIT, priority: 3 };
        assert.equal(await store.begin({ key: "a", submission: SUBMISSION, tenant: "acme", waiting }), true);
        assert.equal(await store.begin({ key: "a", submission: SUBMISSION, waiting }), false);
        await begun(store, "b");
        await store.stop();
        await store.close();
        await store.open(new PolledTasks());
        const record = await store.get("a");
        assert.equal(record?.status, "queued");
        assert.deepEqual(record?.waiting, waiting);
        assert.deepEqual(keys(await store.list({ waiting: true })), ["a"]);
        assert.deepEqual(keys(await store.list({ waiting: false })), ["b"]);
        assert.deepEqual(await store.take("a", {}), record);
        const taken = await store.get("a");
        assert.deepEqual([taken?.status, taken?.waiting], ["submitting", undefined]);
        assert.ok((taken?.version ?? 0) > record.version);
        assert.equal(await store.take("a", {}), undefined);
        assert.equal(await store.take("b", {}), undefined);
        assert.deepEqual(keys(await store.list()), ["a", "b"]);
        await store.accept("a", task("running"));
        assert.equal((await store.get("a"))?.status, "running");
        await assert.rejects(store.take("nobody", {}));
      },
    ),
    withStore("tells what waits and whose the open tasks are, until they end", async (store, polled) => {
      for (const key of ["over", "rejected", "left", "unknown", "late", "running", "kept", "open"]) {
        const tenant = key === "open" ? undefined : key;
        await store.begin({ key, submission: SUBMISSION, ...(tenant !== undefined && { tenant }) });
        if (["over", "left", "late", "running", "kept"].includes(key)) {
          const polledFirst = polled.next(key);
          await store.accept(key, task("running"));
          await polledFirst;
        }
      }
      await store.update("over", task("failed"));
      await store.reject("rejected", PROBLEM);
      await store.cancelWatch("left");
      await store.lose("unknown", PROBLEM);
      await store.keep("kept", { task: task("succeeded"), since: 1_000, failedAttempts: 0 });
      await store.cancelWatch("late", PROBLEM);
      for (const key of ["x", "y"]) await enqueued(store, key, "acme");
      const before = await store.line();
      assert.deepEqual([...before.open].sort(), ["late", "running", "unknown", undefined]);
      assert.deepEqual(
        before.waiting.map(({ key, tenant, waiting }) => [key, tenant, waiting.priority]),
        [
          ["x", "acme", 0],
          ["y", "acme", 0],
        ],
      );
      await store.take("y", {});
      await store.reject("unknown", PROBLEM);
      await store.update("running", task("succeeded"));
      const after = await store.line();
      assert.deepEqual([...after.open].sort(), ["acme", "late", undefined]);
      assert.deepEqual(
        after.waiting.map(({ key }) => key),
        ["x"],
      );
    }),
    withStore("gives one of two who want it at once what waits", async (store) => {
      await enqueued(store, "a");
      const taken = await Promise.all([1, 2, 3].map(() => store.take("a", {})));
      assert.equal(taken.filter((record) => record !== undefined).length, 1);
    }),
    withStore("never has more tasks open than it may, however many are taken at once", async (store) => {
      const all = Array.from({ length: 6 }, (_, index) => `${index}`);
      for (const key of all) await enqueued(store, key, key < "4" ? "acme" : "other");
      const open = async () => (await store.line()).open;
      for (let attempt = 0; (await open()).length < 3; attempt++) {
        assert.ok(attempt < 50, "Places stay free.");
        await Promise.all(all.map((key) => store.take(key, { maxOpen: 3, perTenant: 2 })));
        assert.ok((await open()).length <= 3);
        // One that comes alone is not in anybody's way.
        for (const { key } of (await store.line()).waiting)
          await store.take(key, { maxOpen: 3, perTenant: 2 });
        assert.ok((await open()).length <= 3);
        assert.ok((await open()).filter((tenant) => tenant === "acme").length <= 2);
      }
      const [left] = (await store.line()).waiting;
      assert.equal(await store.take(left?.key ?? "", { maxOpen: 3 }), undefined);
      const taken = (await store.list({ status: "submitting" })).map(({ key }) => key);
      assert.equal(taken.length, 3);
      await store.accept(taken[0] ?? "", task("succeeded"));
      await store.line();
      assert.equal((await store.take(left?.key ?? "", { maxOpen: 3 }))?.key, left?.key);
    }),
    withStore("counts what nobody knows the outcome of, until somebody decides", async (store) => {
      await begun(store, "lost");
      await store.lose("lost", PROBLEM);
      await enqueued(store, "a");
      await store.line();
      assert.equal(await store.take("a", { maxOpen: 1 }), undefined);
      await store.reject("lost", PROBLEM);
      await store.line();
      assert.equal((await store.take("a", { maxOpen: 1 }))?.key, "a");
    }),
    withStore("puts back what was turned away, which is not taken before its time", async (store) => {
      await enqueued(store, "a");
      await enqueued(store, "b");
      await store.take("a", {});
      const later = { ...WAIT, attempts: 1, nextAttemptAt: Date.now() + NEVER_MS, problem: PROBLEM };
      await store.putBack("a", later);
      assert.equal((await store.get("a"))?.status, "queued");
      assert.deepEqual((await store.get("a"))?.waiting, later);
      assert.equal(await store.take("a", {}), undefined);
      assert.deepEqual((await store.line()).open, []);
      await store.take("b", { maxOpen: 1 });
      const soon = { ...WAIT, attempts: 1, nextAttemptAt: Date.now() - 1 };
      await store.putBack("b", soon);
      assert.deepEqual((await store.take("b", { maxOpen: 1 }))?.waiting, soon);
      await store.accept("b", task("running"));
      await store.putBack("b", soon);
      assert.equal((await store.get("b"))?.status, "running");
      assert.deepEqual(keys(await store.list()), ["a", "b"]);
    }),
    withStore(
      "puts nothing back that has had its next turn, however late it is told of the last",
      async (store) => {
        await enqueued(store, "a");
        await store.take("a", {});
        const first = { ...WAIT, attempts: 1, nextAttemptAt: Date.now() - 1, problem: PROBLEM };
        await store.putBack("a", first);
        await store.putBack("a", first);
        assert.equal((await store.get("a"))?.status, "queued");
        assert.deepEqual((await store.take("a", {}))?.waiting, first);
        // Its answer was lost, and so it is written again: somebody else is paying by now.
        await store.putBack("a", first);
        assert.equal((await store.get("a"))?.status, "submitting");
        assert.equal(await store.take("a", {}), undefined);
        const second = { ...first, attempts: 2 };
        await store.putBack("a", second);
        assert.deepEqual((await store.get("a"))?.waiting, second);
        await store.take("a", {});
        await store.accept("a", task("running"));
        await store.putBack("a", { ...first, attempts: 3 });
        assert.equal((await store.get("a"))?.status, "running");
      },
    ),
    withStore("ends what the gateway refuses, and has handlers told of it", async (store, polled) => {
      polled.delivering.handlers = [HANDLER];
      await enqueued(store, "a");
      await store.take("a", {});
      const handed = polled.delivering.next("a");
      await store.refuse("a", PROBLEM);
      const { status, task: none, problem, deliveries } = await handed;
      assert.deepEqual({ status, none, problem }, { status: "failed", none: undefined, problem: PROBLEM });
      assert.deepEqual(deliveries, [{ ...delivery("due"), status: "failed" }]);
      assert.deepEqual((await store.line()).open, []);
      assert.equal(await begun(store, "a"), false);
      await store.accept("a", task("running"));
      assert.equal((await store.get("a"))?.status, "failed");
      await store.deliver("a", { ...delivery("delivered", 1), status: "failed" });
      assert.deepEqual(keys(await store.list({ finished: true })), ["a"]);
      await begun(store, "b");
      await store.accept("b", task("running"));
      await store.refuse("b", PROBLEM);
      assert.equal((await store.get("b"))?.status, "running");
    }),
    withStore("cancels what waits, which is never taken then, and nothing else", async (store, polled) => {
      polled.delivering.handlers = [HANDLER];
      await enqueued(store, "a");
      const handed = polled.delivering.next("a");
      assert.equal(await store.cancel("a"), true);
      const { status, waiting, deliveries } = await handed;
      assert.deepEqual([status, waiting], ["cancelled", undefined]);
      assert.deepEqual(deliveries, [{ ...delivery("due"), status: "cancelled" }]);
      assert.equal(await store.take("a", {}), undefined);
      assert.equal(await store.cancel("a"), false);
      for (let count = 0; count < 5; count++) {
        const key = `race-${count}`;
        await enqueued(store, key);
        const [taken, isCancelled] = await Promise.all([store.take(key, {}), store.cancel(key)]);
        assert.notEqual(taken !== undefined, isCancelled);
        assert.equal((await store.get(key))?.status, isCancelled ? "cancelled" : "submitting");
      }
      await begun(store, "b");
      assert.equal(await store.cancel("b"), false);
      await store.accept("b", task("running"));
      assert.equal(await store.cancel("b"), false);
      assert.equal((await store.get("b"))?.status, "running");
    }),
    withStore("has no troubles", async (store) => {
      assert.deepEqual(await store.troubles(), []);
    }),
  ];
}

/** Stands for the module: is handed what handlers are due of, and has them take their time. */
class DueHandlers implements VideoTaskDelivering {
  readonly concurrency = 10;
  /** For every status. */
  handlers: string[] = [];
  private readonly handedOut = new Subject<VideoTaskRecord>();
  private readonly ended = new Subject<string>();

  handlersOf(): string[] {
    return this.handlers;
  }

  /** The record that handlers are called with next. */
  next(key: string): Promise<VideoTaskRecord> {
    return firstValueFrom(this.handedOut.pipe(filter((record) => record.key === key)));
  }

  /** All handlers of this record were called. */
  end(key: string): void {
    this.ended.next(key);
  }

  async toEnd(record: VideoTaskRecord, { signal }: { signal: AbortSignal }): Promise<void> {
    this.handedOut.next(record);
    await Promise.race([
      firstValueFrom(this.ended.pipe(filter((key) => key === record.key))),
      aborted(signal),
    ]);
  }

  async once(record: VideoTaskRecord): Promise<number> {
    this.handedOut.next(record);
    return NEVER_MS;
  }
}

/** Stands for the module: is handed tasks, by stores that schedule polls themselves and by those that do not. */
class PolledTasks implements VideoTaskPolling {
  readonly ratePerSecond = 1_000;
  readonly delivering = new DueHandlers();
  /** For stores that schedule polls themselves. */
  nextPollMs = NEVER_MS;
  /** Polls that are under way. */
  active = 0;
  private readonly seen: string[] = [];
  private readonly handedOut = new Subject<VideoTaskRecord>();

  /** The record that the next poll of this task is given. */
  next(key: string): Promise<VideoTaskRecord> {
    return firstValueFrom(this.handedOut.pipe(filter((record) => record.key === key)));
  }

  /** Keys of all tasks that were polled, each once, in order. */
  keys(): string[] {
    return [...new Set(this.seen)];
  }

  async toEnd(
    record: VideoTaskRecord,
    { signal, soon }: Parameters<VideoTaskPolling["toEnd"]>[1],
  ): Promise<void> {
    this.see(record);
    const hints = soon.subscribe(() => this.see(record));
    this.active++;
    await aborted(signal);
    this.active--;
    hints.unsubscribe();
  }

  async once(record: VideoTaskRecord) {
    this.see(record);
    return { failedPolls: 0, nextPollMs: this.nextPollMs };
  }

  private see(record: VideoTaskRecord): void {
    this.seen.push(record.key);
    this.handedOut.next(record);
  }
}

function begun(store: VideoTaskStore, key: string): Promise<boolean> {
  return store.begin({ key, submission: SUBMISSION });
}

function enqueued(store: VideoTaskStore, key: string, tenant?: string): Promise<boolean> {
  const label = tenant === undefined ? {} : { tenant };
  return store.begin({ key, submission: SUBMISSION, ...label, waiting: WAIT });
}

/** Has a task accepted, and waits for its first poll: what polls write does not mix with what tests write. */
async function polledOnce(
  store: VideoTaskStore,
  polled: PolledTasks,
  key: string,
  progress?: number,
): Promise<void> {
  await begun(store, key);
  const first = polled.next(key);
  await store.accept(key, task("running", progress));
  await first;
}

function task(status: VideoTask["status"], progress?: number): VideoTask {
  const handle = { v: 1 as const, family: "content" as const, id: "task-1" };
  const shown = progress === undefined ? {} : { progress };
  return { handle, id: handle.id, family: handle.family, status, videos: [], ...shown, raw: { status } };
}

function delivery(state: VideoDelivery["state"], attempts = 0): VideoDelivery {
  return { handler: HANDLER, status: "succeeded", state, attempts };
}

function stall(failedPolls: number): VideoTaskStall {
  return { since: 1_000, failedPolls, problem: PROBLEM, nextPollAt: 2_000 + failedPolls };
}

const FILE = {
  kind: "video" as const,
  index: 0,
  key: "default/a/0.mp4",
  contentType: "video/mp4",
  length: 7,
  sha256: "0".repeat(64),
  origin: "task-1",
};

function keeping(failedAttempts: number): VideoTaskKeeping {
  const failure = failedAttempts === 0 ? {} : { problem: PROBLEM, nextAttemptAt: 2_000 + failedAttempts };
  return { task: task("succeeded"), since: 1_000, failedAttempts, expiresAt: 3_000, ...failure };
}

function keys(records: VideoTaskRecord[]): string[] {
  return records.map(({ key }) => key);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
