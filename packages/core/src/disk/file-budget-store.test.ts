import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BudgetStore, Reservation } from "../budget/budget-store.js";
import { FileBudgetStore } from "../node.js";
import { budgetStoreContract } from "../testing/budget-store-contract.js";
import { encodeLine } from "./budget-log-line.js";

const ENDS_AT = Date.now() + 86_400_000;
const NEVER = Date.now() + 86_400_000;

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "budget-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function storeIn(folder: string): BudgetStore {
  const store = new FileBudgetStore(join(folder, "deep", "budget"));
  onTestFinished(() => store.close());
  return store;
}

function reservation(id: string, amount: number, more: Partial<Reservation> = {}): Reservation {
  return {
    ...{ id, account: "b/w/x", endsAt: ENDS_AT, amount, state: "running", at: Date.now(), leaseUntil: NEVER },
    ...{ owner: "o", call: "chat.completions.create", ...more },
  };
}

async function logsIn(folder: string): Promise<string[]> {
  return (await readdir(join(folder, "deep"))).filter((name) => /^budget\.\d+$/.test(name));
}

describe("a budget in files, as in every store", () => {
  let folder: string | undefined;
  const createStore = async () => {
    folder ??= await mkdtemp(join(tmpdir(), "budget-"));
    return new FileBudgetStore(join(folder, "budget"));
  };
  for (const { title, run } of budgetStoreContract(createStore))
    it(title, async () => {
      onTestFinished(async () => {
        if (folder !== undefined) await rm(folder, { recursive: true, force: true });
        folder = undefined;
      });
      await run();
    });
});

describe("a budget in files", () => {
  it("is there for the next process", async () => {
    const folder = await makeFolder();
    const before = storeIn(folder);
    await before.reserve(reservation("a", 10), 100, true);
    await before.reserve(reservation("b", 20), 100, true);
    await before.settle("a", 5);
    // Nothing is closed: the process was killed.
    const after = storeIn(folder);
    expect(await after.look("b/w/x")).toEqual({ spent: 5, reserved: 20 });
    expect(await after.list()).toEqual(await before.list());
  });

  it("is one for any number of stores that ask at once, through the turns of its logs", async () => {
    const folder = await makeFolder();
    const stores = [storeIn(folder), storeIn(folder), storeIn(folder)] as const;
    const limit = 900;
    const work = async (store: BudgetStore, name: string) => {
      let granted = 0;
      for (let round = 0; round < 40; round++) {
        const ids = Array.from({ length: 16 }, (_, index) => `${name}-${round}-${index}`);
        const requestKey = "k".repeat(400);
        const outcomes = await Promise.all(
          ids.map((id) => store.reserve(reservation(id, 10, { requestKey }), limit, true)),
        );
        for (const { spent, reserved } of outcomes) expect(spent + reserved).toBeLessThanOrEqual(limit);
        const mine = ids.filter((_, index) => outcomes[index]?.granted);
        granted += mine.length;
        // Each second costs a tenth of what was reserved for it, the others nothing.
        await Promise.all(mine.map((id, index) => store.settle(id, index % 2 ? 0.01 : 0)));
      }
      return granted;
    };
    await Promise.all(stores.map((store, index) => work(store, String(index))));
    const [first, ...others] = await Promise.all(
      [...stores, storeIn(folder)].map((store) => store.look("b/w/x")),
    );
    expect(first?.reserved).toBe(0);
    expect(first?.spent).toBeGreaterThan(0);
    for (const other of others) expect(other).toEqual(first);
    const logs = await logsIn(folder);
    expect(logs).toHaveLength(1);
    expect(logs).not.toContain("budget.1");
    expect(await readdir(join(folder, "deep"))).toEqual(logs);
  });

  it("reads on behind what was cut, and does no step twice", async () => {
    const folder = await makeFolder();
    const store = storeIn(folder);
    await store.reserve(reservation("a", 10), 100, true);
    const [log = ""] = await logsIn(folder);
    const file = join(folder, "deep", log);
    const whole = encodeLine({ step: ["reserve", reservation("cut", 50), 100, true], name: "n" });
    for (let cut = 1; cut < whole.length - 1; cut += 7) await appendFile(file, whole.slice(0, cut));
    await appendFile(file, Buffer.alloc(600));
    await appendFile(file, '\n{"step":"x"}\n[]\nnull\n7\n');
    await store.reserve(reservation("b", 20), 100, true);
    expect(await store.look("b/w/x")).toEqual({ spent: 0, reserved: 30 });
    expect(await storeIn(folder).look("b/w/x")).toEqual({ spent: 0, reserved: 30 });
  });

  it("waits for the end of a line that another process is about to write", async () => {
    const folder = await makeFolder();
    const store = storeIn(folder);
    await store.reserve(reservation("a", 10), 100, true);
    const [log = ""] = await logsIn(folder);
    const file = join(folder, "deep", log);
    const line = encodeLine({ step: ["reserve", reservation("ü", 50), 100, true], name: "n" });
    const bytes = Buffer.from(line);
    const half = bytes.indexOf("ü") + 1;
    await appendFile(file, bytes.subarray(0, half));
    expect(await store.look("b/w/x")).toEqual({ spent: 0, reserved: 10 });
    await appendFile(file, bytes.subarray(half));
    expect(await store.look("b/w/x")).toEqual({ spent: 0, reserved: 60 });
  });

  it("goes on where a process died while it turned the log", async () => {
    const folder = await makeFolder();
    const [store, other] = [storeIn(folder), storeIn(folder)];
    await store.reserve(reservation("a", 10), 100, true);
    await other.look("b/w/x");
    const [log = ""] = await logsIn(folder);
    await appendFile(join(folder, "deep", log), encodeLine({ seal: true }));
    // What stands behind the seal never counts.
    const late = encodeLine({ step: ["reserve", reservation("late", 50), 100, true], name: "late" });
    await appendFile(join(folder, "deep", log), late);
    await writeFile(join(folder, "deep", `budget.2.${crypto.randomUUID()}`), "half of a dr");
    expect((await other.reserve(reservation("b", 20), 100, true)).reserved).toBe(30);
    expect((await store.reserve(reservation("c", 30), 100, true)).reserved).toBe(60);
    expect(await storeIn(folder).look("b/w/x")).toEqual({ spent: 0, reserved: 60 });
    expect(await logsIn(folder)).toEqual(["budget.2"]);
  });

  it("does not do as if nothing was when its file is gone", async () => {
    const folder = await makeFolder();
    const store = storeIn(folder);
    await store.reserve(reservation("a", 10), 100, true);
    await rm(join(folder, "deep"), { recursive: true });
    await expect(store.look("b/w/x")).rejects.toThrow("was removed while it was in use");
    expect(await store.look("b/w/x")).toBeUndefined();
  });

  it("fails where it cannot write, and says nothing of another's files", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, "file"), "");
    await expect(new FileBudgetStore(join(folder, "file", "budget")).list()).rejects.toThrow(
      /ENOTDIR|EEXIST/,
    );
    const store = new FileBudgetStore(join(folder, "budget"));
    await writeFile(join(folder, "budget.txt"), "mine");
    await writeFile(join(folder, "budgetary.9"), "mine");
    expect(await store.list()).toEqual([]);
    await store.close();
    await expect(store.list()).rejects.toThrow("closed");
    expect(await readFile(join(folder, "budgetary.9"), "utf8")).toBe("mine");
  });
});
