import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, type EmulatorState } from "../index.js";
import { arbitraryWork, doWork, WORK_TIMINGS } from "../testing/arbitrary-work.js";
import { bearer, startEmulator } from "../testing/start-emulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

function create(options: EmulatorOptions = {}): Emulator {
  const emulator = createEmulator({ seed: 1, videoTimings: WORK_TIMINGS, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

const post = (emulator: Emulator, path: string, body: unknown, key = "sk-emulator") =>
  emulator.fetch(emulator.url + path, { method: "POST", headers: bearer(key), body: JSON.stringify(body) });

const chat = async (emulator: Emulator, content = "hello") => {
  const response = await post(emulator, "/chat/completions", {
    model: "local-chat",
    messages: [{ role: "user", content }],
  });
  return { status: response.status, text: await response.text() };
};

/** An emulator with some of everything. */
async function busyEmulator(): Promise<Emulator> {
  const emulator = create({
    keys: [{ key: "sk-a", quota: 1_000_000 }],
    replies: [{ when: { text: "x" }, reply: "y" }],
  });
  emulator.models.add({ id: "gpt", like: "local-chat" });
  emulator.groups.add({ name: "team", models: ["gpt"] });
  emulator.faults.add({ kind: "status", path: "/none", times: 2 });
  await chat(emulator);
  const body = { model: "local-video-2.0", content: [{ type: "text", text: "a cat" }], duration: 4 };
  await (await post(emulator, "/videos", { ...body, callback_url: "http://127.0.0.1:1/" })).text();
  await (
    await post(emulator, "/images/generations", { model: "local-image", prompt: "a", size: "512x512" })
  ).text();
  await emulator.clock.advance(WORK_TIMINGS.queuedMs);
  return emulator;
}

describe("a state", () => {
  it("is the same when it was exported, imported and exported again, or kept in a folder", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryWork, arbitraryWork, async (works, more) => {
        const dataDir = temporaryFolder();
        const first = createEmulator({ videoTimings: WORK_TIMINGS, dataDir });
        await doWork(first, works);
        const text = JSON.stringify(first.state.export());
        // Code is of its process; here it has none that others could have.
        const portable = text.replace(/,?"code":"[^"]*"/g, "");
        const second = createEmulator({ seed: 5, videoTimings: WORK_TIMINGS });
        try {
          if (portable === text) {
            second.state.import(JSON.parse(text));
            expect(JSON.stringify(second.state.export())).toBe(text);
          }
          first.snapshots.save("before");
          await doWork(first, more);
          first.snapshots.restore("before");
          expect(JSON.stringify(first.state.export())).toBe(text);
          await doWork(first, more);
          const kept = JSON.stringify(first.state.export());
          await first.close();
          const third = createEmulator({ videoTimings: WORK_TIMINGS, dataDir });
          try {
            if (!kept.includes('"code":')) expect(JSON.stringify(third.state.export())).toBe(kept);
          } finally {
            await third.close();
          }
        } finally {
          await first.close();
          await second.close();
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it("has each of its parts in an export", async () => {
    const state = (await busyEmulator()).state.export();
    const sizes = Object.entries(state).map(([name, part]) => [
      name,
      Array.isArray(part) ? part.length > 0 : part,
    ]);
    expect(Object.fromEntries(sizes)).toEqual({
      ...{ format: "model-gateway-emulator-state", version: 1, clock: true, secret: true, counters: true },
      ...{ models: true, groups: true, keys: true, ledger: true, spent: true, faults: true, replies: true },
      ...{ tasks: true, callbacks: true, files: true, journal: true },
    });
  });

  it("is what a reset returns to, once it was imported", async () => {
    const state = (await busyEmulator()).state.export();
    const emulator = create({ keys: [{ key: "sk-option" }] });
    emulator.state.import(state);
    await chat(emulator);
    emulator.keys.add({ key: "sk-late" });
    await emulator.clock.advance(86_400_000);
    emulator.reset();
    expect(emulator.state.export()).toEqual(state);
    // A snapshot is something else.
    emulator.keys.add({ key: "sk-late" });
    emulator.snapshots.save("late");
    emulator.reset();
    emulator.snapshots.restore("late");
    emulator.reset();
    expect(emulator.state.export()).toEqual(state);
  });

  it("may leave parts out, and is nobody else's afterwards", () => {
    const emulator = create();
    const state = {
      format: "model-gateway-emulator-state",
      version: 1,
      keys: [{ key: "sk-a", group: "default" }],
    };
    emulator.state.import(state as unknown as EmulatorState);
    state.keys.pop();
    const exported = emulator.state.export();
    expect(emulator.keys.list()).toEqual([{ key: "sk-a", group: "default" }]);
    (exported["keys"] as unknown[]).pop();
    expect(emulator.keys.list()).toHaveLength(1);
    emulator.reset();
    expect(emulator.keys.list()).toHaveLength(1);
  });
});

describe("a state that makes no sense", () => {
  type Entries = { [name: string]: unknown }[];
  type Loose = Record<string, Entries>;

  /** What is wrong is found before anything changes, in memory and on disk. */
  async function refuses(change: (state: Loose) => unknown, message: string): Promise<void> {
    const source = await busyEmulator();
    const document = change(JSON.parse(JSON.stringify(source.state.export())) as Loose) as EmulatorState;
    const dataDir = temporaryFolder();
    const target = create({ dataDir });
    target.keys.add({ key: "sk-mine" });
    const held = JSON.stringify(target.state.export());
    const act = () => target.state.import(document);
    expect(act).toThrow(TypeError);
    expect(act).toThrow("The state cannot be imported, and nothing was changed: ");
    expect(act).toThrow(message);
    expect(JSON.stringify(target.state.export())).toBe(held);
    target.reset();
    expect(target.keys.list()).toHaveLength(1);
    expect(Object.prototype).not.toHaveProperty("key");
  }

  const deep = () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 50_000; depth++) value = [value];
    return value;
  };
  const ring: Record<string, unknown> = {};
  ring["self"] = ring;

  it.each<[why: string, change: (state: Loose) => unknown, message: string]>([
    ["no object", () => [], "A state is a JSON object, and this is none."],
    ["nothing", () => null, "A state is a JSON object, and this is none."],
    ["nothing at all", () => undefined, "A state is a JSON object, and this is none."],
    [
      "another format",
      (state) => ({ ...state, format: "x" }),
      'format must be "model-gateway-emulator-state"',
    ],
    ["a later version", (state) => ({ ...state, version: 2 }), "version is 2: a later version"],
    ["no version", ({ version, ...state }) => state, "version is required"],
    ["another part", (state) => ({ ...state, more: [] }), "more is no part of a state"],
    [
      "a part of the prototype",
      (state) => JSON.parse(`{"__proto__":[],${JSON.stringify(state).slice(1)}`),
      "__proto__ is no part of a state",
    ],
    [
      "a part that is no list",
      (state) => ({ ...state, keys: {} }),
      "keys must be a list of entries (got an object)",
    ],
    ["a ring of values", (state) => ({ ...state, keys: [ring] }), "it is no JSON"],
    ["what is too deep", (state) => ({ ...state, keys: deep() }), "it is no JSON"],
    ["what JSON cannot hold", (state) => ({ ...state, keys: [1n] }), "it is no JSON"],
  ])("is refused as a whole, and named: %s", (_, change, message) => refuses(change, message));

  const patches: [part: string, index: number, path: string, value: unknown, message: string][] = [
    ["keys", 1, "quota", "5", 'keys[1].quota must be an integer of at least 0 (got "5")'],
    ["keys", 0, "more", 1, "keys[0].more is unknown here"],
    ["keys", 0, "group", "none", 'keys[0] makes no sense: The token group "none" is unknown'],
    ["keys", 1, "key", "sk-emulator", "keys[1] makes no sense: The key sk-…"],
    ["keys", 0, "rateLimit", { requests: 1 }, "keys[0].rateLimit.windowMs is required"],
    ["groups", 0, "models", ["none"], 'groups[0] makes no sense: The emulator serves no model "none"'],
    ["groups", 0, "name", "default", 'groups[0] makes no sense: The token group "default" exists'],
    ["models", 0, "root", "none", "models[0].root must be one of"],
    ["models", 0, "id", "local-chat", 'models[0] makes no sense: The model "local-chat" exists'],
    ["models", 0, "price", { inputTokens: -1 }, "models[0].price.inputTokens must be a number of at least 0"],
    ["counters", 0, "count", 0.5, "counters[0].count must be an integer"],
    ["faults", 0, "kind", "none", "faults[0].kind must be one of"],
    ["faults", 0, "left", 0, "faults[0].left must be an integer of at least 1"],
    ["replies", 0, "rule", {}, "replies[0] makes no sense: A reply says something"],
    [
      "replies",
      0,
      "rule.when",
      { text: { pattern: "(", flags: "" } },
      "replies[0].rule.when.text is no regular expression",
    ],
    ["ledger", 0, "owner", null, "ledger[0].owner must be a string (got null)"],
    ["ledger", 0, "counted", { apples: 1 }, "ledger[0].counted.apples is unknown"],
    ["spent", 0, "units", null, "spent[0].units must be a number (got null)"],
    ["clock", 0, "aheadMs", 1e300, "clock[0].aheadMs must be a number from"],
    ["secret", 0, "key", "a", "secret[0].key must be 32 bytes"],
    ["tasks", 0, "id", "../../x", "tasks[0].id must be an id"],
    ["tasks", 0, "settings.width", 1e9, "tasks[0].settings.width must be an integer from 1 to 8192"],
    ["tasks", 0, "plan", {}, "tasks[0].plan.startsAt is required"],
    ["tasks", 0, "status", "done", "tasks[0].status must be one of"],
    ["tasks", 0, "steps", [{ status: "queued" }], "tasks[0].steps[0].time is required"],
    ["files", 0, "path", "../lock", "files[0].path must be two plain names"],
    ["files", 0, "recipe.request.width", 1e9, "files[0].recipe.request.width must be an integer"],
    ["files", 0, "recipe.kind", "x", "files[0].recipe.kind must be one of"],
    ["callbacks", 0, "attempts", [{ time: 1 }], "callbacks[0].attempts[0].status is required"],
    ["callbacks", 0, "delivered", 1, "callbacks[0].delivered must be a boolean"],
    ["journal", 0, "entry.time", "now", 'journal[0].entry.time must be a number (got "now")'],
    ["journal", 0, "exchange.pieces", [{ atMs: 1 }], "journal[0].exchange.pieces[0].text is required"],
    ["journal", 0, "exchange.requestForm", [{}], "journal[0].exchange.requestForm[0].name is required"],
  ];
  it.each(patches)("is refused as a whole, and named: %s[%i].%s as %j", (part, index, path, value, message) =>
    refuses((state) => {
      const names = path.split(".");
      let at = (state[part]?.[index] ?? {}) as Record<string, unknown>;
      for (const name of names.slice(0, -1)) at = at[name] as Record<string, unknown>;
      at[names.at(-1) ?? ""] = value;
      return state;
    }, message),
  );

  it("is refused when a member would change what all objects are", () =>
    refuses((state) => {
      state["keys"]?.push(JSON.parse('{"__proto__":{"key":"sk-x","group":"default"}}'));
      return state;
    }, "keys[2].__proto__ is unknown here"));

  it("is refused when its files are made of each other", () =>
    refuses((state) => {
      const link = "http://127.0.0.1/files/image_a/1.png?expires=1&signature=x";
      const request = { width: 8, height: 8, prompt: "", seed: 1, format: "png" };
      const [task = {}] = state["tasks"] ?? [];
      Object.assign(task["settings"] as object, { firstFrame: link });
      const inputs = [`http://127.0.0.1/files/${task["id"]}/video.mp4`];
      state["files"]?.push({ path: "image_a/1.png", recipe: { kind: "image", request, inputs } });
      return state;
    }, "files lead in a circle"));

  it("names several of its faults at once", () =>
    refuses((state) => {
      for (const key of state["keys"] ?? []) key["quota"] = -1;
      return state;
    }, "keys[0].quota must be an integer of at least 0 (got -1). Also: keys[1].quota"));
});

describe("calls that are under way when the state is replaced", () => {
  const replacements: [string, (emulator: Emulator) => void][] = [
    ["a snapshot that is restored", (emulator) => emulator.snapshots.restore("before")],
    ["an import", (emulator) => emulator.state.import(emulator.state.export())],
    ["a reset", (emulator) => emulator.reset()],
  ];

  it.each(replacements)("are answered, and leave nothing in it: %s", async (_, replace) => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let waiting = 0;
    const reply = async () => {
      waiting += 1;
      await gate;
      return "late";
    };
    const dataDir = temporaryFolder();
    const emulator = create({
      dataDir,
      replies: [{ when: { text: "wait" }, reply }],
      keys: [{ key: "sk-q", quota: 10_000 }],
    });
    emulator.snapshots.save("before");
    const waits = chat(emulator, "wait");
    // Its body comes in two halves, one after the state was replaced.
    const encoder = new TextEncoder();
    const body = JSON.stringify({
      model: "local-video-2.0",
      content: [{ type: "text", text: "a cat" }],
      duration: 4,
    });
    const halves = new TransformStream<Uint8Array, Uint8Array>();
    const writer = halves.writable.getWriter();
    const created = emulator.fetch(`${emulator.url}/videos`, {
      ...{ method: "POST", headers: bearer("sk-emulator"), body: halves.readable },
      ...{ duplex: "half" },
    });
    await writer.write(encoder.encode(body.slice(0, 20)));
    while (waiting === 0 || emulator.journal.list().length < 2)
      await new Promise((resolve) => setImmediate(resolve));

    replace(emulator);
    const entered = JSON.stringify(emulator.state.export());
    open();
    await writer.write(encoder.encode(body.slice(20)));
    await writer.close();
    expect(await waits).toMatchObject({ status: 200, text: expect.stringContaining("late") });
    expect((await created).status).toBe(200);
    expect(JSON.stringify(emulator.state.export())).toBe(entered);
    expect([emulator.ledger.list(), emulator.videos.list(), emulator.journal.list()]).toEqual([[], [], []]);
    expect(emulator.clock.nextAt()).toBeUndefined();
    await emulator.close();

    const after = create({ dataDir, replies: [{ when: { text: "wait" }, reply }] });
    expect(JSON.stringify(after.state.export())).toBe(entered);
  });

  it("call nobody back for a task that went with its state", async () => {
    const heard: string[] = [];
    let done = () => {};
    const end = new Promise<void>((resolve) => {
      done = resolve;
    });
    const server = createServer((request, response) => {
      heard.push(request.url ?? "");
      request.resume();
      response.end();
      if (heard.filter((path) => path === "/new").length === 2) done();
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const emulator = create({ videoTimings: { queuedMs: 1, runningMs: 1 } });
    const body = (path: string) =>
      JSON.stringify({
        ...{ model: "local-video-2.0", content: [{ type: "text", text: "a cat" }], duration: 4 },
        callback_url: hook + path,
      });
    const late = new TransformStream<Uint8Array, Uint8Array>();
    const writer = late.writable.getWriter();
    const init = { method: "POST", headers: bearer("sk-emulator") };
    const made = emulator.fetch(`${emulator.url}/videos`, {
      ...init,
      body: late.readable,
      ...{ duplex: "half" },
    });
    emulator.reset();
    await writer.write(new TextEncoder().encode(body("/old")));
    await writer.close();
    expect((await made).status).toBe(200);
    // It is called back of the same changes, which are later.
    await emulator.fetch(`${emulator.url}/videos`, { ...init, body: body("/new") });
    await end;
    expect(heard).toEqual(["/new", "/new"]);
  });

  it("end nothing of what listens to the journal", async () => {
    const emulator = create();
    const seen: string[] = [];
    const stop = emulator.journal.subscribe((change) => {
      seen.push(change.type === "entry" ? (change.entry.path ?? "") : change.type);
    });
    await chat(emulator);
    emulator.snapshots.save("one");
    emulator.reset();
    emulator.snapshots.restore("one");
    expect(seen.slice(-3)).toEqual(["cleared", "cleared", "/chat/completions"]);
    seen.length = 0;
    await chat(emulator);
    expect(seen).toContain("/chat/completions");
    stop();
    seen.length = 0;
    await chat(emulator);
    expect(seen).toEqual([]);
  });
});

describe("snapshots", () => {
  it.each([undefined, "folder"])("are saved, listed, restored and removed by name, in %s", async (where) => {
    const dataDir = where && temporaryFolder();
    const emulator = create({ dataDir });
    expect(emulator.snapshots.list()).toEqual([]);
    emulator.snapshots.save("b");
    emulator.keys.add({ key: "sk-new" });
    emulator.snapshots.save("a.1-x_y");
    expect(emulator.snapshots.list()).toEqual([
      { name: "a.1-x_y", savedAt: expect.any(Number), bytes: expect.any(Number) },
      { name: "b", savedAt: expect.any(Number), bytes: expect.any(Number) },
    ]);
    emulator.snapshots.restore("b");
    expect(emulator.keys.list()).toHaveLength(1);
    emulator.snapshots.restore("a.1-x_y");
    expect(emulator.keys.list()).toHaveLength(2);
    emulator.snapshots.save("b");
    expect(emulator.snapshots.remove("a.1-x_y")).toBe(true);
    expect(emulator.snapshots.remove("a.1-x_y")).toBe(false);
    expect(() => emulator.snapshots.restore("a.1-x_y")).toThrow('There is no snapshot "a.1-x_y".');
    if (dataDir === undefined) return;
    await emulator.close();
    const after = create({ dataDir });
    expect(after.snapshots.list().map(({ name }) => name)).toEqual(["b"]);
    after.keys.remove("sk-new");
    after.snapshots.restore("b");
    expect(after.keys.list()).toHaveLength(2);
  });

  it.each(["", ".", "..", "../x", "a/b", "a\\b", "A", "-a", "a\0", "ä", "a".repeat(65), "snapshot a"])(
    "take no name that could be another or lead elsewhere: %j",
    (name) => {
      const emulator = create({ dataDir: temporaryFolder() });
      for (const use of ["save", "restore", "remove"] as const) {
        expect(() => emulator.snapshots[use](name)).toThrow(
          "The name of a snapshot is of lower-case letters",
        );
      }
      expect(emulator.snapshots.list()).toEqual([]);
    },
  );

  it("keep replies that are code, in this process", async () => {
    const emulator = create({ replies: [{ when: { text: "option" }, reply: () => "from options" }] });
    emulator.replies.add({ when: { text: "added" }, reply: () => "from code", times: 2 });
    await chat(emulator, "added");
    emulator.snapshots.save("before");
    emulator.replies.clear();
    emulator.snapshots.restore("before");
    expect((await chat(emulator, "added")).text).toContain("from code");
    expect((await chat(emulator, "added")).text).not.toContain("from code");
    expect((await chat(emulator, "option")).text).toContain("from options");
    // Elsewhere that code is not there.
    const other = create();
    other.state.import(emulator.state.export());
    expect(other.replies.list()).toEqual([]);
  });

  it("have tasks and the clock go back with them", async () => {
    const { emulator, post } = await startEmulator({ videoTimings: WORK_TIMINGS });
    await post("/videos", {
      model: "local-video-2.0",
      content: [{ type: "text", text: "a cat" }],
      duration: 4,
    });
    emulator.snapshots.save("queued");
    await emulator.clock.advance(86_400_000);
    expect(emulator.videos.list()[0]).toMatchObject({ status: "succeeded" });
    emulator.snapshots.restore("queued");
    expect(emulator.videos.list()[0]).toMatchObject({ status: "queued" });
    expect(emulator.clock.now()).toBeLessThan(Date.now() + 60_000);
    await emulator.clock.advance(WORK_TIMINGS.queuedMs);
    expect(emulator.videos.list()[0]).toMatchObject({ status: "running" });
    await emulator.clock.advance(WORK_TIMINGS.runningMs);
    expect(emulator.videos.list()[0]).toMatchObject({ status: "succeeded" });
  });
});
