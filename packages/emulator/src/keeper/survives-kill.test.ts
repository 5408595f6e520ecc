import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import type { EmulatorState } from "../index.js";
import { bearer } from "../testing/start-emulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
const ROUNDS = 20;
const CALLERS = 4;

async function start(dataDir: string): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", CLI, "start", "--port", "0", "--data-dir", dataDir],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const [screen] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return { child, origin: /http:\/\/127\.0\.0\.1:\d+/.exec(screen.toString())?.[0] ?? "" };
}

/** What of the state somebody was told, or may have happened without anybody being told. */
class Known {
  readonly told = new Set<string>();
  readonly possible = new Set<string>();

  about(names: Iterable<string>): { missing: string[]; unknown: string[] } {
    const found = new Set(names);
    return {
      missing: [...this.told].filter((name) => !found.has(name)),
      unknown: [...found].filter((name) => !this.told.has(name) && !this.possible.has(name)),
    };
  }
}

it("holds after each of twenty kills what it had answered, and starts again", async () => {
  const dataDir = temporaryFolder();
  const keys = new Known();
  const removed = new Set<string>();
  const charges = new Known();
  const tasks = new Known();
  keys.told.add("sk-emulator");
  let serial = 0;

  /** One call after the other until the process is gone; `answered` hears of each. */
  const work = async (origin: string, answered: () => void) => {
    const post = async (path: string, body: unknown) => {
      const init = { method: "POST", headers: bearer("sk-emulator"), body: JSON.stringify(body) };
      const response = await fetch(origin + path, init);
      return {
        id: response.headers.get("x-request-id") ?? "",
        body: (await response.json()) as { id: string },
      };
    };
    const steps = [
      async () => {
        const key = `sk-${++serial}`;
        keys.possible.add(key);
        await post("/_emulator/api/keys", { key, quota: serial });
        keys.told.add(key);
        if (serial % 3 > 0) return;
        keys.told.delete(key);
        await fetch(`${origin}/_emulator/api/keys/${key}`, { method: "DELETE" });
        keys.possible.delete(key);
        removed.add(key);
      },
      async () => {
        const { id } = await post("/v1/embeddings", { model: "local-embedding", input: `text ${++serial}` });
        charges.told.add(id);
      },
      async () => {
        const content = [{ type: "text", text: "a cat [[stuck]]" }];
        const { id, body } = await post("/v1/videos", { model: "local-video-2.0", content, duration: 4 });
        charges.told.add(id);
        tasks.told.add(body.id);
      },
    ];
    try {
      for (let index = 0; ; index++) {
        await steps[index % steps.length]?.();
        answered();
      }
    } catch {
      // It was killed: nobody knows what became of this call.
    }
  };

  const check = async (origin: string) => {
    const state = (await (await fetch(`${origin}/_emulator/api/state`)).json()) as EmulatorState;
    const entries = <T>(part: string) => state[part] as T[];
    const ledger = entries<{ id: string; requestId: string; units: number }>("ledger");
    const found = entries<{ key: string }>("keys").map(({ key }) => key);
    expect(keys.about(found)).toEqual({ missing: [], unknown: [] });
    expect(found.filter((key) => removed.has(key))).toEqual([]);
    expect(charges.about(ledger.map(({ requestId }) => requestId)).missing).toEqual([]);
    expect(tasks.about(entries<{ id: string }>("tasks").map(({ id }) => id)).missing).toEqual([]);
    // What was charged is what was spent, and no id was given twice.
    const units = ledger.reduce((sum, entry) => sum + entry.units, 0);
    expect(entries("spent")).toEqual(
      units === 0 ? [] : [{ key: "sk-emulator", calls: ledger.length, units }],
    );
    expect(new Set(ledger.map(({ id }) => id)).size).toBe(ledger.length);
    // No more happened than was asked for.
    expect(ledger.length).toBeLessThanOrEqual(charges.told.size + CALLERS * ROUNDS);
  };

  for (let round = 0; round < ROUNDS; round++) {
    const { child, origin } = await start(dataDir);
    await check(origin);
    const gone = once(child, "exit");
    let answers = 0;
    const callers = Array.from({ length: CALLERS }, () =>
      work(origin, () => {
        answers += 1;
        if (answers === 1 + round * 3) child.kill("SIGKILL");
      }),
    );
    await Promise.all([gone, ...callers]);
    // What a power cut may leave at the end of a file.
    const file = join(dataDir, "state.jsonl");
    if (round % 4 === 3)
      writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from('["ledger","led')]));
  }
  const { origin } = await start(dataDir);
  await check(origin);
  expect(charges.told.size).toBeGreaterThan(100);
  expect(removed.size).toBeGreaterThan(0);
}, 300_000);
