import crypto, { randomUUID } from "node:crypto";
import fs from "node:fs";
import promises from "node:fs/promises";
import perfHooks from "node:perf_hooks";
import timersPromises from "node:timers/promises";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { inWorld } from "../testing/in-world.js";
import type { SimulatedFaults } from "./fault-plan.js";
import { replay, simulate } from "./simulate.js";
import type { World } from "./world.js";

const CALM: SimulatedFaults = {
  refuse: 0,
  resetBefore: 0,
  resetAfter: 0,
  cut: 0,
  refusedByProxy: 0,
  delay: 0,
};

function shop({ apiKey, baseURL }: World, maxRetries = 0): OpenAI {
  return new OpenAI({ apiKey, baseURL, maxRetries, fetch: globalThis.fetch });
}

/** Buys some pictures as someone does who has not thought of what may have been paid. */
async function naiveShop(world: World): Promise<void> {
  const client = shop(world);
  const buyers = Array.from({ length: world.count("buyers", 1, 5) }, (_, index) =>
    world
      .intend(`picture ${index}`, async () => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await client.images.generate({ model: "local-image", prompt: "a fox" });
          } catch (error) {
            if (attempt === 3) throw error;
          }
        }
      })
      .catch(() => {}),
  );
  await Promise.all(buyers);
}

describe("a simulation", () => {
  it("finds a naive retry, and tells the shortest story of it", async () => {
    const { failure, runs } = await simulate({ app: naiveShop, runs: 500 });
    expect(failure?.violation).toMatch(/^nothing is paid twice: picture \d was paid 2 times$/);
    expect(runs).toBeLessThan(20);
    expect(failure?.faults).toHaveLength(1);
    expect(failure?.faults[0]).toMatch(/^(resetAfter|cut) at scenario POST \/v1\/images\/generations #\d/);
    const posts = failure?.story.filter((line) => line.includes("→ POST"));
    expect(posts?.length).toBe(2);
  });

  it("finds the retries of a client that retries what it pays for", async () => {
    const { failure } = await simulate({
      runs: 100,
      async app(world) {
        const client = shop(world, 2);
        const buy = () => client.images.generate({ model: "local-image", prompt: "a fox" });
        await world.intend("picture", buy).catch(() => {});
      },
    });
    expect(failure?.violation).toBe("nothing is paid twice: picture was paid 2 times");
  });

  it("finds what was paid and is told to have failed", async () => {
    const { failure } = await simulate({
      runs: 100,
      async app(world) {
        const client = shop(world);
        const buy = () => client.images.generate({ model: "local-image", prompt: "a fox" });
        await world.intend("picture", buy).catch(() => {});
      },
    });
    expect(failure?.violation).toBe(
      "nothing paid is lost: picture was paid, and whoever asked was told that it failed for certain",
    );
  });

  it("finds what succeeded and was never asked for at the gateway", async () => {
    const { failure } = await simulate({ runs: 1, app: (world) => world.intend("picture", async () => {}) });
    expect(failure?.violation).toMatch(/picture succeeded, and the gateway knows nothing of it$/);
  });

  it.each<[string, (world: World) => Promise<void>]>([
    ["in a log", async ({ apiKey }) => console.log(`with ${apiKey}`)],
    ["in what is written", async ({ apiKey }) => void process.stderr.write(Buffer.from(`with ${apiKey}`))],
    [
      "in the cause of an error",
      async (world) => {
        const cause = new Error("refused", { cause: { sent: `Bearer ${world.apiKey}` } });
        await world.intend("picture", () => Promise.reject(new Error("no", { cause }))).catch(() => {});
      },
    ],
    [
      "in a member of an error",
      async (world) => {
        const error = Object.assign(new Error("no"), { headers: { authorization: world.apiKey } });
        await world.intend("picture", () => Promise.reject(error)).catch(() => {});
      },
    ],
    ...["headers", "body", "address"].map((where): [string, (world: World) => Promise<void>] => [
      `in the ${where} of what is sent to somebody else`,
      async (world) => {
        const close = world.serve("https://elsewhere.example", () => new Response(null, { status: 204 }));
        const address = `https://elsewhere.example/?key=${where === "address" ? world.apiKey : ""}`;
        const headers: Record<string, string> = where === "headers" ? { "x-key": world.apiKey } : {};
        const body = where === "body" ? JSON.stringify({ key: world.apiKey }) : "{}";
        await fetch(address, { method: "POST", headers, body }).catch(() => {});
        close();
      },
    ]),
    ["on the disk", ({ disk, apiKey }) => promises.writeFile(disk.path("file"), `{"key":"${apiKey}"}`)],
  ])("finds the key %s, and does not tell it", async (_where, app) => {
    const { failure } = await simulate({ app, runs: 1 });
    expect(failure?.violation).toMatch(/^the key stays secret: The key (stands in|was sent to)/);
    expect(failure?.violation).not.toContain("sk-emulator");
  });

  it.each<[string, RegExp, (world: World) => Promise<void>]>([
    [
      "a timer",
      /In the end there still are: 1 timers/,
      async () => {
        const again = () => setTimeout(again, 60_000);
        again();
      },
    ],
    [
      "an answer that nobody reads",
      /In the end there still are: scenario GET \/v1\/models #1/,
      async ({ baseURL, apiKey }) => {
        await fetch(`${baseURL}/models`, { headers: { authorization: `Bearer ${apiKey}` } });
      },
    ],
  ])("finds that %s is left behind", async (_what, found, app) => {
    expect((await simulate({ app, runs: 1, faults: CALM })).failure?.violation).toMatch(found);
  });

  it("finds who still listens in the end, to this process or for the death of one of the world", async () => {
    const nobody = () => {};
    onTestFinished(() => void process.off("SIGUSR2", nobody));
    const violationOf = async (main: (service: { signal: AbortSignal }) => Promise<void>) =>
      (
        await simulate({
          runs: 1,
          maxFaults: 0,
          async app(world) {
            await world.service("worker", main).ended;
          },
        })
      ).failure?.violation;
    expect(
      await violationOf(async ({ signal }) => {
        signal.addEventListener("abort", nobody);
        signal.removeEventListener("abort", nobody);
        process.on("SIGUSR2", nobody).off("SIGUSR2", nobody);
      }),
    ).toBeUndefined();
    expect(await violationOf(async ({ signal }) => signal.addEventListener("abort", nobody))).toBe(
      "nobody listens any more: In the end there still are listeners: 1 for the end of worker",
    );
    expect(await violationOf(async () => void process.on("SIGUSR2", nobody))).toBe(
      "nobody listens any more: In the end there still are listeners: 1 for SIGUSR2 of the process",
    );
  });

  it("finds that a scenario fails, waits for nothing, never ends, or leaves a rejection to nobody", async () => {
    const violationOf = async (app: (world: World) => Promise<void>) =>
      (await simulate({ app, runs: 1, maxVirtualMs: 60_000 })).failure?.violation;
    expect(await violationOf(() => Promise.reject(new Error("as planned")))).toMatch(
      /^the scenario failed: Error: as planned/,
    );
    expect(await violationOf(() => new Promise(() => {}))).toBe(
      "everybody waits, and nothing is left that could happen",
    );
    expect(
      await violationOf(async (world) => {
        for (;;) await world.sleep(1_000);
      }),
    ).toBe("it does not come to an end");
    expect(
      await violationOf(async (world) => {
        Promise.reject(new Error("nobody's"));
        await world.sleep(1_000);
      }),
    ).toMatch(/^a rejection that nobody handles: Error: nobody's/);
    expect(
      await violationOf(async (world) => {
        setTimeout(() => {
          throw new Error("in a timer");
        }, 500);
        await world.sleep(1_000);
      }),
    ).toMatch(/^an error that nobody catches: Error: in a timer/);
  });

  it("finds that an invariant cannot be looked at", async () => {
    const invariants = {
      "it can be looked at": () => {
        throw new Error("blind");
      },
    };
    const { failure } = await simulate({ app: (world) => world.sleep(1_000), runs: 1, invariants });
    expect(failure?.violation).toMatch(/^it can be looked at: Error: blind/);
    expect((await simulate({ app: (world) => world.sleep(1_000), runs: 1 })).failure).toBeUndefined();
  });

  it("holds what an application wants to hold beside, and leaves out what it does not", async () => {
    const own = await simulate({
      runs: 1,
      async app(world) {
        await world.sleep(5_000);
      },
      invariants: {
        "it is early": () => (Date.now() % 60_000 >= 5_000 ? "It is late." : undefined),
      },
    });
    expect(own.failure?.violation).toBe("it is early: It is late.");
    const { failure, runs } = await simulate({
      app: naiveShop,
      runs: 30,
      invariants: { "nothing is paid twice": false, "nothing paid is lost": false },
    });
    expect([failure, runs]).toEqual([undefined, 30]);
  });

  it("counts what happened, and tells of each world", async () => {
    const seeds: number[] = [];
    let faults = 0;
    const report = await simulate({
      app: naiveShop,
      ...{ seed: 7, runs: 20, maxFaults: 3 },
      invariants: { "nothing is paid twice": false, "nothing paid is lost": false },
      onRun({ seed, result }) {
        seeds.push(seed);
        expect(result.faults.length).toBeLessThanOrEqual(3);
        faults += result.faults.length;
      },
    });
    expect(seeds).toEqual(Array.from({ length: 20 }, (_, index) => 7 + index));
    expect(report.requests).toBeGreaterThan(20);
    expect(report.virtualMs).toBeGreaterThan(0);
    expect(Object.values(report.faults).reduce((sum, count) => sum + count, 0)).toBe(faults);
  });

  it("makes the same world of a seed, and another of another", async () => {
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 25; seed++) {
      const [first, second] = [
        await replay({ app: naiveShop }, seed),
        await replay({ app: naiveShop }, seed),
      ];
      expect(second.story).toEqual(first.story);
      expect(second.hash).toBe(first.hash);
      hashes.add(first.hash);
    }
    expect(hashes.size).toBe(25);
  });

  it("refuses a second one at the same time, and takes it afterwards", async () => {
    const app = (world: World) => world.sleep(1_000);
    const first = simulate({ app, runs: 2 });
    await expect(simulate({ app, runs: 1 })).rejects.toThrow(/Another simulation is under way/);
    await expect(replay({ app }, 1)).rejects.toThrow(/Another simulation is under way/);
    expect((await first).failure).toBeUndefined();
    expect((await simulate({ app, runs: 1 })).runs).toBe(1);
  });
});

describe("a world", () => {
  it("has chance of its own, equal for equal seeds", async () => {
    const drawn = async (seed: number) => {
      const draws: unknown[] = [];
      await inWorld(
        async (world) => {
          for (let turn = 0; turn < 3; turn++) {
            draws.push(Math.random(), randomUUID(), globalThis.crypto.randomUUID());
            draws.push(crypto.randomBytes(5_000).toString("hex"), crypto.randomInt(3, 9));
            draws.push(globalThis.crypto.getRandomValues(new Uint32Array(3)).join());
            await world.sleep(1_000);
          }
        },
        { seed },
      );
      return draws;
    };
    const first = await drawn(1);
    expect(await drawn(1)).toEqual(first);
    expect(await drawn(2)).not.toEqual(first);
    expect(new Set(first.filter((draw) => typeof draw === "string")).size).toBe(12);
    expect(first[1]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("has a clock of its own, on which hours take no time", async () => {
    await inWorld(async (world) => {
      const from = [Date.now(), performance.now()];
      await world.sleep(3_600_000);
      await timersPromises.setTimeout(3_600_000);
      const { reason } = await new Promise<AbortSignal>((resolve) => {
        const signal = AbortSignal.timeout(3_600_000);
        signal.addEventListener("abort", () => resolve(signal));
      });
      expect(reason).toMatchObject({ name: "TimeoutError" });
      expect([Date.now() - (from[0] ?? 0), performance.now() - (from[1] ?? 0)]).toEqual([
        10_800_000, 10_800_000,
      ]);
      const controller = new AbortController();
      const waiting = timersPromises.setTimeout(1_000, undefined, { signal: controller.signal });
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    });
  });

  it.each([
    ["that went well", async () => {}],
    ["that failed", () => Promise.reject(new Error("as planned"))],
  ])("%s leaves this process as it was", async (_how, app) => {
    const look = () => ({
      process: Object.getOwnPropertyDescriptor(process, "kill")?.value,
      pid: process.pid,
      writes: [process.stdout.write, process.stderr.write],
      console: [console.log, console.info, console.warn, console.error, console.debug],
      random: [Math.random, crypto.randomUUID, randomUUID, crypto.randomBytes, crypto.randomInt],
      web: [globalThis.fetch, globalThis.crypto.randomUUID, globalThis.crypto.getRandomValues],
      time: [
        Date,
        performance,
        perfHooks.performance,
        setTimeout,
        setInterval,
        clearTimeout,
        AbortSignal.timeout,
      ],
      waiting: timersPromises.setTimeout,
      disk: [...Object.values(promises), fs.readFileSync, fs.existsSync, fs.watchFile, fs.createReadStream],
      listeners: process.listeners("unhandledRejection"),
    });
    const before = look();
    await replay({ app }, 1);
    await simulate({ app, runs: 1 });
    const after = look();
    for (const [name, value] of Object.entries(before)) {
      const left = after[name as keyof typeof after];
      const isSame =
        Array.isArray(value) && Array.isArray(left)
          ? value.length === left.length && value.every((item, at) => item === left[at])
          : value === left;
      expect(isSame, name).toBe(true);
    }
  });
});
