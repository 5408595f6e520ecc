import { existsSync, readFileSync } from "node:fs";
import { access, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { inWorld } from "../testing/in-world.js";
import type { SimulatedFaults } from "./fault-plan.js";
import type { World } from "./world.js";

const STEADY: SimulatedFaults = { crash: 0, powerFailure: 0, diskFull: 0, syncFails: 0 };
const IMAGE = { model: "local-image", prompt: "a fox" };

function generate({ baseURL, apiKey }: World): Promise<Response> {
  return fetch(`${baseURL}/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(IMAGE),
  });
}

describe("a process", () => {
  it("goes no further when it is dead, wherever it was, and starts again as another", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      await inWorld(
        async (world) => {
          const went: string[] = [];
          const pids: number[] = [];
          const service = world.service("worker", async ({ signal }) => {
            const { pid } = process;
            pids.push(pid);
            if (pids.length === 2) return;
            signal.addEventListener("abort", () => went.push("told"));
            setInterval(() => went.push("interval"), 1_000_000);
            setTimeout(() => went.push("timer"), 1_000_000);
            setTimeout(() => service.kill(), seed * 20);
            const answer = await generate(world);
            await answer.text();
            for (let turn = 0; turn < 100; turn++) {
              await writeFile(world.disk.path("file"), String(turn));
              await access(world.disk.path("file"));
            }
            went.push("end");
          });
          await service.ended;
          const content = await readFile(world.disk.path("file"), "utf8").catch(() => "none");
          await world.sleep(5_000_000);
          expect(went).toEqual(["told"]);
          expect(await readFile(world.disk.path("file"), "utf8").catch(() => "none")).toBe(content);
          expect(new Set(pids).size).toBe(2);
        },
        { seed, faults: STEADY },
      );
    }
  });

  it("leaves no timer and no listener behind when it dies", async () => {
    const nobody = () => {};
    onTestFinished(() => void process.off("SIGUSR2", nobody));
    await inWorld(async (world) => {
      let starts = 0;
      const service = world.service("worker", async () => {
        starts += 1;
        if (starts > 1) return;
        process.on("SIGUSR2", nobody);
        for (let hours = 1; hours <= 20; hours++) setTimeout(() => {}, hours * 3_600_000);
        setInterval(() => {}, 3_600_000);
        await world.sleep(1_000_000);
      });
      await world.sleep(10);
      expect(world.pending()).toEqual(["22 timers"]);
      service.kill();
      expect(world.pending()).toEqual([]);
      await service.ended;
      expect(starts).toBe(2);
    });
  });

  it("leaves behind what it has set when it ends by itself, and the gateway does not", async () => {
    await inWorld(
      async (world) => {
        await (
          await fetch(`${world.baseURL}/videos`, {
            method: "POST",
            headers: { authorization: `Bearer ${world.apiKey}`, "content-type": "application/json" },
            body: JSON.stringify({
              ...{ model: "local-video-2.0", duration: 5, callback_url: "https://films.example/done" },
              content: [{ type: "text", text: "a fox" }],
            }),
          })
        ).text();
        expect(world.pending()).toEqual([]);
        clearTimeout(setTimeout(() => {}, 1_000_000));
        clearInterval(setInterval(() => {}, 1_000_000));
        expect(world.pending()).toEqual([]);
        const service = world.service("worker", async () => void setTimeout(() => {}, 1_000_000));
        await service.ended;
        expect(world.pending()).toEqual(["1 timers"]);
        await world.sleep(2_000_000);
        expect(world.pending()).toEqual([]);
      },
      { faults: STEADY },
    );
  });

  it("can be asked for by its number, here and below /proc, until it dies", async () => {
    await inWorld(async (world) => {
      let pid = 0;
      const service = world.service("worker", async () => {
        if (pid !== 0) return;
        pid = process.pid;
        expect(process.kill(pid, 0)).toBe(true);
        expect(existsSync(`/proc/${pid}`)).toBe(true);
        expect(readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(new RegExp(`^${pid} \\(node\\) S `));
        await world.sleep(1_000_000);
      });
      await world.sleep(10);
      service.kill();
      expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: "ESRCH" }));
      expect(existsSync(`/proc/${pid}`)).toBe(false);
      await service.ended;
      expect(process.pid).not.toBe(pid);
    });
  });

  it("starts again when it fails, ten times", async () => {
    await inWorld(async (world) => {
      let starts = 0;
      const failing = world.service("failing", async () => {
        starts += 1;
        throw new Error("not today");
      });
      await expect(failing.ended).rejects.toThrow("not today");
      expect(starts).toBe(11);
      const recovering = world.service("recovering", async () => {
        starts += 1;
        if (starts < 15) throw new Error("not yet");
      });
      await recovering.ended;
      expect(starts).toBe(15);
    });
  });

  it("dies at any read or write when faults say so, and never once the scenario is over", async () => {
    const moments = new Set<string>();
    for (let seed = 1; seed <= 40; seed++) {
      const { story } = await inWorld(
        async (world) => {
          const service = world.service("worker", async () => {
            await writeFile(world.disk.path("file"), "content");
            await (await generate(world)).text();
          });
          await service.ended;
        },
        { seed, maxFaults: 1, faults: { ...STEADY, crash: 0.3 } },
      );
      for (const line of story) {
        const [, moment] = /dies before (.*)/.exec(line) ?? [];
        if (moment !== undefined) moments.add(moment);
      }
    }
    expect(moments).toEqual(new Set(["disk write file", "worker POST /v1/images/generations #1"]));
  });
});

describe("a count", () => {
  it("is one number for its name, however often it is asked for", async () => {
    const { extents } = await inWorld(async (world) => {
      expect(new Set([1, 2, 3].map(() => world.count("foxes", 2, 9))).size).toBe(1);
      world.count("owls", 0, 1);
    });
    expect(extents.map(({ name, min }) => [name, min])).toEqual([
      ["foxes", 2],
      ["owls", 0],
    ]);
  });
});

describe("a purchase", () => {
  it("knows who asked for it, what each was told and what the gateway charged", async () => {
    await inWorld(
      async (world) => {
        let turn = 0;
        const service = world.service("shop", async () => {
          turn += 1;
          if (turn === 1) {
            setTimeout(() => service.kill(), 1);
            await world.intend("fox", () => generate(world));
          } else await world.intend("fox", async () => (await generate(world)).text());
        });
        await service.ended;
        expect(world.purchases.list()).toMatchObject([{ name: "fox", asked: 2 }]);
        const refused = world.intend("owl", async () => Promise.reject(new Error("no owls"))).catch(() => {});
        expect(world.purchases.of("owl")).toMatchObject({ asked: 1, outcomes: [] });
        await refused;
        expect(world.purchases.list()[1]?.outcomes).toHaveLength(1);
        const doubt = Object.assign(new Error("who knows"), { maybeProcessed: true });
        await world.intend("pine", async () => Promise.reject(doubt)).catch(() => {});
        const [fox, owl, pine] = world.purchases.list();
        expect(fox).toMatchObject({ name: "fox", asked: 2 });
        expect(fox?.outcomes.map(({ told }) => told)).toEqual(["cut", "success"]);
        expect([fox?.charged, fox?.paid]).toEqual([1, 1]);
        expect(owl).toMatchObject({ asked: 1, outcomes: [{ told: "failure" }], charged: 0, paid: 0 });
        expect(pine?.outcomes).toEqual([{ told: "doubt", error: doubt }]);
        expect(world.purchases.of("nobody's")).toMatchObject({ asked: 0, charged: 0 });
      },
      { faults: STEADY },
    );
  });

  it("counts only what is bought, where other calls help to buy it", async () => {
    await inWorld(
      async (world) => {
        const twice = async () => {
          for (let turn = 0; turn < 2; turn++) await (await generate(world)).text();
        };
        const chat = { endpoint: "/chat/completions" };
        await world.intend("words", () => twice(), chat).catch(() => {});
        expect(world.purchases.of("words")).toMatchObject({ charged: 0, paid: 0 });
        await world.intend("picture", async () => (await generate(world)).text(), {
          endpoint: "/images/generations",
        });
        expect(world.purchases.of("picture")).toMatchObject({ charged: 1, paid: 1 });
      },
      { invariants: { "nothing paid is lost": false } },
    );
  });

  it("of a film that ends without a video is charged, and not paid", async () => {
    await inWorld(
      async (world) => {
        await world.intend("film", async () => {
          const body = {
            model: "local-video-2.0",
            duration: 5,
            content: [{ type: "text", text: "[[fail]]" }],
          };
          const response = await fetch(`${world.baseURL}/videos`, {
            method: "POST",
            headers: { authorization: `Bearer ${world.apiKey}`, "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          const { task_id: id } = (await response.json()) as { task_id: string };
          expect(world.purchases.of("film")).toMatchObject({ charged: 1, paid: 1 });
          await world.sleep(30 * 60_000);
          const headers = { authorization: `Bearer ${world.apiKey}` };
          await (await fetch(`${world.baseURL}/videos/${id}`, { headers })).text();
        });
        expect(world.purchases.of("film")).toMatchObject({ charged: 1, paid: 0 });
      },
      { invariants: { "nothing paid is lost": false } },
    );
  });
});
