import { describe, expect, it } from "vitest";
import { inWorld } from "../testing/in-world.js";
import type { FaultName, SimulatedFaults } from "./fault-plan.js";
import type { World } from "./world.js";

const QUIET: SimulatedFaults = {
  ...{ refuse: 0, resetBefore: 0, resetAfter: 0, cut: 0, refusedByProxy: 0, delay: 0, callback: 0 },
};
const LONGEST_USUAL_MS = 1_000;

/** What came of one call. */
interface Call {
  /** Requests that reached the gateway. */
  reached: number;
  ms: number;
  status?: number;
  text?: string;
  error?: Error & { cause?: { code?: string } };
}

async function call(world: World): Promise<Call> {
  const from = Date.now();
  const outcome: Partial<Call> = {};
  try {
    const response = await post(world, "/chat/completions", {
      model: "local-chat",
      messages: [{ role: "user", content: "Say fox." }],
    });
    outcome.status = response.status;
    outcome.text = await response.text();
  } catch (error) {
    outcome.error = error as NonNullable<Call["error"]>;
  }
  return { ...outcome, reached: world.emulator.journal.list().length, ms: Date.now() - from };
}

function post(world: World, path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${world.baseURL}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${world.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** The calls of many worlds that had the fault. */
async function callsWith(name: FaultName): Promise<Call[]> {
  const calls: Call[] = [];
  for (let seed = 1; seed <= 60; seed++) {
    await inWorld(
      async (world) => {
        const made = await call(world);
        if (world.faults.length > 0) calls.push(made);
      },
      { seed, maxFaults: 1, faults: { ...QUIET, [name]: 1 } },
    );
  }
  expect(calls.length).toBeGreaterThan(15);
  return calls;
}

describe("a connection", () => {
  it("that nothing happens to brings the answer whole, in pieces", async () => {
    const pieces: number[] = [];
    for (let seed = 1; seed <= 20; seed++) {
      await inWorld(
        async (world) => {
          const response = await post(world, "/chat/completions", {
            model: "local-chat",
            messages: [{ role: "user", content: "Say fox." }],
          });
          const decoder = new TextDecoder();
          let text = "";
          let count = 0;
          for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
            expect(piece.length).toBeGreaterThan(0);
            text += decoder.decode(piece, { stream: true });
            count += 1;
          }
          pieces.push(count);
          expect(JSON.parse(text)).toMatchObject({ object: "chat.completion" });
        },
        { seed },
      );
    }
    expect(new Set(pieces).size).toBeGreaterThan(3);
  });

  it("that is refused brings nothing to the gateway", async () => {
    for (const { error, reached } of await callsWith("refuse"))
      expect([error?.cause?.code, reached]).toEqual(["ECONNREFUSED", 0]);
  });

  it("that is reset before the gateway acted brings nothing to it", async () => {
    for (const { error, reached } of await callsWith("resetBefore"))
      expect([error?.cause?.code, reached]).toEqual(["ECONNRESET", 0]);
  });

  it("that is reset after the gateway acted looks the same", async () => {
    for (const { error, reached } of await callsWith("resetAfter"))
      expect([error?.cause?.code, reached]).toEqual(["ECONNRESET", 1]);
  });

  it("that is cut ends before the answer does, sometimes without an error", async () => {
    const calls = await callsWith("cut");
    for (const { text, reached } of calls) {
      expect(reached).toBe(1);
      if (text !== undefined) expect(() => JSON.parse(text)).toThrow(SyntaxError);
    }
    expect(calls.filter(({ text }) => text !== undefined).length).toBeGreaterThan(3);
    expect(calls.filter(({ error }) => error?.message === "terminated").length).toBeGreaterThan(3);
  });

  it("that a proxy answers brings nothing to the gateway", async () => {
    const calls = await callsWith("refusedByProxy");
    for (const { text, reached } of calls) expect([text?.startsWith("<html>"), reached]).toEqual([true, 0]);
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([408, 429, 500, 502, 503, 200]));
  });

  it("that is slow brings the answer late, on the clock of the world", async () => {
    const calls = await callsWith("delay");
    expect(calls.every(({ status, reached }) => status === 200 && reached === 1)).toBe(true);
    expect(calls.filter(({ ms }) => ms > LONGEST_USUAL_MS).length).toBeGreaterThan(10);
    for (let seed = 1; seed <= 10; seed++)
      await inWorld(async (world) => expect((await call(world)).ms).toBeLessThan(LONGEST_USUAL_MS), { seed });
  });

  it("that is aborted is gone at once, at whatever moment", async () => {
    const reasons = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      await inWorld(
        async (world) => {
          const controller = new AbortController();
          setTimeout(() => controller.abort(new Error("not any more")), seed * 10);
          const body = { model: "local-chat", messages: [{ role: "user", content: "Say fox." }] };
          try {
            await (await post(world, "/chat/completions", body, controller.signal)).text();
            reasons.add("whole");
          } catch (error) {
            reasons.add((error as Error).message);
          }
          expect(world.pending().filter((what) => what.includes("POST"))).toEqual([]);
        },
        { seed },
      );
    }
    expect(reasons).toEqual(new Set(["whole", "not any more"]));
  });

  it("that is aborted while it begins brings nothing to the gateway", async () => {
    let unsent = 0;
    for (let seed = 1; seed <= 30; seed++) {
      await inWorld(
        async (world) => {
          const controller = new AbortController();
          const abort = () => controller.abort(new Error("not any more"));
          const body = { model: "local-chat", messages: [{ role: "user", content: "Say fox." }] };
          setTimeout(abort, 1);
          const from = Date.now();
          await expect(post(world, "/chat/completions", body, controller.signal)).rejects.toThrow(
            "not any more",
          );
          expect(Date.now() - from).toBe(1);
          await world.sleep(1_000);
          if (world.emulator.journal.list().length === 0) unsent += 1;
          expect(world.pending()).toEqual([]);
        },
        { seed },
      );
    }
    expect(unsent).toBeGreaterThan(3);
  });
});

describe("a callback", () => {
  /** What arrives of the callbacks of a film, by the way that its world had in store. */
  async function callbacks(): Promise<Map<string, string[][]>> {
    const byWay = new Map<string, string[][]>();
    for (let seed = 1; seed <= 80; seed++) {
      const arrived: string[] = [];
      const { story } = await inWorld(
        async (world) => {
          const close = world.serve("https://films.example", async (request) => {
            const { status } = (await request.json()) as { status: string };
            arrived.push(status);
            return new Response(null, { status: 204 });
          });
          const answer = await post(world, "/videos", {
            ...{ model: "local-video-2.0", duration: 5, callback_url: "https://films.example/done" },
            content: [{ type: "text", text: "a fox" }],
          });
          await answer.text();
          await world.sleep(30 * 60_000);
          close();
        },
        { seed, maxFaults: 1, faults: { ...QUIET, callback: 1 } },
      );
      const way = story.flatMap((line) => /callback (\w+):/.exec(line)?.[1] ?? []).at(0) ?? "none";
      byWay.set(way, [...(byWay.get(way) ?? []), arrived]);
    }
    return byWay;
  }

  it("gets lost, comes twice, late, or beside a forged one, as the world has it", async () => {
    const byWay = await callbacks();
    expect([...byWay.keys()].sort()).toEqual(["forged", "late", "lost", "none", "twice"]);
    const usual = byWay.get("none")?.[0] ?? [];
    expect(usual.at(-1)).toBe("succeeded");
    for (const arrived of byWay.get("none") ?? []) expect(arrived).toEqual(usual);
    for (const arrived of byWay.get("twice") ?? []) expect(arrived).toHaveLength(usual.length + 1);
    for (const arrived of byWay.get("forged") ?? []) expect(arrived).toHaveLength(usual.length + 1);
    for (const arrived of byWay.get("late") ?? []) expect(new Set(arrived)).toEqual(new Set(usual));
  });
});

describe("an address that is served", () => {
  it("answers until it is closed", async () => {
    await inWorld(async (world) => {
      const close = world.serve("https://shop.example", async (request) =>
        Response.json({ path: new URL(request.url).pathname, body: await request.text() }),
      );
      const answer = await fetch("https://shop.example/orders", { method: "POST", body: "one" });
      expect(await answer.json()).toEqual({ path: "/orders", body: "one" });
      expect(world.emulator.journal.list()).toEqual([]);
      close();
      const closed = await fetch("https://shop.example/orders");
      expect([closed.status, (await closed.text()) === ""]).toEqual([404, false]);
    });
  });
});
