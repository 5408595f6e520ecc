import { describe, expect, it, onTestFinished } from "vitest";
import { KeyedStreamError } from "./keyed-stream-error.js";
import { MemoryStreamStore } from "./memory-stream-store.js";
import { pause } from "./pause.js";
import { type OpenedStream, ResumableStreams } from "./resumable-streams.js";
import { DEFAULT_STREAM_SETTINGS } from "./stream-settings.js";
import type { StreamPage } from "./stream-store.js";

/** A store whose answers take their time: much may have happened when they come. */
class SlowStore extends MemoryStreamStore {
  /** Is waited for before each read. */
  beforeRead: () => unknown = () => {};

  override async read(key: string, after: number): Promise<StreamPage | undefined> {
    await this.beforeRead();
    return super.read(key, after);
  }
}

function make(store = new SlowStore()) {
  const streams = new ResumableStreams({ store, settings: DEFAULT_STREAM_SETTINGS, warn: () => {} });
  onTestFinished(() => streams.close());
  return { store, streams };
}

/** A call whose events are there at once. */
function sourceOf(asked: string, ...events: unknown[]) {
  const source = {
    asked,
    calls: 0,
    over: undefined as Promise<void> | undefined,
    begun(over: Promise<void>) {
      source.over = over;
    },
    async open() {
      source.calls++;
      return (async function* () {
        yield* events;
      })();
    },
  };
  return source;
}

async function all({ events }: OpenedStream): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const { json } of events) read.push(JSON.parse(json));
  return read;
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error) => (KeyedStreamError.isInstance(error) ? error.reason : String(error)),
  );
}

describe("streams with a key", () => {
  it("make one call for one request, also where it was refused before its reader could look", async () => {
    const { store, streams } = make();
    let calls = 0;
    let over: Promise<void> | undefined;
    store.beforeRead = () => over;
    const source = {
      asked: "a",
      open: async () => {
        calls++;
        throw new KeyedStreamError("refused");
      },
      begun(run: Promise<void>) {
        over = run;
      },
    };
    const opened = await streams.open({ key: "k", source });
    expect(await reasonOf(all(opened))).toBe("refused");
    expect(calls).toBe(1);
  });

  it("give nobody the answer to another question, however the two overtake each other", async () => {
    const { store, streams } = make();
    const one = sourceOf("a", "one");
    const other = sourceOf("b", "other");
    let reads = 0;
    store.beforeRead = async () => {
      // The first is over, and the second has taken its place, before the first's reader can look.
      if (++reads !== 2) return;
      await one.over;
      expect(await all(await streams.open({ key: "k", source: other }))).toEqual(["other"]);
    };
    expect(await reasonOf(streams.open({ key: "k", source: one }))).toBe("lost");
    expect([one.calls, other.calls]).toEqual([1, 1]);
  });

  it.each([
    ["before its reader looked", undefined],
    ["before its reader looked, for the same question", "a"],
  ])("give the next to one whose call was refused %s", async (_when, asked) => {
    const { streams } = make();
    let refused = Promise.resolve();
    const label = asked === undefined ? {} : { asked };
    const refusing = {
      ...label,
      open: () => Promise.reject(new KeyedStreamError("refused")),
      begun: (over: Promise<void>) => {
        refused = over;
      },
    };
    const first = await streams.open({ key: "k", source: refusing });
    await refused;
    const { asked: _none, ...unasked } = sourceOf("a", "one", "two");
    const next = await streams.open({ key: "k", source: { ...unasked, ...label } });
    expect(await all(first)).toEqual(["one", "two"]);
    expect(await all(next)).toEqual(["one", "two"]);
  });

  it.each(["a", "b"])("give nobody the rest of another one than was begun to be read: %s", async (asked) => {
    const { streams } = make();
    const endless = {
      asked: "a",
      open: async (signal: AbortSignal) =>
        (async function* () {
          yield "one";
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        })(),
    };
    const { events } = await streams.open({ key: "k", source: endless });
    expect((await events.next()).value).toMatchObject({ json: '"one"' });
    expect(await streams.stop("k")).toBe(true);
    const next = await streams.open({ key: "k", source: sourceOf(asked, "other", "two") });
    expect(await reasonOf(events.next())).toBe("lost");
    expect(await all(next)).toEqual(["other", "two"]);
  });

  it("begin the next where another one was begun, and is over, in the meantime", async () => {
    const { store, streams } = make();
    const one = sourceOf("a", "one");
    const other = sourceOf("b", "other");
    const begin = store.begin.bind(store);
    let isFirst = true;
    store.begin = async (...args) => {
      if (isFirst) {
        isFirst = false;
        expect(await all(await streams.open({ key: "k", source: other }))).toEqual(["other"]);
      }
      return begin(...args);
    };
    expect(await all(await streams.open({ key: "k", source: one }))).toEqual(["one"]);
    expect([one.calls, other.calls]).toEqual([1, 1]);
  });

  it("read, for one who left before there was anything, nothing, and pay for nothing", async () => {
    const { store, streams } = make();
    const controller = new AbortController();
    store.beforeRead = () => controller.abort();
    const source = sourceOf("a", "one");
    const opened = await streams.open({ key: "k", source, signal: controller.signal });
    expect(await opened.events.next()).toEqual({ done: true, value: undefined });
    expect(source.calls).toBe(0);
  });

  it("return, with their end, the id of one who has everything", async () => {
    const { streams } = make();
    const { events } = await streams.open({ key: "k", source: sourceOf("a", 1, 2) });
    await events.next();
    const last = await events.next();
    const end = await events.next();
    expect(end).toEqual({ done: true, value: expect.stringMatching(/^[0-9a-f]{16}a-3$/) });
    const behind = await streams.open({ key: "k", from: last.done ? "" : last.value?.id });
    expect([behind.isOver, await behind.events.next()]).toEqual([false, end]);
    const { isOver } = await streams.open({ key: "k", from: String(end.value) });
    expect(isOver).toBe(true);
    for (const from of ["", "x", "00-1", "0-0"])
      expect(await reasonOf(streams.open({ key: "k", from }))).toBe("unknown");
  });

  it.each([
    ["was stopped meanwhile", true, "stopped", 0],
    ["is still there", false, "none", 1],
  ])("pay for one whose store answered late where it %s", async (_how, isStopped, reason, calls) => {
    const leaseMs = 20;
    const store = new SlowStore();
    const settings = { ...DEFAULT_STREAM_SETTINGS, leaseMs };
    const streams = new ResumableStreams({ store, settings, warn: () => {} });
    onTestFinished(() => streams.close());
    const begin = store.begin.bind(store);
    store.begin = async (...args) => {
      const begun = await begin(...args);
      if (isStopped) expect(await streams.stop("k")).toBe(true);
      await pause(leaseMs + 10);
      return begun;
    };
    const source = sourceOf("a", "one");
    expect(await reasonOf(streams.open({ key: "k", source }).then(all))).toBe(reason);
    expect(source.calls).toBe(calls);
  });

  it("are given up, and hold up no close, when their store stops to answer", async () => {
    const store = new SlowStore();
    const never = () => new Promise<never>(() => {});
    const settings = { ...DEFAULT_STREAM_SETTINGS, leaseMs: 100 };
    const warned: string[] = [];
    const streams = new ResumableStreams({ store, settings, warn: (message) => warned.push(message) });
    const source = sourceOf("a", 1, 2, 3);
    store.append = never;
    store.renew = never;
    const { events } = await streams.open({ key: "k", source });
    const reading = events[Symbol.asyncIterator]().next();
    reading.catch(() => {});
    await expect.poll(() => source.over !== undefined).toBe(true);
    await source.over;
    expect(warned).toEqual([expect.stringContaining("did not answer for 100 ms")]);
    await streams.close();
  });

  it("let readers of others go at once when they close, and theirs with the news that they are cut", async () => {
    // As one that several processes share.
    const store = new (class extends SlowStore {
      override async close(): Promise<void> {}
    })();
    const [one, other] = [make(store).streams, make(store).streams];
    const never = {
      open: async () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }),
    };
    const own = all(await one.open({ key: "k", source: never }));
    const foreign = all(await other.open({ key: "k", source: never }));
    const ownReason = reasonOf(own);
    const foreignReason = reasonOf(foreign);
    await other.close();
    expect(await Promise.race([foreignReason, Promise.resolve("still reading")])).toBe("closing");
    expect(await Promise.race([ownReason, Promise.resolve("still reading")])).toBe("still reading");
    await one.close();
    expect(await Promise.race([ownReason, Promise.resolve("still reading")])).toBe("cut");
    expect(await reasonOf(one.open({ key: "k" }))).toBe("closing");
    expect(await reasonOf(one.stop("k"))).toBe("closing");
  });
});
